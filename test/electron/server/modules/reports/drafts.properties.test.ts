import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLatestOutboxJob } from '#server/jobs/outbox-queries.ts'
import type { ReportPdfInput } from '#server/modules/reports/report-pdf-layout.ts'
import {
  findDraft,
  findReport,
  listReportRevisions,
  listReports,
} from '#server/modules/reports/report-queries.ts'
import { REPORT_CHECKS } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { normalizeReport } from '#shared/report-text.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { completedReport } from '../../../../support/reports.ts'
import { inputAsPdf, reportStage } from './reports-fixture.ts'

// Three windows of two people on one study, each with its own list of things to do, put in any
// order by the scheduler: also while a PDF is made for a signature. A window knows only what it was
// told: the draft it began and the revision it saw last.

const DOING = [
  'begin',
  'take over',
  'save',
  'save',
  'save',
  'sign',
  'let go',
  'stay',
  'wait',
  'start addendum',
  'cancel addendum',
  'start it anew',
] as const
type Doing = (typeof DOING)[number]

/** What a window shows. */
interface Shown {
  reportId: string
  revision: number
  text: string
}

describe('windows that write on one report', () => {
  it(
    'lose no text, overwrite none they have not seen, and sign once what they show',
    async () => {
      /** Where a signature waits for its PDF. */
      let rendering: (input: ReportPdfInput) => Promise<void> = async () => {}
      using on = reportStage({
        async renderPdf(input) {
          await rendering(input)
          return inputAsPdf(input)
        },
      })
      const { store, clock, writing } = on
      const ben = on.colleague()
      let written = 0

      const windowsArbitrary = fc.array(
        fc.array(fc.constantFrom(...DOING), { minLength: 1, maxLength: 9 }),
        { minLength: 3, maxLength: 3 },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.boolean(),
          windowsArbitrary,
          async (s, isSigned, plans) => {
            const { studyId } = on.newStudy()
            const draftNow = () => findDraft(store.database, studyId)
            /** Texts of each draft by revision, as they were answered for. */
            const saved = new Map<string, Map<number, string>>()
            const signed = new Map<string, string>()
            // Half of the studies have a report already, and an addendum to it is begun.
            const first = isSigned
              ? completedReport(store, { studyId, userId: on.user.userId })
              : undefined
            if (first !== undefined) {
              signed.set(first, JSON.stringify(findReport(store.database, first)))
              on.reports.startAddendum(on.key, first)
            }
            rendering = async ({ reportId }) => {
              await s.schedule(Promise.resolve(), `PDF of ${reportId}`)
            }

            function window(at: number) {
              const caller = at === 2 ? ben : on.radiologist
              const windowId = randomUUID()
              let shown: Shown | undefined

              /** What the window sees after it was let in. */
              function look(): void {
                const draft = draftNow()
                if (draft)
                  shown = {
                    reportId: draft.reportId,
                    revision: draft.revision,
                    text: draft.plainText ?? '',
                  }
              }
              const can: Readonly<Record<Doing, () => unknown>> = {
                begin() {
                  writing.beginReport(caller, studyId, { windowId, takeOver: false, text: '' })
                  look()
                },
                'take over'() {
                  writing.beginReport(caller, studyId, { windowId, takeOver: true, text: '' })
                  look()
                },
                save() {
                  if (!shown) return
                  const text = `Findings:\nClear.\nImpression:\nNormal, as written ${++written}.`
                  const before = draftNow()
                  const { reportId, revision } = shown
                  const result = writing.saveReport(caller, studyId, {
                    windowId,
                    reportId,
                    revision,
                    text,
                  })
                  if (result.outcome === 'conflict') {
                    // What the other window wrote is shown to this one, whole.
                    expect(result.theirs).toMatchObject({
                      reportId: before?.reportId,
                      revision: before?.revision,
                      text: before?.plainText ?? '',
                    })
                    shown = {
                      reportId: result.theirs.reportId,
                      revision: result.theirs.revision,
                      text: result.theirs.text,
                    }
                    return
                  }
                  // It was the newest text that this window showed, and of this draft: nothing is
                  // written over unseen.
                  expect([before?.reportId, before?.revision, before?.plainText ?? '']).toEqual([
                    shown.reportId,
                    revision,
                    shown.text,
                  ])
                  expect(result.revision).toBe(revision + 1)
                  const texts = saved.get(shown.reportId) ?? new Map<number, string>()
                  saved.set(shown.reportId, texts.set(result.revision, text))
                  shown = { ...shown, revision: result.revision, text }
                },
                async sign() {
                  if (!shown) return
                  const showing = shown
                  const { reportId, revision } = showing
                  const order = {
                    windowId,
                    reportId,
                    revision,
                    isCritical: false,
                    finding: null,
                    communication: null,
                    acknowledged: REPORT_CHECKS,
                  }
                  const result = await writing.sign(caller, studyId, order)
                  if (result.outcome !== 'signed') return
                  expect(signed.has(result.reportId)).toBe(false)
                  expect(result.reportId).toBe(showing.reportId)
                  const report = findReport(store.database, result.reportId)
                  // Signed is what whoever signed had before them.
                  expect(report?.plainText).toBe(normalizeReport(showing.text))
                  expect(report?.signer?.userId).toBe(caller.user.userId)
                  signed.set(result.reportId, JSON.stringify(report))
                },
                'let go': () =>
                  writing.updateReportLock(caller, studyId, { windowId, isWriting: false }),
                stay: () =>
                  writing.updateReportLock(caller, studyId, { windowId, isWriting: true }),
                wait: () => clock.pass(61_000),
                'start addendum'() {
                  const [first] = signed.keys()
                  if (first !== undefined) on.reports.startAddendum(on.key, first)
                },
                'cancel addendum'() {
                  const [first] = signed.keys()
                  const draft = draftNow()
                  if (first !== undefined && on.reports.cancelAddendum(on.key, first).success)
                    saved.delete(draft?.reportId ?? '')
                },
                'start it anew'() {
                  can['cancel addendum']()
                  can['start addendum']()
                },
              }
              return can
            }

            const running = plans.map(async (plan, at) => {
              const can = window(at)
              for (const doing of plan) {
                await s.schedule(Promise.resolve(), `window ${at}: ${doing}`)
                await holds(can[doing])
                check()
              }
            })
            function check(): void {
              const all = listReports(store.database, studyId)
              expect(
                all
                  .filter(({ status }) => status === 'completed')
                  .map(({ reportId }) => reportId)
                  .sort(),
              ).toEqual([...signed.keys()].sort())
              for (const [reportId, then] of signed)
                expect(JSON.stringify(findReport(store.database, reportId))).toBe(then)
              const draft = draftNow()
              if (!draft) return
              // Every text that was answered for is kept, as long as there is a draft of it.
              const texts = saved.get(draft.reportId) ?? new Map<number, string>()
              expect(
                new Map(
                  listReportRevisions(store.database, draft.reportId).map(({ revision, text }) => [
                    revision,
                    text,
                  ]),
                ),
              ).toEqual(texts)
              expect(draft.plainText ?? '').toBe(texts.get(draft.revision) ?? '')
            }
            await s.waitFor(Promise.all(running))
            const signatures = store.audit
              .of([...signed.keys(), studyId], 1000)
              .filter(({ action }) => action === 'report.sign')
            expect(signatures.map(({ target }) => target).sort()).toEqual(
              [...signed.keys()].filter((id) => id !== first).sort(),
            )
            for (const { target } of signatures)
              expect(findLatestOutboxJob(store.database, 'report.delivered', target)?.lane).toBe(
                studyId,
              )
          },
        ),
        runs(60),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})

/** A refusal by a rule is an answer. */
async function holds(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (
      !(error instanceof ApiError) ||
      !['refused', 'not-found', 'unavailable'].includes(error.code)
    )
      throw error
  }
}
