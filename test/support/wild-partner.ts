import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localDay } from '#electron/simulator/partner.ts'

type Say = (response: ServerResponse, request: IncomingMessage) => unknown

/** A partner that answers as the test likes, and not as the interface says. */
export interface WildPartner extends AsyncDisposable {
  readonly url: string
  /** Says this from now on. */
  say(answer: Say): void
  /** Answers 200 with this text from now on. */
  sayText(text: string | Buffer, headers?: Readonly<Record<string, string>>): void
  /** Answers with these items from now on. */
  sayItems(items: readonly unknown[]): void
}

export async function openWildPartner(): Promise<WildPartner> {
  let answer: Say = (response) => response.end('{"authorized":true,"items":[]}')
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    request.resume().on('end', () => answer(response, request))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sayText: WildPartner['sayText'] = (text, headers = {}) => {
    answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    say: (next) => (answer = next),
    sayText,
    sayItems: (items) => sayText(JSON.stringify({ authorized: true, items })),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** This PC's day when the test file began, `YYYYMMDD`: no midnight comes between two uses of it. */
export const TODAY = localDay(Date.now())

/** An invented exam of today, everything right. */
export function exam(
  number: number,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const digits = String(number).padStart(6, '0')
  return {
    AccessionNumber: `ACC${digits}`,
    Modality: 'MR',
    PatientBirthDate: '19700101',
    PatientID: `PID${digits}`,
    PatientName: `DOE${digits}^JANE`,
    PatientSex: 'F',
    PatientSize: '1.7',
    PatientWeight: '70',
    ProtocolName: 'CHEST',
    RequestedProcedureDescription: 'MR CHEST',
    StudyDescription: 'MR CHEST',
    StudyInstanceUID: `2.25.197264083472901.${100_000 + number}`,
    ScheduledProcedureStepSequence: [
      {
        Modality: 'MR',
        ScheduledProcedureStepDescription: 'MR CHEST',
        ScheduledProcedureStepID: `SPS${digits}`,
        ScheduledProcedureStepStartDate: TODAY,
        ScheduledProcedureStepStartTime: '101500',
      },
    ],
    ...more,
  }
}

export const exams = (count: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, number) => exam(number))
