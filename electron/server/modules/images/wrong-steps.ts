import type { Context } from '#server/context.ts'
import {
  listPerformedSteps,
  type PerformedStepRecord,
} from '#server/modules/procedure-steps/performed-step-queries.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { recountInstances } from './image-study-writing-queries.ts'
import {
  findCurrentInstance,
  type InstanceRecord,
  listStepInstances,
  type OnInstanceChange,
  setInstanceState,
} from './instance-queries.ts'

/** DCM 110514, "Incorrect worklist entry selected" (PS3.16 CID 9300). */
export const WRONG_ENTRY_CODE = '110514'
const WRONG_STEP_MESSAGE = message('images.wrong-step')
const MAX_STUDIES = 500

interface StudySteps {
  readonly wrongIds: ReadonlySet<string>
  /** Whether all performed steps of the study used a wrong worklist entry. */
  readonly areAllWrong: boolean
  readonly wrongPerformedUids: ReadonlySet<string>
  /** The scheduled step of each performed step that has exactly one. */
  readonly scheduledIdByPerformedUid: ReadonlyMap<string, string>
}

/**
 * Quarantines images that were made with a wrong worklist entry, both those already received and
 * those still to come.
 */
export class WrongSteps {
  readonly #context: Context
  readonly #onChange: OnInstanceChange
  readonly #cache = new Map<string, StudySteps>()

  constructor(context: Context, onChange: OnInstanceChange) {
    this.#context = context
    this.#onChange = onChange
  }

  /**
   * Why an instance is quarantined; null if it does not belong to a wrong step. If all steps of the
   * study are wrong, an instance without step and performed step belongs to one of them, too.
   */
  faultOf(
    studyInstanceUid: string,
    scheduledProcedureStepId: string,
    performedStepUid: string,
  ): Message | null {
    const { wrongIds, areAllWrong, wrongPerformedUids } = this.#stepsOf(studyInstanceUid)
    const hasNoStepId = scheduledProcedureStepId === '' && performedStepUid === ''
    return wrongIds.has(scheduledProcedureStepId) ||
      wrongPerformedUids.has(performedStepUid) ||
      (hasNoStepId && areAllWrong)
      ? WRONG_STEP_MESSAGE
      : null
  }

  /** The scheduled step of a performed step; empty if it is unknown or there are several. */
  stepOf(studyInstanceUid: string, performedStepUid: string): string {
    return this.#stepsOf(studyInstanceUid).scheduledIdByPerformedUid.get(performedStepUid) ?? ''
  }

  /**
   * Quarantines the instances of the step. `named` are the instances that the performed step lists.
   * Returns the affected studies. Must be called within a transaction.
   */
  quarantineStep(step: PerformedStepRecord, named: readonly string[]): readonly string[] {
    const { database } = this.#context
    const byStudy = Map.groupBy(step.items, ({ studyInstanceUid }) => studyInstanceUid)
    const all = [
      ...[...byStudy].flatMap(([studyInstanceUid, items]) =>
        this.#instancesMadeIn(
          studyInstanceUid,
          items.map(({ scheduledProcedureStepId }) => scheduledProcedureStepId),
        ),
      ),
      ...named.flatMap((sopInstanceUid) => findCurrentInstance(database, sopInstanceUid) ?? []),
    ]
    const found = [...new Map(all.map((instance) => [instance.instanceId, instance])).values()]
    for (const { instanceId } of found)
      setInstanceState(database, instanceId, 'quarantined', 'wrong-step', WRONG_STEP_MESSAGE)
    this.#onChange('quarantined', found)
    const studies = [...new Set(found.map(({ studyInstanceUid }) => studyInstanceUid))]
    for (const studyInstanceUid of studies) recountInstances(database, studyInstanceUid)
    return studies
  }

  /** Clears the cache, after a performed step changed. */
  clearCache(): void {
    this.#cache.clear()
  }

  #stepsOf(studyInstanceUid: string): StudySteps {
    const cached = this.#cache.get(studyInstanceUid)
    if (cached) return cached
    const steps = this.#read(studyInstanceUid)
    if (this.#cache.size >= MAX_STUDIES) this.#cache.clear()
    this.#cache.set(studyInstanceUid, steps)
    return steps
  }

  #read(studyInstanceUid: string): StudySteps {
    const steps = listPerformedSteps(this.#context.database, studyInstanceUid)
    const ownSteps = steps.map((step) => ({
      step,
      stepIds: step.items
        .filter((item) => item.studyInstanceUid === studyInstanceUid)
        .map((item) => item.scheduledProcedureStepId),
    }))
    // The last performed step counts, because the scheduled step may have been started again for
    // the right patient.
    const last = new Map(
      ownSteps.flatMap(({ step, stepIds }) => stepIds.map((stepId) => [stepId, step] as const)),
    )
    return {
      wrongIds: new Set(
        [...last].flatMap(([stepId, step]) => (stepId !== '' && isWrong(step) ? [stepId] : [])),
      ),
      areAllWrong: last.size > 0 && [...last.values()].every(isWrong),
      wrongPerformedUids: new Set(steps.filter(isWrong).map((step) => step.sopInstanceUid)),
      scheduledIdByPerformedUid: new Map(
        ownSteps.flatMap(({ step, stepIds: [only, ...more] }) =>
          only && more.length === 0 ? [[step.sopInstanceUid, only] as const] : [],
        ),
      ),
    }
  }

  /**
   * Current instances of the steps. If all steps are wrong, instances without a step are included.
   */
  #instancesMadeIn(studyInstanceUid: string, stepIds: readonly string[]): InstanceRecord[] {
    const wantedIds = new Set(stepIds.filter((stepId) => stepId !== ''))
    if (this.#read(studyInstanceUid).areAllWrong) wantedIds.add('')
    return [...wantedIds].flatMap((stepId) =>
      listStepInstances(this.#context.database, studyInstanceUid, stepId),
    )
  }
}

const isWrong = ({ status, discontinuationCode }: PerformedStepRecord) =>
  status === 'DISCONTINUED' && discontinuationCode === WRONG_ENTRY_CODE
