import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deleteReport, listReports } from '#server/modules/reports/report-queries.ts'
import * as reportService from '#server/modules/reports/reports.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import type { StudyReportStatus } from '#shared/lifecycle.ts'
import { bound } from '../../../../support/bound.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { linksOf } from '../../../../support/links.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { completedReport, draftReport } from '../../../../support/reports.ts'
import { tempStore } from '../../../../support/temp-store.ts'

// The states of a scribe study by random operations against a model that does not read the
// tables of the gateway.

interface Model {
  status: StudyReportStatus
  user: number | null
  isCancelled: boolean
  reports: ('draft' | 'completed' | 'addendum draft' | 'addendum')[]
}
type Step = { readonly do: string; readonly user: number; readonly report: number }

const AT_WORK: readonly StudyReportStatus[] = ['in_progress', 'addendum_active']

/** What the operation answers, after the model has moved. */
const MODEL: Readonly<Record<string, (model: Model, step: Step) => boolean>> = {
  assign: (model, { user }) => assigned(model, user),
  unassign: (model) => assigned(model, null),
  reroute(model, { user }) {
    if (model.isCancelled) return false
    if (model.status === 'completed' || model.user === user) return true
    return assigned(model, user)
  },
  cancel(model) {
    model.isCancelled = true
    return true
  },
  uncancel(model) {
    const was = model.isCancelled
    model.isCancelled = false
    return was
  },
  dictate(model, { user }) {
    if (model.isCancelled || !['unassigned', 'assigned'].includes(model.status)) return false
    Object.assign(model, { status: 'in_progress', user: model.user ?? user })
    model.reports.push('draft')
    return true
  },
  sign(model) {
    if (!AT_WORK.includes(model.status)) return false
    model.status = 'completed'
    model.reports = model.reports.map((report) =>
      report === 'draft' ? 'completed' : report === 'addendum draft' ? 'addendum' : report,
    )
    return true
  },
  startAddendum(model, { report }) {
    const on = model.reports[report % Math.max(1, model.reports.length)]
    if (
      model.isCancelled ||
      model.status !== 'completed' ||
      (on !== 'completed' && on !== 'addendum')
    )
      return false
    model.status = 'addendum_active'
    model.reports.push('addendum draft')
    return true
  },
  cancelAddendum(model, { report }) {
    const on = model.reports[report % Math.max(1, model.reports.length)]
    if (model.status !== 'addendum_active' || (on !== 'completed' && on !== 'addendum draft'))
      return false
    model.status = 'completed'
    model.reports = model.reports.filter((one) => one !== 'addendum draft')
    return true
  },
}

function assigned(model: Model, user: number | null): boolean {
  if (model.user === user) return true
  if (model.isCancelled || AT_WORK.includes(model.status)) return false
  model.user = user
  if (model.status !== 'completed') model.status = user === null ? 'unassigned' : 'assigned'
  return true
}

function stage() {
  const temp = tempStore()
  const { store } = temp
  const links = linksOf(store)
  const studies = bound(studyService, temp.store)
  const reports = bound(reportService, temp.store)
  const key = newKey(store)
  const users = [newUser(store), newUser(store)].map(({ userId }) => userId)
  const { studyId } = studies.createStudy(key, 'scribe', {
    studyInstanceUid: '1.2.3',
    studyDescription: 'CT',
    severity: 'normal',
  }).record
  const reportAt = (at: number) => {
    const all = listReports(store.database, studyId)
    return all[at % Math.max(1, all.length)]?.reportId ?? idFromUuid('rep', randomUUID())
  }
  /** What the reporting part of the gateway will do. */
  const dictate = (user: string) => {
    const study = findStudy(store.database, studyId)
    if (
      study?.area !== 'scribe' ||
      study.cancelledAt !== null ||
      !['unassigned', 'assigned'].includes(study.status)
    )
      return false
    draftReport(store, { studyId, userId: study.assignedTo ?? user })
    const now = findStudy(store.database, studyId)
    if (now) saveStudy(store.database, { ...now, assignedTo: study.assignedTo ?? user }, now)
    return true
  }
  const sign = () => {
    const draft = listReports(store.database, studyId).find(
      ({ status }) => status === 'in_progress',
    )
    if (!draft) return false
    deleteReport(store.database, draft.reportId)
    completedReport(store, { studyId, userId: draft.userId, isAddendum: draft.isAddendum })
    return true
  }
  const user = (at: number) => users[at % users.length] ?? ''
  const real: Readonly<Record<string, (step: Step) => boolean>> = {
    assign: (step) =>
      holds(() => studies.updateStudy(key, 'scribe', studyId, { assignedTo: user(step.user) })),
    unassign: () => holds(() => studies.updateStudy(key, 'scribe', studyId, { assignedTo: null })),
    reroute: (step) =>
      holds(() => links.reroute(key, { studyId, assignedToUserId: user(step.user) })),
    cancel: () => studies.cancelStudy(key, 'scribe', { studyId }).success,
    uncancel: () => studies.uncancelStudy(key, 'scribe', { studyId }).success,
    dictate: (step) => dictate(user(step.user)),
    sign,
    startAddendum: (step) => holds(() => reports.startAddendum(key, reportAt(step.report)).success),
    cancelAddendum: (step) =>
      holds(() => reports.cancelAddendum(key, reportAt(step.report)).success),
  }
  const state = (): Model => {
    const study = studyService.readStudy(store, key, 'scribe', studyId).record
    return {
      status: study.status,
      user: study.assignedTo === null ? null : users.indexOf(study.assignedTo as never),
      isCancelled: study.cancelledAt !== null,
      reports: listReports(store.database, studyId).map(({ isAddendum, status }) =>
        isAddendum
          ? status === 'completed'
            ? 'addendum'
            : 'addendum draft'
          : status === 'completed'
            ? 'completed'
            : 'draft',
      ),
    }
  }
  return { real, state, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

/** Whether it is done; a refusal by a rule is not, any other fault is the test's. */
function holds(work: () => unknown): boolean {
  try {
    return work() !== false
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'refused' || error.code === 'not-found'))
      return false
    throw error
  }
}

describe('a scribe study', () => {
  it('moves as the rules say, by any sequence of operations', { timeout: RUNS_TIMEOUT_MS }, () => {
    const step = fc.record({
      do: fc.constantFrom(...Object.keys(MODEL)),
      user: fc.integer({ min: 0, max: 1 }),
      report: fc.nat({ max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        using on = stage()
        const model: Model = { status: 'unassigned', user: null, isCancelled: false, reports: [] }
        for (const one of steps) {
          const expected = MODEL[one.do]?.(model, one)
          expect([one, on.real[one.do]?.(one)]).toEqual([one, expected])
          expect([one, on.state()]).toEqual([one, model])
        }
      }),
      runs(60),
    )
  })
})
