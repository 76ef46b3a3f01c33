import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'
import type { Context } from '#server/context.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import type { AssociationInfo, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import type { NewFeedLine } from '#server/live-events/feed.ts'
import { deleteDevice, insertDevice, listDevices } from '#server/modules/devices/device-queries.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import { readInspection } from '#server/modules/worklist/inspection-queries.ts'
import { Worklist } from '#server/modules/worklist/worklist.ts'
import { Agents } from '#server/webhooks/agents.ts'
import { Requester } from '#server/webhooks/request.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { englishText } from '#shared/messages/english.ts'
import { DEVICE } from '../../../../support/device.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { device, EXPLICIT, identifierOf, type Keys, NOW } from './worklist-values-fixture.ts'

export * from './worklist-values-fixture.ts'

/** Performed steps as a test says they are. */
export function performedSteps() {
  const steps = new Map<string, { readonly state: StepState; readonly since: string }>()
  const keyOf = (study: string, step: string) => `${study} ${step}`
  return {
    version: 0,
    stateOf: (study: string, step: string) => steps.get(keyOf(study, step))?.state,
    since: (study: string, step: string) => steps.get(keyOf(study, step))?.since,
    changed() {},
    /** @param state null: scheduled again */
    set(study: string, step: string, state: StepState | null, since = NOW) {
      if (state === null) steps.delete(keyOf(study, step))
      else steps.set(keyOf(study, step), { state, since })
      this.version++
    },
  }
}

/**
 * What the partner does with a question: answer with items, with a body, with a status, or not at
 * all.
 */
export type Reaction =
  | { readonly items: readonly unknown[] }
  | { readonly body: string }
  | { readonly status: number }
  | { readonly hang: true }
  | { readonly wait: Promise<unknown>; readonly items: readonly unknown[] }

/** A real HTTP server that answers worklist questions as it is told. */
export async function openPartner(first: Reaction) {
  const questions: WorklistQuestion[] = []
  let reaction = first
  let hungUp = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    questions.push(JSON.parse(Buffer.concat(chunks).toString()).data as WorklistQuestion)
    response.on('close', () => {
      if (!response.writableFinished) hungUp++
    })
    await react(reaction, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    questions,
    hungUp: () => hungUp,
    now(next: Reaction) {
      reaction = next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function react(reaction: Reaction, response: ServerResponse): Promise<void> {
  if ('hang' in reaction) return
  if ('wait' in reaction) await reaction.wait
  if ('status' in reaction) {
    response.writeHead(reaction.status).end()
    return
  }
  const body =
    'body' in reaction ? reaction.body : JSON.stringify({ authorized: true, items: reaction.items })
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

export interface Heard {
  readonly batches: readonly EncodedIdentifiers[]
  readonly final: DimseResult
  readonly rows: readonly DataSet[]
}

export interface Bench extends AsyncDisposable {
  readonly worklist: Worklist
  readonly partner: Awaited<ReturnType<typeof openPartner>>
  readonly temp: ReturnType<typeof tempStore>
  readonly store: Context
  readonly steps: ReturnType<typeof performedSteps>
  /** The queries that the feed names, as they are recorded; of one without a record its sentence. */
  readonly inspected: InspectionSummary[]
  /** Lines of the feed about queries that were counted on a record. */
  readonly repeated: string[]
  /** Errors of ours. */
  readonly errors: unknown[]
  setDevices(devices: readonly Device[]): void
  /** On an association of its own unless one is given. */
  find(
    keys: Keys,
    more?: {
      transferSyntax?: string
      signal?: AbortSignal
      callingAeTitle?: string
      association?: AssociationInfo
    },
  ): Promise<Heard>
  /** Another worklist on the same store, as after a restart. */
  restart(): Worklist
}

/** The whole slice: real store, real requester, real HTTP partner, a clock that stands. */
export async function openBench(first: Reaction = { items: [] }): Promise<Bench> {
  const temp = tempStore(NOW)
  const { store } = temp
  const partner = await openPartner(first)
  store.settings.set('clinic.timeZone', 'UTC')
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`]
  store.settings.set('partner.plaintextHosts', [partner.host])
  const requester = new Requester(
    store,
    new Agents(),
    () => ({ endpointId: 'partner', url: partner.url, secrets }),
    () => undefined,
  )
  const steps = performedSteps()
  const lines = vi.spyOn(store.feed, 'append')
  const logged = vi.spyOn(store.log, 'error')
  const eventLog = { setEffect() {} } as unknown as EventLog
  const open = () => new Worklist(store, requester, eventLog, steps)
  let worklist: Worklist | undefined
  const isRepeat = ({ text }: NewFeedLine) => englishText(text).includes(' repeated the query ')
  const bench: Bench = {
    get worklist() {
      worklist ??= open()
      return worklist
    },
    partner,
    temp,
    store,
    steps,
    get inspected() {
      return lines.mock.calls
        .filter(([line]) => !isRepeat(line))
        .map(([{ inspectionId, text }]) => {
          const record = readInspection(store.database, inspectionId ?? 0)
          return record ?? ({ inspectionId: 0, sentence: text } as InspectionSummary)
        })
    },
    get repeated() {
      return lines.mock.calls
        .filter(([line]) => isRepeat(line))
        .map(([{ text }]) => englishText(text))
    },
    get errors() {
      return logged.mock.calls.map(([given]) => (given as { err?: unknown }).err)
    },
    setDevices: (devices) => setDevices(store, devices),
    find: (keys, more = {}) => findOn(bench.worklist, keys, more),
    restart() {
      worklist = open()
      return worklist
    },
    async [Symbol.asyncDispose]() {
      await requester[Symbol.asyncDispose]()
      await partner.close()
      temp[Symbol.dispose]()
    },
  }
  bench.setDevices([device()])
  return bench
}

function setDevices(store: Context, devices: readonly Device[]): void {
  const { database } = store
  // Adding one makes the gateway read the list again.
  addDevice(store, { ...DEVICE, aeTitle: 'UNUSED' }, 'gateway')
  for (const { deviceId } of listDevices(database)) deleteDevice(database, deviceId)
  for (const one of devices) insertDevice(database, one)
}

export const associationOf = (callingAeTitle = 'CT1'): AssociationInfo => ({
  ...{ associationId: 'a1', callingAeTitle, calledAeTitle: 'ISTHMUS', remoteAddress: '127.0.0.1' },
})

async function findOn(
  worklist: Worklist,
  keys: Keys,
  {
    transferSyntax = EXPLICIT,
    signal = new AbortController().signal,
    callingAeTitle = 'CT1',
    association = associationOf(callingAeTitle),
  }: Parameters<Bench['find']>[1] & object,
): Promise<Heard> {
  const generator = worklist.find({
    association,
    messageId: 7,
    sopClassUid: SOP_CLASS.modalityWorklistFind,
    transferSyntax,
    identifier: identifierOf(keys, transferSyntax),
    signal,
  })
  const batches: EncodedIdentifiers[] = []
  for (;;) {
    const step = await generator.next()
    if (step.done)
      return {
        batches,
        final: step.value,
        rows: batches.flatMap((batch) => rowsOf(batch, transferSyntax)),
      }
    batches.push(step.value)
  }
}

export function rowsOf(
  { bytes, ends }: EncodedIdentifiers,
  transferSyntax: string = EXPLICIT,
): DataSet[] {
  return [...ends].map((end, index) =>
    readDataSet(bytes.subarray(ends[index - 1] ?? 0, end), transferSyntax),
  )
}

/** The text of an attribute, of the step sequence's item too; undefined where it is absent. */
export function text(row: DataSet | undefined, keyword: string): string | undefined {
  const tag = tagOf(keyword)
  const step = row?.find((element) => element.tag === 0x00400100)?.value
  const found =
    row?.find((element) => element.tag === tag) ??
    (Array.isArray(step) ? (step as DataSet[])[0]?.find((e) => e.tag === tag) : undefined)
  if (!found) return undefined
  return Buffer.isBuffer(found.value)
    ? found.value.toString('latin1').replace(/[\0 ]+$/, '')
    : `${found.value.length} items`
}
