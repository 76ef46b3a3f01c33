import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  listStepStatuses,
  listStudiesWithSteps,
  type StepStatus,
  stepCache,
} from './performed-step-queries.ts'

/**
 * started and completed are reported by MPPS. received means that no MPPS refers to the step, but
 * its images are here and their study is complete.
 */
export type StepState = 'started' | 'completed' | 'received'

export type PerformedSteps = ReturnType<typeof openPerformedSteps>

const STATES: Readonly<Record<StepStatus['status'], StepState | undefined>> = {
  'IN PROGRESS': 'started',
  COMPLETED: 'completed',
  DISCONTINUED: undefined,
  RECEIVED: 'received',
}
/** Maximum number of cached studies; more than any clinic has in progress. */
const MAX_CACHED_STUDIES = 10_000
/** How far back steps are loaded; a worklist covers at most a month. */
const STEP_HISTORY_MS = 92 * 24 * 60 * 60_000

/**
 * Provides the state of worklist steps from memory, because it is needed for every row of a
 * worklist. Late images of a complete study do not change its steps.
 */
export function openPerformedSteps(context: Context) {
  const { database } = context
  const cache = stepCache(database)

  function statusesOf(studyInstanceUid: string): ReadonlyMap<string, StepStatus> {
    const studies =
      cache.studies ??
      new Set(listStudiesWithSteps(database, instantOf(context.clock() - STEP_HISTORY_MS)))
    // Not cached within a transaction, which may be rolled back.
    if (!database.inTransaction) cache.studies = studies
    if (!studies.has(studyInstanceUid)) return NO_STEPS
    const known = cache.byStudy.get(studyInstanceUid)
    if (known) return known
    const statuses = new Map(
      listStepStatuses(database, studyInstanceUid).map((one) => [
        one.scheduledProcedureStepId,
        one,
      ]),
    )
    if (database.inTransaction) return statuses
    if (cache.byStudy.size >= MAX_CACHED_STUDIES) cache.byStudy.clear()
    cache.byStudy.set(studyInstanceUid, statuses)
    return statuses
  }

  const find = (studyInstanceUid: string, scheduledProcedureStepId: string) => {
    const status = statusesOf(studyInstanceUid).get(scheduledProcedureStepId)
    return status && STATES[status.status] ? status : undefined
  }

  return {
    /**
     * The state of a step; undefined if it is scheduled. A step whose last MPPS was discontinued is
     * scheduled again.
     */
    stateOf(studyInstanceUid: string, scheduledProcedureStepId: string): StepState | undefined {
      const status = find(studyInstanceUid, scheduledProcedureStepId)
      return status && STATES[status.status]
    },
    /** When the step reached its state, as an instant. */
    since: (studyInstanceUid: string, scheduledProcedureStepId: string): string | undefined =>
      find(studyInstanceUid, scheduledProcedureStepId)?.since,
    /** Incremented whenever a result of `stateOf` changes. */
    get version() {
      return cache.version
    },
  }
}

const NO_STEPS: ReadonlyMap<string, StepStatus> = new Map()
