import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLatestOutboxJob } from '#server/jobs/outbox-queries.ts'
import { EventLog } from '#server/modules/events/log.ts'
import type { EnrichmentAnswer } from '#server/modules/images/study-values.ts'
import { readReportPdf } from '#server/modules/reports/report-document-queries.ts'
import {
  findCriticalResult,
  findDraft,
  findReport,
  listReportEntries,
  listReports,
} from '#server/modules/reports/report-queries.ts'
import { signReport } from '#server/modules/reports/report-signing.ts'
import { scribeStudyReply } from '#server/modules/reports/scribe-routes.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import {
  findStudy,
  findStudyByUid,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { windowStudy } from '#server/modules/study-lists/row.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { REPORT_CHECKS } from '#shared/contract/reports.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { linksOf } from '../../../../support/links.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { image, openStage } from '../images/intake-fixture.ts'
import { boundReports, inputAsPdf } from '../reports/reports-fixture.ts'

// A study's life by the interface, the window, the devices and the partner's enrichment, all on one
// store: what must hold whatever comes in whatever order. The rules are written here once more and
// not read from the tables.

const MINUTE = 60_000

/**
 * Where each thing that is done may lead: status before, status after; '-' is no study yet. What is
 * not here is refused, and changes nothing.
 */
const MOVES: Readonly<Record<string, string>> = {
  create: '-:unassigned -:assigned',
  patch: '',
  assign: 'unassigned:assigned assigned:assigned completed:completed',
  unassign: 'assigned:unassigned unassigned:unassigned completed:completed',
  reroute: 'unassigned:assigned assigned:assigned completed:completed',
  cancel: '',
  uncancel: '',
  image: '',
  settle: '-:unassigned',
  ask: '',
  pass: '-:unassigned',
  begin:
    'unassigned:in_progress assigned:in_progress in_progress:in_progress addendum_active:addendum_active',
  save: 'in_progress:in_progress addendum_active:addendum_active',
  sign: 'in_progress:completed addendum_active:completed',
  startAddendum: 'completed:addendum_active',
  cancelAddendum: 'addendum_active:completed',
}
/** These leave a cancelled study as it is. */
const ASSIGNING = ['assign', 'unassign', 'reroute']
const OF_THE_LIVING = [...ASSIGNING, 'begin', 'save', 'sign', 'startAddendum']

const weights: Readonly<Record<string, number>> = {
  image: 3,
  settle: 2,
  begin: 5,
  save: 5,
  sign: 6,
  startAddendum: 3,
  patch: 3,
  create: 2,
}
const stepArbitrary = fc.record({
  do: fc.oneof(
    ...Object.keys(MOVES).map((name) => ({
      weight: weights[name] ?? 1,
      arbitrary: fc.constant(name),
    })),
  ),
  who: fc.nat({ max: 1 }),
  number: fc.nat({ max: 3 }),
  severity: fc.constantFrom(...SEVERITIES),
  takeOver: fc.boolean(),
})
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never
const partnerArbitrary = fc.option(
  fc.constantFrom<EnrichmentAnswer>(
    {},
    { severity: 'stat' },
    { studyDescription: 'Said by the partner', mrn: 'M-1' },
  ),
  {
    nil: undefined,
  },
)

describe('the life of a study', () => {
  it(
    'never changes what is signed, stays cancelled, counts truly, is audited throughout, and is read as it was written',
    async () => {
      let partner: EnrichmentAnswer | undefined
      await using stage = await openStage({
        async askEnrichment() {
          if (partner === undefined)
            throw new WebhookError('timeout', verbatim('no answer within 5 s'))
          return partner
        },
      })
      const { store, clock } = stage
      const deps = { store, clock, uuid: randomUUID }
      const links = linksOf(store)
      const studies = bound(studyService, deps.store)
      const events = new EventLog(deps.store)
      const { writing } = boundReports(store)
      const key = newKey(store)
      const people = [newUser(store), newUser(store)].map((user) => ({
        caller: atTheWindow(user),
        userId: user.userId,
        windowId: randomUUID(),
      }))
      const chain = store.audit.chain()
      let lives = 0

      await fc.assert(
        fc.asyncProperty(
          fc.array(stepArbitrary, { minLength: 5, maxLength: 45 }),
          partnerArbitrary,
          async (steps, answer) => {
            partner = answer
            const studyInstanceUid = `1.2.826.0.${++lives}`
            let connections = 0
            const associationId = () => `life-${lives}-${connections}`
            const images = new Set<number>()
            /** What a person or the interface said: nobody else changes it. */
            const said: { severity?: string; studyDescription?: string; mrn?: string | null } = {}
            const signed = new Map<string, string>()
            const recordOf = () => findStudyByUid(store.database, 'scribe', studyInstanceUid)
            const read = () => {
              const record = recordOf()
              return record && studyService.readStudy(store, key, 'scribe', record.studyId)
            }
            const idOf = () => recordOf()?.studyId ?? 'stu_00000000000000000000000000000000'
            const reportAt = (number: number) => {
              const all = listReports(store.database, idOf())
              return (
                all[number % Math.max(1, all.length)]?.reportId ??
                'rep_00000000000000000000000000000000'
              )
            }
            const frozen = (reportId: string) =>
              JSON.stringify([
                findReport(store.database, reportId),
                readReportPdf(store.database, reportId)?.toString('base64'),
                findCriticalResult(store.database, reportId) ?? null,
              ])
            const imageOf = (number: number) =>
              image(number, {
                ...{
                  StudyInstanceUID: studyInstanceUid,
                  SeriesInstanceUID: `${studyInstanceUid}.1`,
                },
                SOPInstanceUID: `${studyInstanceUid}.1.${number + 1}`,
              })

            const does: Readonly<
              Record<string, (step: Step, who: (typeof people)[number]) => unknown>
            > = {
              create({ severity, number }, { userId }) {
                const assignedTo = number === 0 ? userId : undefined
                const given = {
                  studyDescription: `Made ${number}`,
                  severity,
                  reportMetadata: { mrn: `A-${number}` },
                }
                studies.createStudy(key, 'scribe', {
                  studyInstanceUid,
                  ...given,
                  ...(assignedTo && { assignedTo }),
                })
                Object.assign(said, {
                  severity,
                  studyDescription: given.studyDescription,
                  mrn: given.reportMetadata.mrn,
                })
              },
              patch({ severity, number }) {
                const patch = [
                  { severity },
                  { studyDescription: `Patched ${number}` },
                  { reportMetadata: { mrn: `B-${number}` } },
                  { severity, reportMetadata: { mrn: null } },
                ][number]
                studies.updateStudy(key, 'scribe', idOf(), patch ?? {})
                const { reportMetadata, ...open } = { reportMetadata: undefined, ...patch }
                Object.assign(
                  said,
                  open,
                  reportMetadata && { mrn: (reportMetadata as { mrn: string | null }).mrn },
                )
              },
              assign: (_, { userId }) =>
                studies.updateStudy(key, 'scribe', idOf(), { assignedTo: userId }),
              unassign: () => studies.updateStudy(key, 'scribe', idOf(), { assignedTo: null }),
              reroute: (_, { userId }) =>
                links.reroute(key, { studyInstanceUid, assignedToUserId: userId }),
              cancel: () => studies.cancelStudy(key, 'scribe', { studyInstanceUid }).success,
              uncancel: () => studies.uncancelStudy(key, 'scribe', { studyInstanceUid }).success,
              async image({ number }) {
                const { status } = await stage.send(imageOf(number), {
                  association: { associationId: associationId() },
                })
                expect(status).toBe(0)
                images.add(number)
              },
              async settle() {
                stage.intake.completion.associationClosed(associationId(), {
                  kind: 'released',
                  detail: null,
                })
                connections++
                await stage.pass(61_000)
              },
              ask: () => stage.intake.creation.retry(studyInstanceUid),
              pass: () => stage.pass(7 * MINUTE),
              begin: ({ takeOver }, { caller, windowId }) =>
                writing.beginReport(caller, idOf(), { windowId, takeOver, text: '' }),
              save({ number }, { caller, windowId }) {
                const text = `Findings:\nThe lungs are clear.\nImpression:\nNormal chest ${number}.`
                const { revision } = findDraft(store.database, idOf()) ?? { revision: 0 }
                const saved = writing.saveReport(caller, idOf(), { windowId, revision, text })
                expect(saved.outcome).toBe('saved')
                expect(findDraft(store.database, idOf())?.plainText).toBe(text)
              },
              async sign({ number }, { caller, windowId }) {
                const draft = findDraft(store.database, idOf())
                const isCritical = number === 3
                const result = await signReport(
                  ...([store, events, caller, idOf()] as const),
                  {
                    ...{ windowId, revision: draft?.revision ?? 0, isCritical },
                    finding: isCritical ? 'Something urgent' : null,
                    ...{ communication: null, acknowledged: REPORT_CHECKS },
                  },
                  inputAsPdf,
                )
                if (result.outcome !== 'signed') return false
                expect(findReport(store.database, result.reportId)?.plainText).toBe(
                  draft?.plainText,
                )
                signed.set(result.reportId, frozen(result.reportId))
                return true
              },
              startAddendum: ({ number }, { caller }) =>
                writing.startAddendum(caller, reportAt(number)).success,
              cancelAddendum: ({ number }, { caller }) =>
                writing.cancelOwnAddendum(caller, reportAt(number)).success,
            }

            /** The move of the lifecycle that a step may make, and what a cancelled study stays. */
            function expectLawful(
              { do: name }: Step,
              isDone: boolean,
              was: StudyRecord | undefined,
              is: StudyRecord | undefined,
            ): void {
              const seen = [name, isDone, was?.status, is?.status]
              const move = `${was?.status ?? '-'}:${is?.status ?? '-'}`
              const isItsMove = MOVES[name]?.split(' ').includes(move)
              expect([...seen, was?.status === is?.status || isItsMove]).toEqual([...seen, true])
              // To assign whom it is assigned to already is no move.
              const isMove = was?.assignedTo !== is?.assignedTo || !ASSIGNING.includes(name)
              if (isDone && isMove && OF_THE_LIVING.includes(name))
                expect([...seen, isItsMove]).toEqual([...seen, true])
              // Cancelled stays, until it is taken back, and nobody works on it meanwhile.
              if (was && was.cancelledAt !== null) {
                expect([...seen, is?.cancelledAt]).toEqual([
                  ...seen,
                  isDone && name === 'uncancel' ? null : was.cancelledAt,
                ])
                const isHarmless =
                  !OF_THE_LIVING.includes(name) ||
                  !isDone ||
                  (was.assignedTo === is?.assignedTo && was.status === is?.status)
                expect([...seen, isHarmless]).toEqual([...seen, true])
              } else if (is)
                expect([...seen, is.cancelledAt !== null]).toEqual([
                  ...seen,
                  isDone && name === 'cancel',
                ])
              // A study is not made twice, and not another one.
              if (was)
                expect([is?.studyId, is?.createdAt, is?.createdByApiKeyId]).toEqual([
                  was.studyId,
                  was.createdAt,
                  was.createdByApiKeyId,
                ])
            }

            function expectReadAsSaid(after: ReturnType<typeof read>): void {
              if (!after) return
              const is = after.record
              const { severity, studyDescription } = is
              const mrn = is.detail.reportMetadata?.mrn ?? null
              expect({ severity, studyDescription, mrn, ...said }).toEqual({
                severity,
                studyDescription,
                mrn,
              })
              expect(scribeStudyReply(store, after).reportIds).toEqual(
                listReportEntries(store.database, is.studyId).map(
                  ({ signedAt: _, ...entry }) => entry,
                ),
              )
              expect(findStudy(store.database, is.studyId)).toEqual(is)
            }

            /** What is signed stands, once each, and is on its way once each. */
            function expectSignedStands(is: StudyRecord | undefined): void {
              const ofStudy = listReports(store.database, idOf())
              const completed = ofStudy.filter(({ status }) => status === 'completed')
              expect(completed.map(({ reportId }) => reportId)).toEqual([...signed.keys()])
              for (const [reportId, then] of signed) {
                expect(frozen(reportId)).toBe(then)
                expect(
                  findLatestOutboxJob(store.database, 'report.delivered', reportId),
                ).toMatchObject({
                  state: 'waiting',
                  lane: is?.studyId,
                })
              }
              expect(ofStudy.filter(({ isAddendum }) => !isAddendum).length).toBeLessThanOrEqual(1)
              expect(ofStudy.length - completed.length).toBe(
                is && ['in_progress', 'addendum_active'].includes(is.status) ? 1 : 0,
              )
            }

            function expectCountsOfWhatIsHere(is: StudyRecord | undefined): void {
              const counted = findImageStudy(store.database, studyInstanceUid)
              expect([counted?.instances ?? 0, counted?.series ?? 0]).toEqual([
                images.size,
                Math.min(images.size, 1),
              ])
              expect(
                Math.min(counted?.missing ?? 0, counted?.quarantined ?? 0, counted?.bytes ?? 0),
              ).toBeGreaterThanOrEqual(0)
              if (is) expect(windowStudy(store, is).images?.instances ?? 0).toBe(images.size)
            }

            const newestEntry = () => store.audit.list({ limit: 1 }).items[0]?.seq ?? 0
            for (const step of steps) {
              const before = read()
              const audited = newestEntry()
              const isDone = await holds(() =>
                does[step.do]?.(step, people[step.who] as (typeof people)[number]),
              )
              const after = read()
              // Who is refused has changed nothing.
              if (!isDone) expect([step.do, after]).toEqual([step.do, before])
              expectLawful(step, isDone, before?.record, after?.record)
              // Each change has its entry.
              if (JSON.stringify(before) !== JSON.stringify(after))
                expect([step.do, newestEntry()]).not.toEqual([step.do, audited])
              expect([step.do, chain.advance(1000)]).toEqual([
                step.do,
                { isIntact: true, entries: chain.entries },
              ])
              expectReadAsSaid(after)
              expectSignedStands(after?.record)
              expectCountsOfWhatIsHere(after?.record)
            }
            expect(stage.errors).toEqual([])
          },
        ),
        runs(30),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})

/** Whether it is done; a refusal by a rule is not, any other fault is the test's. */
async function holds(work: () => unknown): Promise<boolean> {
  try {
    return (await work()) !== false
  } catch (error) {
    if (error instanceof ApiError && ['refused', 'not-found', 'not-permitted'].includes(error.code))
      return false
    throw error
  }
}
