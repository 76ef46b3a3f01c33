import type { Context } from '#server/context.ts'
import type { AssociationInfo, MppsScp, NormalizedRequest } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import {
  dataSetFromJson,
  dataSetToJson,
  isPerformedStatus,
  type PerformedAttributes,
  performedAttributes,
  readNormalized,
  TAG,
  withChanges,
} from '#server/modules/procedure-steps/performed-data.ts'
import {
  findPerformedStep,
  insertPerformedStep,
  type PerformedItem,
  type PerformedStepRecord,
  updatePerformedStep,
} from '#server/modules/procedure-steps/performed-step-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { KeyedMutex } from '#server/platform/concurrency.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { announceInstances } from './announced-instance-queries.ts'
import { fitnessOfUid } from './header.ts'
import { noteImagesChanged, noteSender, refusalOf } from './image-feed.ts'
import { findCurrentInstance } from './instance-queries.ts'
import type { StudyCompletion } from './study-completion.ts'
import { type FindWorklistRow, findRowOrNone } from './worklist-lookup.ts'
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

/**
 * PS3.4 F.7.2: a device says what it does, and that it is done. Attributes of type 2 may be
 * missing.
 */
export class PerformedStepScp implements MppsScp {
  readonly #context: Context
  readonly #wrongSteps: WrongSteps
  readonly #completion: StudyCompletion
  readonly #findRow: FindWorklistRow
  /** By SOP Instance UID of the step. */
  readonly #mutex = new KeyedMutex()

  constructor(
    context: Context,
    wrongSteps: WrongSteps,
    completion: StudyCompletion,
    findRow: FindWorklistRow,
  ) {
    this.#context = context
    this.#wrongSteps = wrongSteps
    this.#completion = completion
    this.#findRow = findRow
  }

  async create(request: NormalizedRequest) {
    const result = await this.#exclusively(request, () => this.#create(request))
    return { sopInstanceUid: request.sopInstanceUid, ...result }
  }

  set(request: NormalizedRequest): Promise<DimseResult> {
    return this.#exclusively(request, () => this.#set(request))
  }

  async #create(request: NormalizedRequest) {
    const { database, clock, uuid } = this.#context
    const { association } = request
    const dataSet = readNormalized(request.dataSet, request.transferSyntax)
    const facts = performedAttributes(dataSet)
    // PS3.4 F.7.2.1.2: a step is created while it is in progress, never as one that is over.
    if (facts.status !== 'IN PROGRESS')
      throw new DimseError(0x0106, message('procedure-steps.not-created-in-progress'), [TAG.status])
    // PS3.7 §10.1.5.1.6: no instance can be made of it.
    if (request.sopInstanceUid !== undefined && fitnessOfUid(request.sopInstanceUid) === 'unfit')
      throw new DimseError(0x0117, message('procedure-steps.uid-unfit'))
    const sopInstanceUid = request.sopInstanceUid ?? uidOfUuid(uuid())
    const items = await this.#itemsFor(facts, association)
    const now = instantOf(clock())
    const device = this.#deviceOf(association)
    const step: PerformedStepRecord = {
      sopInstanceUid,
      status: 'IN PROGRESS',
      modality: facts.modality,
      ...device,
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
      if (findPerformedStep(database, sopInstanceUid)) return false
      insertPerformedStep(database, step)
      return true
    })
    if (!isNew) throw new DimseError(0x0111, message('procedure-steps.there-already'))
    this.#noteChanged(
      step,
      association,
      'plain',
      message('images.exam-begun', { deviceName: device.deviceName }),
    )
    return { ...SUCCESS, sopInstanceUid }
  }

  async #set(request: NormalizedRequest): Promise<DimseResult> {
    const { database, clock, settings } = this.#context
    const { association, sopInstanceUid } = request
    const changes = readNormalized(request.dataSet, request.transferSyntax)
    const before =
      sopInstanceUid === undefined ? undefined : findPerformedStep(database, sopInstanceUid)
    if (!before) throw new DimseError(0x0112, message('procedure-steps.none-such'))
    if (!this.#isOf(before, association) && !settings.get('intake.stepsOfOthers')) {
      const { deviceName } = this.#deviceOf(association)
      const text = message('images.step-of-another', { deviceName, other: before.deviceName })
      this.#noteChanged(before, association, 'warning', text)
      return OF_ANOTHER_DEVICE
    }
    if (before.status !== 'IN PROGRESS') return NO_LONGER_UPDATED
    const dataSet = withChanges(dataSetFromJson(before.dataSet), changes)
    const facts = performedAttributes(dataSet)
    if (!isPerformedStatus(facts.status))
      throw new DimseError(0x0106, message('procedure-steps.unknown-status'), [TAG.status])
    // PS3.4 Table F.7.2-1. One that was discontinued before its first image has no series, and its
    // end must not be lost for that.
    if (facts.status === 'COMPLETED' && !facts.hasSeries)
      throw new DimseError(0x0121, message('procedure-steps.completed-without-series'), [
        TAG.performedSeriesSequence,
      ])
    const items = mergedItems(before.items, await this.#itemsFor(facts, association))
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
    const { announced, setAside } = await database.commitSoon(() => this.#keep(step, facts))
    for (const studyInstanceUid of announced) this.#completion.announced(studyInstanceUid)
    this.#noteChanged(step, association, ...sentenceOf(step, setAside.length))
    return SUCCESS
  }

  /** In a transaction. Studies that something was announced of, or whose images were set aside. */
  #keep(given: PerformedStepRecord, facts: PerformedAttributes) {
    const { database } = this.#context
    const step = given.items.length > 0 ? given : { ...given, items: this.#itemsOfNamed(facts) }
    updatePerformedStep(database, step)
    if (step.status === 'DISCONTINUED' && step.discontinuationCode === WRONG_ENTRY) {
      const named = facts.named.map(({ sopInstanceUid }) => sopInstanceUid)
      return { announced: [], setAside: this.#wrongSteps.setAside(step, named) }
    }
    return { announced: this.#announce(facts, step.items), setAside: [] }
  }

  #studyOf(sopInstanceUid: string): string | undefined {
    return findCurrentInstance(this.#context.database, sopInstanceUid)?.studyInstanceUid
  }

  /**
   * The studies that have the instances, for a step that was not scheduled and of which the device
   * names no study: Scheduled Step Attributes Sequence is empty, or its Study Instance UID is.
   */
  #itemsOfNamed({ named }: PerformedAttributes): PerformedItem[] {
    const studies = named.flatMap(({ sopInstanceUid }) => this.#studyOf(sopInstanceUid) ?? [])
    return [...new Set(studies)].map((studyInstanceUid) => ({
      studyInstanceUid,
      scheduledProcedureStepId: '',
    }))
  }

  /**
   * Each instance is announced of the study that has it already, or else of the first that the
   * device names.
   */
  #announce({ named, scheduled }: PerformedAttributes, items: readonly PerformedItem[]): string[] {
    const { database, clock } = this.#context
    const first =
      scheduled.find(({ studyInstanceUid }) => studyInstanceUid !== '')?.studyInstanceUid ??
      items[0]?.studyInstanceUid
    const byStudy = Map.groupBy(
      named,
      ({ sopInstanceUid }) => this.#studyOf(sopInstanceUid) ?? first ?? '',
    )
    byStudy.delete('')
    const now = instantOf(clock())
    for (const [studyInstanceUid, ofStudy] of byStudy)
      announceInstances(database, studyInstanceUid, ofStudy, now)
    const studies = items.map(({ studyInstanceUid }) => studyInstanceUid)
    return [...new Set([...byStudy.keys(), ...studies])]
  }

  /**
   * The steps by the UIDs of the images, and by those of the worklist where the device made UIDs of
   * its own.
   */
  async #itemsFor(
    { scheduled, patientId }: PerformedAttributes,
    { callingAeTitle }: AssociationInfo,
  ): Promise<PerformedItem[]> {
    const items: PerformedItem[] = []
    for (const step of scheduled) {
      if (step.studyInstanceUid !== '') items.push(itemOf(step))
      const query = { callingAeTitle, patientId, ...step }
      const row = await findRowOrNone(this.#context, this.#findRow, query)
      if (row) items.push(itemOf(row))
    }
    return mergedItems([], items)
  }

  /**
   * Whether the caller is who created the step: by AE title and address, or by being the same
   * device of the list, which may have a range of addresses or be listed once for each of its
   * addresses. An address that was changed in the list during the exam is its own as well.
   */
  #isOf(step: PerformedStepRecord, { callingAeTitle, remoteAddress }: AssociationInfo): boolean {
    if (step.callingAeTitle === callingAeTitle && step.remoteAddress === remoteAddress) return true
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    if (!device) return false
    const creator = recogniseDevice(this.#context, step.callingAeTitle, step.remoteAddress)
    if (creator) return creator.deviceId === device.deviceId || creator.aeTitle === device.aeTitle
    return device.address !== null && step.callingAeTitle === callingAeTitle
  }

  #deviceOf({ callingAeTitle, remoteAddress }: AssociationInfo) {
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    return { callingAeTitle, remoteAddress, deviceName: device?.name || callingAeTitle }
  }

  #noteChanged(
    step: PerformedStepRecord,
    association: AssociationInfo,
    tone: FeedLine['tone'],
    text: Message,
  ): void {
    this.#wrongSteps.forget()
    const studyInstanceUid = step.items[0]?.studyInstanceUid ?? null
    noteSender(this.#context, association, 'performed-step', tone, text, studyInstanceUid)
    noteImagesChanged(this.#context)
  }

  /**
   * One after the other for each step; what is cached of steps is looked up anew, whatever came of
   * it.
   */
  async #exclusively<T>(
    request: NormalizedRequest,
    work: () => Promise<T>,
  ): Promise<T | DimseResult> {
    const key = request.sopInstanceUid ?? request.association.associationId
    try {
      return await this.#mutex.run(key, work)
    } catch (error) {
      return error instanceof DimseError ? error.result : refusalOf(this.#context, error)
    } finally {
      this.#wrongSteps.forget()
    }
  }
}

const itemOf = ({ studyInstanceUid, scheduledProcedureStepId }: PerformedItem): PerformedItem => ({
  studyInstanceUid,
  scheduledProcedureStepId,
})

const mergedItems = (
  before: readonly PerformedItem[],
  more: readonly PerformedItem[],
): PerformedItem[] => [
  ...new Map(
    [...before, ...more].map((item) => [
      `${item.studyInstanceUid}\\${item.scheduledProcedureStepId}`,
      item,
    ]),
  ).values(),
]

function sentenceOf(
  { deviceName, instances: count, status, discontinuationCode }: PerformedStepRecord,
  studiesSetAside: number,
): [tone: FeedLine['tone'], text: Message] {
  if (status === 'COMPLETED')
    return ['good', message('images.exam-completed', { deviceName, count })]
  if (status === 'IN PROGRESS')
    return ['plain', message('images.exam-in-progress', { deviceName, count })]
  if (discontinuationCode !== WRONG_ENTRY)
    return ['warning', message('images.exam-discontinued', { deviceName })]
  return studiesSetAside > 0
    ? ['danger', message('images.wrong-entry-set-aside', { deviceName })]
    : ['danger', message('images.wrong-entry', { deviceName })]
}
