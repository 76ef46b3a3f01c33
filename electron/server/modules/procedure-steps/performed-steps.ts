import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  listStepStandings,
  listStudiesWithSteps,
  type StepStanding,
  stepMemory,
} from './performed-step-queries.ts'

/**
 * started, completed: by MPPS; received: its images are here and their study is complete, where no
 * MPPS speaks of it.
 */
export type StepState = 'started' | 'completed' | 'received'

export type PerformedSteps = ReturnType<typeof openPerformedSteps>

const STATES: Readonly<Record<StepStanding['status'], StepState | undefined>> = {
  'IN PROGRESS': 'started',
  COMPLETED: 'completed',
  DISCONTINUED: undefined,
  RECEIVED: 'received',
}
/** Studies remembered with their steps: more than any clinic has under way. */
const MOST_STUDIES = 10_000
/** A worklist reaches a month back at most. */
const RECENT_MS = 92 * 24 * 60 * 60_000

/**
 * How far the steps of the worklist are, from memory: it is asked for every row of a worklist. Late
 * images of a complete study leave its steps received.
 */
export function openPerformedSteps(context: Context) {
  const { database } = context
  const memory = stepMemory(database)

  function standingsOf(studyInstanceUid: string): ReadonlyMap<string, StepStanding> {
    const studies =
      memory.studies ??
      new Set(listStudiesWithSteps(database, instantOf(context.clock() - RECENT_MS)))
    // What an open transaction shows may yet be rolled back.
    if (!database.inTransaction) memory.studies = studies
    if (!studies.has(studyInstanceUid)) return NOTHING
    const known = memory.byStudy.get(studyInstanceUid)
    if (known) return known
    const standings = new Map(
      listStepStandings(database, studyInstanceUid).map((one) => [
        one.scheduledProcedureStepId,
        one,
      ]),
    )
    if (database.inTransaction) return standings
    if (memory.byStudy.size >= MOST_STUDIES) memory.byStudy.clear()
    memory.byStudy.set(studyInstanceUid, standings)
    return standings
  }

  const find = (studyInstanceUid: string, scheduledProcedureStepId: string) => {
    const standing = standingsOf(studyInstanceUid).get(scheduledProcedureStepId)
    return standing && STATES[standing.status] ? standing : undefined
  }

  return {
    /** Undefined: scheduled, which a step whose last MPPS was discontinued is again. */
    stateOf(studyInstanceUid: string, scheduledProcedureStepId: string): StepState | undefined {
      const standing = find(studyInstanceUid, scheduledProcedureStepId)
      return standing && STATES[standing.status]
    },
    /** When it got there, an instant. */
    since: (studyInstanceUid: string, scheduledProcedureStepId: string): string | undefined =>
      find(studyInstanceUid, scheduledProcedureStepId)?.since,
    /** Grows with every change of what `stateOf` says. */
    get version() {
      return memory.version
    },
  }
}

const NOTHING: ReadonlyMap<string, StepStanding> = new Map()
