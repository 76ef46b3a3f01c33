import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { ClosedStep } from '#shared/contract/worklist.ts'
import { deleteClosedStep, insertClosedStep } from './closed-step-queries.ts'

type Step = Pick<ClosedStep, 'studyInstanceUid' | 'scheduledProcedureStepId'>

/* Steps that staff marked as done or cancelled, which a stored answer no longer serves. */

export const closeStep = (
  context: Context,
  { studyInstanceUid, scheduledProcedureStepId, reason }: Step & { readonly reason: string },
  actor: Actor,
): ClosedStep =>
  context.database.transaction(() => {
    const step = {
      studyInstanceUid,
      scheduledProcedureStepId,
      closedAt: instantOf(context.clock()),
      reason,
    }
    insertClosedStep(context.database, step)
    note(context, actor, 'step.close', targetOf(step), { reason })
    return step
  })

/** Reopens a step. Returns whether it was closed. */
export const reopenStep = (context: Context, step: Step, actor: Actor): boolean =>
  context.database.transaction(() => {
    const wasClosed = deleteClosedStep(
      context.database,
      step.studyInstanceUid,
      step.scheduledProcedureStepId,
    )
    if (wasClosed) note(context, actor, 'step.reopen', targetOf(step))
    return wasClosed
  })

const targetOf = (step: Step) => `${step.studyInstanceUid} ${step.scheduledProcedureStepId}`
