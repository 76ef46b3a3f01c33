import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { ClosedStep } from '#shared/contract/worklist.ts'

type Step = Pick<ClosedStep, 'studyInstanceUid' | 'scheduledProcedureStepId'>

/** Steps marked here as done or cancelled: a stored answer no longer serves them. */
export interface ClosedSteps {
  list(): ClosedStep[]
  has(studyInstanceUid: string, scheduledProcedureStepId: string): boolean
  close(step: Step & { readonly reason: string }, actor: Actor): ClosedStep
  /** Whether it was closed. */
  reopen(step: Step, actor: Actor): boolean
}

export function openClosedSteps(deps: DomainDeps): ClosedSteps {
  const { store, clock } = deps
  const targetOf = (step: Step) => `${step.studyInstanceUid} ${step.scheduledProcedureStepId}`
  return {
    list: () => store.closedSteps.list(),
    has: (studyInstanceUid, scheduledProcedureStepId) =>
      store.closedSteps.has(studyInstanceUid, scheduledProcedureStepId),
    close: ({ studyInstanceUid, scheduledProcedureStepId, reason }, actor) =>
      store.database.transaction(() => {
        const step = {
          studyInstanceUid,
          scheduledProcedureStepId,
          closedAt: instantOf(clock()),
          reason,
        }
        store.closedSteps.close(step)
        note(deps.store, actor, 'step.close', targetOf(step), { reason })
        return step
      }),
    reopen: (step, actor) =>
      store.database.transaction(() => {
        const wasClosed = store.closedSteps.reopen(
          step.studyInstanceUid,
          step.scheduledProcedureStepId,
        )
        if (wasClosed) note(deps.store, actor, 'step.reopen', targetOf(step))
        return wasClosed
      }),
  }
}
