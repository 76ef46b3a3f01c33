import type { AssociationInfo, MppsScp, NormalizedRequest } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { refusalOfDisk } from '#server/modules/images/disk-refusal.ts'
import { fitnessOfUid } from '#server/modules/images/header.ts'
import type { IntakeDeps, News } from '#server/modules/images/ports.ts'
import type { Settling } from '#server/modules/images/settling.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Turns } from '#server/platform/keyed-mutex.ts'
import { uidOfUuid } from '#shared/ids.ts'
import {
  dataSetFromJson,
  dataSetToJson,
  isPerformedStatus,
  type PerformedFacts,
  performedFacts,
  readNormalized,
  type ScheduledStep,
  TAG,
  withChanges,
} from './performed-data.ts'
import type { PerformedItem, PerformedStepRecord } from './performed-step-queries.ts'
import { WRONG_ENTRY, type WrongSteps } from './wrong-steps.ts'

const SUCCESS: DimseResult = { status: 0x0000 }
/** PS3.4 Table F.7.2-2: "Performed Procedure Step Object may no longer be updated". */
const NO_LONGER_UPDATED: DimseResult = {
  status: 0x0110,
  errorComment: 'Performed Procedure Step may no longer be updated',
  errorId: 0xa710,
}

/** PS3.7 §9.1.4: processing failure; Table F.7.2-2 has no status for the step of somebody else. */
const OF_ANOTHER_DEVICE: DimseResult = {
  status: 0x0110,
  errorComment: 'Performed Procedure Step of another device',
}

export interface PerformedStepDeps extends IntakeDeps {
  readonly settling: Pick<Settling, 'announced'>
  readonly wrongSteps: WrongSteps
  readonly turns: Turns
}

/**
 * PS3.4 F.7.2: a device says what it does, and that it is done. Attributes of type 2 may be missing
 * (dicom-field §5.9).
 */
export function openPerformedStepScp(deps: PerformedStepDeps): MppsScp {
  const {
    store,
    clock,
    uuid,
    setting,
    recogniseDevice,
    performedSteps,
    handedOut,
    settling,
    wrongSteps,
    turns,
    onNews,
    onChanged,
    onError,
  } = deps
  const { database, imageStudies, instances } = store

  async function create(request: NormalizedRequest) {
    const { association } = request
    const dataSet = readNormalized(request.dataSet, request.transferSyntax)
    const facts = performedFacts(dataSet)
    // PS3.4 F.7.2.1.2: a step is created while it is in progress, never as one that is over.
    if (facts.status !== 'IN PROGRESS')
      throw new DimseError(0x0106, 'A step is created IN PROGRESS', [TAG.status])
    // PS3.7 §10.1.5.1.6: no instance can be made of it.
    if (request.sopInstanceUid !== undefined && fitnessOfUid(request.sopInstanceUid) === 'unfit')
      throw new DimseError(0x0117, 'Affected SOP Instance UID is no UID')
    const sopInstanceUid = request.sopInstanceUid ?? uidOfUuid(uuid())
    const items = await itemsFor(facts, association)
    const now = instantOf(clock())
    const step: PerformedStepRecord = {
      sopInstanceUid,
      status: 'IN PROGRESS',
      modality: facts.modality,
      ...deviceOf(association),
      startedAt: now,
      endedAt: null,
      discontinuationCode: '',
      discontinuationMeaning: '',
      instances: facts.named.length,
      dataSet: dataSetToJson(dataSet),
      updatedAt: now,
      items,
    }
    const isNew = await database.commitSoon(() => {
      if (store.performedSteps.get(sopInstanceUid)) return false
      store.performedSteps.insert(step)
      performedSteps.changed()
      return true
    })
    if (!isNew) throw new DimseError(0x0111, 'Performed Procedure Step is there already')
    changed(step, association, 'plain', 'reports that an exam has begun')
    return { ...SUCCESS, sopInstanceUid }
  }

  async function set(request: NormalizedRequest): Promise<DimseResult> {
    const { association, sopInstanceUid } = request
    const changes = readNormalized(request.dataSet, request.transferSyntax)
    const before =
      sopInstanceUid === undefined ? undefined : store.performedSteps.get(sopInstanceUid)
    if (!before) throw new DimseError(0x0112, 'No such Performed Procedure Step')
    if (!isOf(before, association) && !setting('intake.stepsOfOthers')) {
      const text = `tried to change a performed step of ${before.deviceName}, and was refused`
      changed(
        { ...before, deviceName: deviceOf(association).deviceName },
        association,
        'warning',
        text,
      )
      return OF_ANOTHER_DEVICE
    }
    if (before.status !== 'IN PROGRESS') return NO_LONGER_UPDATED
    const dataSet = withChanges(dataSetFromJson(before.dataSet), changes)
    const facts = performedFacts(dataSet)
    if (!isPerformedStatus(facts.status))
      throw new DimseError(0x0106, 'Unknown Performed Procedure Step Status', [TAG.status])
    // PS3.4 Table F.7.2-1. One that was discontinued before its first image has no series, and its
    // end must not be lost for that.
    if (facts.status === 'COMPLETED' && !facts.hasSeries) {
      throw new DimseError(0x0121, 'A completed step names its series', [
        TAG.performedSeriesSequence,
      ])
    }
    const items = mergedItems(before.items, await itemsFor(facts, association))
    const now = instantOf(clock())
    const step: PerformedStepRecord = {
      ...before,
      status: facts.status,
      modality: facts.modality || before.modality,
      endedAt: facts.status === 'IN PROGRESS' ? null : now,
      discontinuationCode: facts.discontinuationCode,
      discontinuationMeaning: facts.discontinuationMeaning,
      instances: facts.named.length,
      dataSet: dataSetToJson(dataSet),
      updatedAt: now,
      items,
    }
    const { announced, setAside } = await database.commitSoon(() => keep(step, facts))
    for (const studyInstanceUid of announced) settling.announced(studyInstanceUid)
    changed(step, association, ...sentenceOf(step, setAside.length))
    return SUCCESS
  }

  function keep(
    given: PerformedStepRecord,
    facts: PerformedFacts,
  ): { announced: readonly string[]; setAside: readonly string[] } {
    const step = given.items.length > 0 ? given : { ...given, items: itemsOfNamed(facts) }
    store.performedSteps.update(step)
    performedSteps.changed()
    if (step.status === 'DISCONTINUED' && step.discontinuationCode === WRONG_ENTRY) {
      const named = facts.named.map(({ sopInstanceUid }) => sopInstanceUid)
      return { announced: [], setAside: wrongSteps.setAside(step, named) }
    }
    return { announced: announce(facts, step.items), setAside: [] }
  }

  /**
   * The studies that have the instances, for a step that was not scheduled and of which the device
   * names no study: Scheduled Step Attributes Sequence is empty, or its Study Instance UID is.
   */
  function itemsOfNamed({ named }: PerformedFacts): PerformedItem[] {
    const studies = named.flatMap(
      ({ sopInstanceUid }) => instances.current(sopInstanceUid)?.studyInstanceUid ?? [],
    )
    return [...new Set(studies)].map((studyInstanceUid) => ({
      studyInstanceUid,
      scheduledProcedureStepId: '',
    }))
  }

  /**
   * Each instance is announced of the study that has it already, or else of the first that the
   * device names.
   */
  function announce(
    { named, scheduled }: PerformedFacts,
    items: readonly PerformedItem[],
  ): string[] {
    const first =
      scheduled.find(({ studyInstanceUid }) => studyInstanceUid !== '')?.studyInstanceUid ??
      items[0]?.studyInstanceUid
    const byStudy = Map.groupBy(
      named,
      ({ sopInstanceUid }) => instances.current(sopInstanceUid)?.studyInstanceUid ?? first ?? '',
    )
    byStudy.delete('')
    const now = instantOf(clock())
    for (const [studyInstanceUid, ofStudy] of byStudy)
      imageStudies.announce(studyInstanceUid, ofStudy, now)
    return [
      ...new Set([...byStudy.keys(), ...items.map(({ studyInstanceUid }) => studyInstanceUid)]),
    ]
  }

  /**
   * The steps by the UIDs of the images, and by those of the worklist where the device made UIDs of
   * its own.
   */
  async function itemsFor(
    { scheduled, patientId }: PerformedFacts,
    association: AssociationInfo,
  ): Promise<PerformedItem[]> {
    const items: PerformedItem[] = []
    for (const step of scheduled) {
      if (step.studyInstanceUid !== '') items.push(itemOf(step))
      const row = await rowOf(step, patientId, association)
      if (row) items.push(itemOf(row))
    }
    return mergedItems([], items)
  }

  async function rowOf(
    step: ScheduledStep,
    patientId: string,
    { callingAeTitle }: AssociationInfo,
  ) {
    try {
      return await handedOut({ callingAeTitle, patientId, ...step })
    } catch (error) {
      onError(uuid().slice(0, 8), error)
      return undefined
    }
  }

  /**
   * Whether the caller is who created the step: by AE title and address, or by being the same
   * device of the list, which may have a range of addresses or be listed once for each of its
   * addresses. An address that was changed in the list during the exam is its own as well.
   */
  function isOf(
    step: PerformedStepRecord,
    { callingAeTitle, remoteAddress }: AssociationInfo,
  ): boolean {
    if (step.callingAeTitle === callingAeTitle && step.remoteAddress === remoteAddress) return true
    const device = recogniseDevice(callingAeTitle, remoteAddress)
    if (!device) return false
    const creator = recogniseDevice(step.callingAeTitle, step.remoteAddress)
    if (creator) return creator.deviceId === device.deviceId || creator.aeTitle === device.aeTitle
    return device.address !== null && step.callingAeTitle === callingAeTitle
  }

  const deviceOf = ({ callingAeTitle, remoteAddress }: AssociationInfo) => ({
    callingAeTitle,
    remoteAddress,
    deviceName: recogniseDevice(callingAeTitle, remoteAddress)?.name || callingAeTitle,
  })

  function changed(
    step: PerformedStepRecord,
    association: AssociationInfo,
    tone: News['tone'],
    text: string,
  ): void {
    wrongSteps.changed()
    const { callingAeTitle: aeTitle, remoteAddress: address, associationId } = association
    const studyInstanceUid = step.items[0]?.studyInstanceUid ?? null
    onNews({
      kind: 'performed-step',
      tone,
      text: `${step.deviceName} ${text}.`,
      aeTitle,
      address,
      associationId,
      studyInstanceUid,
    })
    onChanged()
  }

  /**
   * One after the other for each step; what is cached of steps is looked up anew, whatever came of
   * it.
   */
  async function inTurn<T>(
    request: NormalizedRequest,
    work: () => Promise<T>,
  ): Promise<T | DimseResult> {
    try {
      return await turns.take(request.sopInstanceUid ?? request.association.associationId, work)
    } catch (error) {
      if (error instanceof DimseError) return error.result
      const refusal = refusalOfDisk(error)
      if (refusal) return refusal
      const reference = uuid().slice(0, 8)
      onError(reference, error)
      return { status: 0x0110, errorComment: `Gateway internal error ${reference}` }
    } finally {
      wrongSteps.changed()
    }
  }

  return {
    create: async (request) => ({
      sopInstanceUid: request.sopInstanceUid,
      ...(await inTurn(request, () => create(request))),
    }),
    set: (request) => inTurn(request, () => set(request)),
  }
}

const itemOf = ({ studyInstanceUid, scheduledProcedureStepId }: PerformedItem): PerformedItem => ({
  studyInstanceUid,
  scheduledProcedureStepId,
})

function mergedItems(
  before: readonly PerformedItem[],
  more: readonly PerformedItem[],
): PerformedItem[] {
  return [
    ...new Map(
      [...before, ...more].map((item) => [
        `${item.studyInstanceUid}\\${item.scheduledProcedureStepId}`,
        item,
      ]),
    ).values(),
  ]
}

function sentenceOf(
  step: PerformedStepRecord,
  studiesSetAside: number,
): [tone: News['tone'], text: string] {
  const counted = `${step.instances} ${step.instances === 1 ? 'object' : 'objects'}`
  if (step.status === 'COMPLETED')
    return ['good', `reports that an exam is completed, with ${counted}`]
  if (step.status === 'IN PROGRESS')
    return ['plain', `reports an exam in progress, with ${counted} so far`]
  if (step.discontinuationCode !== WRONG_ENTRY)
    return ['warning', 'reports that an exam was discontinued']
  const what =
    studiesSetAside > 0 ? 'its images were set aside' : 'images that still come will be set aside'
  return ['danger', `reports that the wrong worklist entry was selected: ${what}`]
}
