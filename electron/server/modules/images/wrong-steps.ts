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
export const WRONG_ENTRY = '110514'
const DETAIL = message('images.wrong-step')
const MOST_STUDIES = 500

interface StudySteps {
  readonly wrongIds: ReadonlySet<string>
  /** Every step that is performed of the study is a wrong one. */
  readonly isAllWrong: boolean
  readonly wrongPerformed: ReadonlySet<string>
  /** The scheduled step of each performed one that performs no other. */
  readonly scheduledOf: ReadonlyMap<string, string>
}

/**
 * Images made under the wrong worklist entry are set aside, those that are here and those that
 * still come.
 */
export class WrongSteps {
  readonly #context: Context
  readonly #onChange: OnInstanceChange
  readonly #known = new Map<string, StudySteps>()

  constructor(context: Context, onChange: OnInstanceChange) {
    this.#context = context
    this.#onChange = onChange
  }

  /**
   * Why an instance is set aside that belongs to such a step; null where it does not. One that names
   * neither step nor performed step belongs to such a one where the study has no other.
   */
  faultOf(
    studyInstanceUid: string,
    scheduledProcedureStepId: string,
    performedStepUid: string,
  ): Message | null {
    const { wrongIds, isAllWrong, wrongPerformed } = this.#stepsOf(studyInstanceUid)
    const namesNone = scheduledProcedureStepId === '' && performedStepUid === ''
    return wrongIds.has(scheduledProcedureStepId) ||
      wrongPerformed.has(performedStepUid) ||
      (namesNone && isAllWrong)
      ? DETAIL
      : null
  }

  /**
   * The scheduled step of the study that a performed one performs; '' where it is unknown, or
   * performs several.
   */
  stepOf(studyInstanceUid: string, performedStepUid: string): string {
    return this.#stepsOf(studyInstanceUid).scheduledOf.get(performedStepUid) ?? ''
  }

  /**
   * Within a transaction: sets aside what is here of the step; `named` are the instances it names.
   * Studies that were touched.
   */
  setAside(step: PerformedStepRecord, named: readonly string[]): readonly string[] {
    const { database } = this.#context
    const byStudy = Map.groupBy(step.items, ({ studyInstanceUid }) => studyInstanceUid)
    const all = [
      ...[...byStudy].flatMap(([studyInstanceUid, items]) =>
        this.#madeIn(
          studyInstanceUid,
          items.map(({ scheduledProcedureStepId }) => scheduledProcedureStepId),
        ),
      ),
      ...named.flatMap((sopInstanceUid) => findCurrentInstance(database, sopInstanceUid) ?? []),
    ]
    const found = [...new Map(all.map((instance) => [instance.instanceId, instance])).values()]
    for (const { instanceId } of found)
      setInstanceState(database, instanceId, 'quarantined', 'wrong-step', DETAIL)
    this.#onChange('set-aside', found)
    const studies = [...new Set(found.map(({ studyInstanceUid }) => studyInstanceUid))]
    for (const studyInstanceUid of studies) recountInstances(database, studyInstanceUid)
    return studies
  }

  /** A performed step changed. */
  forget(): void {
    this.#known.clear()
  }

  #stepsOf(studyInstanceUid: string): StudySteps {
    const kept = this.#known.get(studyInstanceUid)
    if (kept) return kept
    const made = this.#read(studyInstanceUid)
    if (this.#known.size >= MOST_STUDIES) this.#known.clear()
    this.#known.set(studyInstanceUid, made)
    return made
  }

  #read(studyInstanceUid: string): StudySteps {
    const steps = listPerformedSteps(this.#context.database, studyInstanceUid)
    const own = steps.map((step) => ({
      step,
      stepIds: step.items
        .filter((item) => item.studyInstanceUid === studyInstanceUid)
        .map((item) => item.scheduledProcedureStepId),
    }))
    // The last report of a step counts: it may have been begun again for the right patient.
    const last = new Map(
      own.flatMap(({ step, stepIds }) => stepIds.map((stepId) => [stepId, step] as const)),
    )
    return {
      wrongIds: new Set(
        [...last].flatMap(([stepId, step]) => (stepId !== '' && isWrong(step) ? [stepId] : [])),
      ),
      isAllWrong: last.size > 0 && [...last.values()].every(isWrong),
      wrongPerformed: new Set(steps.filter(isWrong).map((step) => step.sopInstanceUid)),
      scheduledOf: new Map(
        own.flatMap(({ step, stepIds: [only, ...more] }) =>
          only && more.length === 0 ? [[step.sopInstanceUid, only] as const] : [],
        ),
      ),
    }
  }

  /**
   * Current instances that were made in the step; where all steps are wrong, what names none was
   * made in them too.
   */
  #madeIn(studyInstanceUid: string, stepIds: readonly string[]): InstanceRecord[] {
    const wanted = new Set(stepIds.filter((stepId) => stepId !== ''))
    if (this.#read(studyInstanceUid).isAllWrong) wanted.add('')
    return [...wanted].flatMap((stepId) =>
      listStepInstances(this.#context.database, studyInstanceUid, stepId),
    )
  }
}

const isWrong = ({ status, discontinuationCode }: PerformedStepRecord) =>
  status === 'DISCONTINUED' && discontinuationCode === WRONG_ENTRY
