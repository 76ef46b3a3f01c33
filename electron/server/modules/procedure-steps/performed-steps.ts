import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { PerformedStatus, StepStanding } from './performed-step-queries.ts'

/**
 * started, completed: by MPPS; received: its images are here and their study settled, where no MPPS
 * speaks of it.
 */
export type StepState = 'started' | 'completed' | 'received'

/** How far the steps of the worklist are. */
export interface PerformedSteps {
  /**
   * From memory (it is asked for every row of a worklist). Undefined: scheduled, which a step whose
   * last MPPS was discontinued is again. Late images of a settled study leave its steps received.
   */
  stateOf(studyInstanceUid: string, scheduledProcedureStepId: string): StepState | undefined
  /** When it got there, an instant. */
  since(studyInstanceUid: string, scheduledProcedureStepId: string): string | undefined
  /** Grows with every change of what `stateOf` says. */
  readonly version: number
  /**
   * A performed step changed, or a study settled, got or lost instances; for whoever writes it, in
   * its transaction.
   */
  changed(): void
}

const STATES: Readonly<Record<StepStanding['status'], StepState | undefined>> = {
  'IN PROGRESS': 'started',
  COMPLETED: 'completed',
  DISCONTINUED: undefined,
  RECEIVED: 'received',
} satisfies Record<PerformedStatus | 'RECEIVED', StepState | undefined>
/** Studies remembered with their steps: more than any clinic has under way. */
const MOST_STUDIES = 10_000
/** A worklist reaches a month back at most (dicom-field §2.6). */
const RECENT_MS = 92 * 24 * 60 * 60_000

interface Standing {
  readonly state: StepState
  readonly since: string
}

export function openPerformedSteps({
  store,
  clock,
}: Pick<DomainDeps, 'store' | 'clock'>): PerformedSteps {
  const { database } = store
  const known = new Map<string, ReadonlyMap<string, Standing>>()
  /** Every study that anything is known of: most rows of a worklist are of none of them. */
  let spokenOf: Set<string> | undefined
  let version = 0

  function ofStudy(studyInstanceUid: string): ReadonlyMap<string, Standing> {
    const spoken = spokenOf ?? new Set(store.performedSteps.studies(instantOf(clock() - RECENT_MS)))
    // What an open transaction shows may yet be rolled back.
    if (!database.inTransaction) spokenOf = spoken
    if (!spoken.has(studyInstanceUid)) return NOTHING
    const before = known.get(studyInstanceUid)
    if (before) return before
    const standing = store.performedSteps
      .standing(studyInstanceUid)
      .flatMap(({ scheduledProcedureStepId, status, since }) => {
        const state = STATES[status]
        return state === undefined ? [] : [[scheduledProcedureStepId, { state, since }] as const]
      })
    const steps = standing.length === 0 ? NOTHING : new Map(standing)
    if (database.inTransaction) return steps
    if (known.size >= MOST_STUDIES) known.clear()
    known.set(studyInstanceUid, steps)
    return steps
  }

  const find = (studyInstanceUid: string, scheduledProcedureStepId: string) =>
    ofStudy(studyInstanceUid).get(scheduledProcedureStepId)

  return {
    stateOf: (studyInstanceUid, scheduledProcedureStepId) =>
      find(studyInstanceUid, scheduledProcedureStepId)?.state,
    since: (studyInstanceUid, scheduledProcedureStepId) =>
      find(studyInstanceUid, scheduledProcedureStepId)?.since,
    get version() {
      return version
    },
    changed() {
      known.clear()
      spokenOf = undefined
      database.afterCommit(() => {
        version++
      })
    },
  }
}

const NOTHING: ReadonlyMap<string, Standing> = new Map()
