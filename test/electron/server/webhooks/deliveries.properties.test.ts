import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import {
  addOutboxJob,
  dropOutboxJobs,
  findLatestOutboxJob,
  listWaitingOutboxJobs,
} from '#server/jobs/outbox-queries.ts'
import { EventLog } from '#server/modules/events/log.ts'
import { findEvent } from '#server/modules/events/queries.ts'
import { recordEvents } from '#server/modules/events/recorder.ts'
import { deliveryData } from '#server/modules/reports/report-delivery.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { instantOf } from '#server/platform/clock.ts'
import { REPORT_DELIVERED } from '#server/webhooks/deliveries.ts'
import { idFromUuid } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { newKey, newUser } from '../../../support/callers.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../support/property-runs.ts'
import { completedReport } from '../../../support/reports.ts'
import {
  prepareDataFolder,
  reportedErrors,
  standingClock,
  tempFolder,
} from '../../../support/temp-store.ts'
import {
  openPartner,
  openTestRequester,
  type ReceivedRequest,
  sendJson,
} from './request-fixture.ts'
import { TestDeliveries } from './test-deliveries.ts'

// docs/ARCHITECTURE.md: nothing acknowledged is lost, nothing is delivered twice with different
// text. A crash is a copy of the data folder as it is in the middle of a call, on which the next
// run goes on; what the first one still does is as if it never was.

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/**
 * What the partner does with a call. dropped: it refuses, and a person gives the report up
 * meanwhile.
 */
const ANSWERS = [
  'takes',
  'takes',
  'says no',
  'is busy',
  'is gone',
  'breaks off',
  'takes, and we crash',
  'dropped',
] as const
type Answer = (typeof ANSWERS)[number]

const stepArbitrary = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('sign' as const), study: fc.nat({ max: 2 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(5000, 6 * MINUTE, 3 * HOUR, 27 * HOUR),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('drop' as const), report: fc.nat({ max: 9 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('switch on' as const, 'press retry' as const, 'restart' as const),
    }),
  },
)

interface Signed {
  readonly reportId: string
  readonly eventId: string
  readonly study: number
  readonly text: string
  /** Times the partner took it. */
  taken: number
  isDropped: boolean
}

/** What the partner got but for the link, which is made anew at each attempt. */
function withoutLink(request: ReceivedRequest) {
  const { data, ...envelope } = JSON.parse(request.body.toString())
  const { presignedUrl, ...rest } = data
  expect(new URL(presignedUrl).pathname).toBe(`/reports/${rest.reportId}/pdf`)
  return { header: request.headers['webhook-id'], ...envelope, data: rest }
}

describe('signed reports on their way', () => {
  it(
    'are each taken once, in the order of their study, always with the same text, past refusals, outages, restarts and crashes',
    async () => {
      using root = tempFolder()
      const clock = standingClock()
      let folders = 0
      let onCall: (request: ReceivedRequest, response: ServerResponse) => void = () => {}
      const partner = await openPartner((response, _, request) => onCall(request, response))
      const { requester } = openTestRequester(partner.url)

      await fc.assert(
        fc.asyncProperty(
          fc.array(stepArbitrary, { minLength: 1, maxLength: 20 }),
          fc.array(fc.constantFrom(...ANSWERS), { maxLength: 20 }),
          async (steps, answers) => {
            let folder = join(root.folder, String(++folders))
            const script: Answer[] = [...answers]
            const signed: Signed[] = []
            const sent = new Map<string, ReturnType<typeof withoutLink>>()
            const faults: unknown[] = []
            let crashes = 0
            let isOff = false
            /** The folder as it was in the middle of a call. */
            let crashed: string | undefined
            prepareDataFolder(folder)
            let store: Context = openContext({ folder, clock, uuid: randomUUID })
            const key = newKey(store)
            const { userId } = newUser(store)
            const studies = [0, 1, 2].map(
              (at) =>
                studyService.createStudy(store, key, 'scribe', {
                  ...{ studyInstanceUid: `1.2.${at}`, studyDescription: 'CT', severity: 'normal' },
                }).record,
            )
            let deliveries = open()

            function open(): TestDeliveries {
              reportedErrors(store, faults)
              const eventLog = new EventLog(store)
              return new TestDeliveries(store, requester, {
                random: Math.random,
                dataOf: (id) => deliveryData(store, 'https://gateway.example', id),
                destinationOf: () =>
                  isOff
                    ? { whyNot: verbatim('its endpoint is disabled') }
                    : { endpointId: 'partner' },
                attempted: recordEvents(eventLog, clock).attempted,
                onGone: () => {
                  isOff = true
                },
              })
            }
            function sign(study: number): void {
              const { studyId, studyInstanceUid } = studies[study] ?? {
                studyId: '',
                studyInstanceUid: '',
              }
              const text = `Report ${signed.length} of study ${study}: nothing abnormal.`
              const eventId = idFromUuid('whe', randomUUID())
              const isAddendum = signed.some((other) => other.study === study)
              const reportId = store.database.transaction(() => {
                const reportId = completedReport(store, {
                  studyId,
                  userId,
                  plainText: text,
                  isAddendum,
                })
                new EventLog(store).begin({
                  ...{
                    eventId,
                    type: REPORT_DELIVERED,
                    endpointId: 'partner',
                    subject: reportId,
                    studyInstanceUid,
                    apiKeyId: null,
                  },
                })
                const payload = { eventId, reportId }
                addOutboxJob(store.database, {
                  kind: REPORT_DELIVERED,
                  subject: reportId,
                  lane: studyId,
                  payload,
                  at: instantOf(clock()),
                })
                return reportId
              })
              signed.push({ reportId, eventId, study, text, taken: 0, isDropped: false })
            }
            function drop(report: Signed | undefined): void {
              if (
                report &&
                dropOutboxJobs(
                  store.database,
                  REPORT_DELIVERED,
                  report.reportId,
                  instantOf(clock()),
                ) > 0
              )
                report.isDropped = true
            }
            onCall = (request, response) => {
              const got = withoutLink(request)
              const at = signed.findIndex(({ eventId }) => eventId === got.header)
              const report = signed[at]
              if (!report) throw new Error('an event of nothing')
              // What was sent once is what is sent always: nothing is told twice in different
              // words.
              expect(sent.get(report.eventId) ?? got).toEqual(got)
              sent.set(report.eventId, got)
              expect(got).toMatchObject({ id: report.eventId, type: REPORT_DELIVERED })
              expect(got.data).toMatchObject({ reportId: report.reportId, plainText: report.text })
              for (const earlier of signed.slice(0, at))
                if (earlier.study === report.study)
                  expect(earlier.taken > 0 || earlier.isDropped).toBe(true)
              const answer = script.shift() ?? 'takes'
              if (answer === 'takes, and we crash' && crashed === undefined) {
                crashed = join(root.folder, String(++folders))
                mkdirSync(crashed)
                cpSync(folder, crashed, {
                  recursive: true,
                  filter: (file) => !file.endsWith('-shm'),
                })
                crashes++
              }
              if (answer === 'dropped') drop(report)
              if (answer.startsWith('takes')) report.taken++
              PARTNER[answer](response)
            }
            /** What is due is done; a run that crashed meanwhile is followed by the next one. */
            async function settled(): Promise<void> {
              deliveries.wake()
              await deliveries.settled()
              if (crashed === undefined) return
              await deliveries[Symbol.asyncDispose]()
              store[Symbol.dispose]()
              folder = crashed
              crashed = undefined
              store = openContext({ folder, clock, uuid: randomUUID, check: 'done' })
              // What a person gave up after the moment of the crash is waiting again.
              for (const report of signed)
                if (report.isDropped)
                  report.isDropped =
                    findLatestOutboxJob(store.database, REPORT_DELIVERED, report.reportId)
                      ?.state === 'dropped'
              deliveries = open()
              await settled()
            }

            for (const step of steps) {
              if (step.do === 'sign') sign(step.study)
              else if (step.do === 'pass') clock.pass(step.ms)
              else if (step.do === 'drop') drop(signed[step.report])
              else if (step.do === 'switch on') isOff = false
              else if (step.do === 'press retry') deliveries.retry()
              else {
                await deliveries[Symbol.asyncDispose]()
                store[Symbol.dispose]()
                store = openContext({ folder, clock, uuid: randomUUID, check: 'done' })
                deliveries = open()
              }
              await settled()
              for (const { reportId } of signed)
                expect(
                  findLatestOutboxJob(store.database, REPORT_DELIVERED, reportId)?.state,
                ).not.toBe('failed')
            }
            // The partner is well again in the end: everything that was not given up gets there,
            // within the longest wait between two attempts.
            script.length = 0
            isOff = false
            for (
              let days = 0;
              listWaitingOutboxJobs(store.database, REPORT_DELIVERED).length > 0;
              days++
            ) {
              expect(days).toBeLessThan(signed.length + 2)
              clock.pass(27 * HOUR)
              await settled()
            }
            for (const { reportId, eventId, taken, isDropped } of signed) {
              const state = findLatestOutboxJob(store.database, REPORT_DELIVERED, reportId)?.state
              expect(state).toBe(isDropped ? 'dropped' : 'sent')
              const event = findEvent(store.database, eventId)
              if (!isDropped) expect(event?.state).toBe('done')
              if (!isDropped) expect(taken).toBeGreaterThanOrEqual(1)
              // Told twice only where a crash came between the partner's answer and its record.
              expect(taken).toBeLessThanOrEqual(1 + crashes)
            }
            expect(faults).toEqual([])
            await deliveries[Symbol.asyncDispose]()
            store[Symbol.dispose]()
          },
        ),
        runs(18),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})

const PARTNER: Readonly<Record<Answer, (response: ServerResponse) => void>> = {
  takes: (response) => void sendJson(response, { success: true }),
  'takes, and we crash': (response) => void sendJson(response, { success: true }),
  'says no': (response) => void sendJson(response, { success: false, message: 'not now' }),
  'is busy': (response) => void sendJson(response, {}, 503),
  'is gone': (response) => void sendJson(response, {}, 410),
  'breaks off': (response) => void response.destroy(),
  dropped: (response) => void sendJson(response, {}, 503),
}
