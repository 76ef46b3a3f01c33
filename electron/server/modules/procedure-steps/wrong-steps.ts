import type { Context } from '#server/context.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { IntakeDeps } from '#server/modules/images/ports.ts'
import type { PerformedStepRecord } from './performed-step-queries.ts'

/** DCM 110514, "Incorrect worklist entry selected" (PS3.16 CID 9300). */
export const WRONG_ENTRY = '110514'
const DETAIL =
  'The device reported that the wrong worklist entry was selected for it (MPPS, 110514).'
const MOST_STUDIES = 500

/**
 * Images made under the wrong worklist entry are set aside, those that are here and those that
 * still come (dicom-field §5.9).
 */
export interface WrongSteps {
  /**
   * One sentence where an instance belongs to such a step; '' where it does not. One that names
   * neither step nor performed step belongs to such a one where the study has no other.
   */
  faultOf(
    studyInstanceUid: string,
    scheduledProcedureStepId: string,
    performedStepUid: string,
  ): string
  /**
   * The scheduled step of the study that a performed one performs; '' where it is unknown, or
   * performs several.
   */
  stepOf(studyInstanceUid: string, performedStepUid: string): string
  /**
   * Within a transaction: sets aside what is here of the step; `named` are the instances it names.
   * Studies that were touched.
   */
  setAside(step: PerformedStepRecord, named: readonly string[]): readonly string[]
  /** A performed step changed. */
  changed(): void
}

export interface WrongStepsDeps extends Pick<IntakeDeps, 'onSetAside'> {
  readonly store: Pick<Context, 'performedSteps' | 'instances' | 'imageStudies'>
}

interface OfStudy {
  readonly stepIds: ReadonlySet<string>
  /** No step is performed that is not such a one. */
  readonly isAll: boolean
  readonly performed: ReadonlySet<string>
  readonly stepOf: ReadonlyMap<string, string>
}

export function openWrongSteps({ store, onSetAside }: WrongStepsDeps): WrongSteps {
  const { performedSteps, instances, imageStudies } = store
  const known = new Map<string, OfStudy>()

  function ofStudy(studyInstanceUid: string): OfStudy {
    const kept = known.get(studyInstanceUid)
    if (kept) return kept
    const made = read(studyInstanceUid)
    if (known.size >= MOST_STUDIES) known.clear()
    known.set(studyInstanceUid, made)
    return made
  }

  function read(studyInstanceUid: string): OfStudy {
    const steps = performedSteps.ofStudy(studyInstanceUid)
    // The last word on a step counts: it may have been begun again for the right patient.
    const own = steps.map((step) => ({
      step,
      stepIds: step.items
        .filter((item) => item.studyInstanceUid === studyInstanceUid)
        .map((item) => item.scheduledProcedureStepId),
    }))
    const lastWord = new Map(
      own.flatMap(({ step, stepIds }) => stepIds.map((stepId) => [stepId, step] as const)),
    )
    return {
      stepIds: new Set(
        [...lastWord]
          .filter(([stepId, step]) => stepId !== '' && isWrong(step))
          .map(([stepId]) => stepId),
      ),
      isAll: lastWord.size > 0 && [...lastWord.values()].every(isWrong),
      performed: new Set(steps.filter(isWrong).map((step) => step.sopInstanceUid)),
      stepOf: new Map(
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
  function madeIn(studyInstanceUid: string, stepIds: readonly string[]): InstanceRecord[] {
    const wanted = new Set(stepIds.filter((stepId) => stepId !== ''))
    if (read(studyInstanceUid).isAll) wanted.add('')
    return [...wanted].flatMap((stepId) => instances.ofStep(studyInstanceUid, stepId))
  }

  return {
    faultOf(studyInstanceUid, scheduledProcedureStepId, performedStepUid) {
      const { stepIds, isAll, performed } = ofStudy(studyInstanceUid)
      const namesNone = scheduledProcedureStepId === '' && performedStepUid === ''
      return stepIds.has(scheduledProcedureStepId) ||
        performed.has(performedStepUid) ||
        (namesNone && isAll)
        ? DETAIL
        : ''
    },
    stepOf: (studyInstanceUid, performedStepUid) =>
      ofStudy(studyInstanceUid).stepOf.get(performedStepUid) ?? '',
    setAside(step, named) {
      const byStudy = Map.groupBy(step.items, ({ studyInstanceUid }) => studyInstanceUid)
      const carrying = [...byStudy].flatMap(([studyInstanceUid, items]) =>
        madeIn(
          studyInstanceUid,
          items.map(({ scheduledProcedureStepId }) => scheduledProcedureStepId),
        ),
      )
      const all = [
        ...carrying,
        ...named.flatMap((sopInstanceUid) => instances.current(sopInstanceUid) ?? []),
      ]
      const found = [...new Map(all.map((instance) => [instance.instanceId, instance])).values()]
      for (const { instanceId } of found)
        instances.setState(instanceId, 'quarantined', 'wrong-step', DETAIL)
      onSetAside(found)
      const studies = [...new Set(found.map(({ studyInstanceUid }) => studyInstanceUid))]
      for (const studyInstanceUid of studies) imageStudies.recount(studyInstanceUid)
      return studies
    },
    changed: () => known.clear(),
  }
}

const isWrong = ({ status, discontinuationCode }: PerformedStepRecord) =>
  status === 'DISCONTINUED' && discontinuationCode === WRONG_ENTRY
