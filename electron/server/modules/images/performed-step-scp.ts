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
  readNormalizedDataSet,
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
import { classifyUid } from './header.ts'
import { appendSenderEntry, notifyImagesChanged, refusalOf } from './image-feed.ts'
import { findCurrentInstance } from './instance-queries.ts'
import type { StudyCompletion } from './study-completion.ts'
import { type FindWorklistRow, findRowOrNone } from './worklist-lookup.ts'
import { WRONG_ENTRY_CODE, type WrongSteps } from './wrong-steps.ts'

const SUCCESS: DimseResult = { status: 0x0000 }
/** PS3.4 Table F.7.2-2: "Performed Procedure Step Object may no longer be updated". */
const NO_LONGER_UPDATED: DimseResult = {
  status: 0x0110,
  errorComment: 'Performed Procedure Step may no longer be updated',
  errorId: 0xa710,
}

/** PS3.7 §9.1.4: processing failure. Table F.7.2-2 has no status for a step of another device. */
const STEP_OF_ANOTHER_DEVICE: DimseResult = {
  status: 0x0110,
  errorComment: 'Performed Procedure Step of another device',
}

/**
 * The MPPS SCP (PS3.4 F.7.2): records when a device starts and ends a procedure step. Type 2
 * attributes may be missing.
 */
export class PerformedStepScp implements MppsScp {
  readonly #context: Context
  readonly #wrongSteps: WrongSteps
  readonly #completion: StudyCompletion
  readonly #findRow: FindWorklistRow
  /** Locks by SOP Instance UID of the step. */
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
    const dataSet = readNormalizedDataSet(request.dataSet, request.transferSyntax)
    const facts = performedAttributes(dataSet)
    // PS3.4 F.7.2.1.2: a step must be created with the status IN PROGRESS.
    if (facts.status !== 'IN PROGRESS')
      throw new DimseError(0x0106, message('procedure-steps.not-created-in-progress'), [TAG.status])
    // PS3.7 §10.1.5.1.6: invalid object instance.
    if (request.sopInstanceUid !== undefined && classifyUid(request.sopInstanceUid) === 'unfit')
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
    this.#stepChanged(
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
    const changes = readNormalizedDataSet(request.dataSet, request.transferSyntax)
    const before =
      sopInstanceUid === undefined ? undefined : findPerformedStep(database, sopInstanceUid)
    if (!before) throw new DimseError(0x0112, message('procedure-steps.none-such'))
    if (!this.#isCreator(before, association) && !settings.get('intake.stepsOfOthers')) {
      const { deviceName } = this.#deviceOf(association)
      const text = message('images.step-of-another', { deviceName, other: before.deviceName })
      this.#stepChanged(before, association, 'warning', text)
      return STEP_OF_ANOTHER_DEVICE
    }
    if (before.status !== 'IN PROGRESS') return NO_LONGER_UPDATED
    const dataSet = withChanges(dataSetFromJson(before.dataSet), changes)
    const facts = performedAttributes(dataSet)
    if (!isPerformedStatus(facts.status))
      throw new DimseError(0x0106, message('procedure-steps.unknown-status'), [TAG.status])
    // PS3.4 Table F.7.2-1. A step that was discontinued before its first image has no series, and
    // its end must be recorded nevertheless.
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
    const { announced, setAside } = await database.commitSoon(() => this.#store(step, facts))
    for (const studyInstanceUid of announced) this.#completion.announced(studyInstanceUid)
    this.#stepChanged(step, association, ...sentenceOf(step, setAside.length))
    return SUCCESS
  }

  /**
   * Stores the step. Returns the studies with announced instances, and those with quarantined
   * images. Must be called within a transaction.
   */
  #store(given: PerformedStepRecord, facts: PerformedAttributes) {
    const { database } = this.#context
    const step = given.items.length > 0 ? given : { ...given, items: this.#itemsOfNamed(facts) }
    updatePerformedStep(database, step)
    if (step.status === 'DISCONTINUED' && step.discontinuationCode === WRONG_ENTRY_CODE) {
      const named = facts.named.map(({ sopInstanceUid }) => sopInstanceUid)
      return { announced: [], setAside: this.#wrongSteps.quarantineStep(step, named) }
    }
    return { announced: this.#announce(facts, step.items), setAside: [] }
  }

  #studyOf(sopInstanceUid: string): string | undefined {
    return findCurrentInstance(this.#context.database, sopInstanceUid)?.studyInstanceUid
  }

  /**
   * The studies of the received instances, for an unscheduled step without a study: Scheduled Step
   * Attributes Sequence, or its Study Instance UID, is empty.
   */
  #itemsOfNamed({ named }: PerformedAttributes): PerformedItem[] {
    const studies = named.flatMap(({ sopInstanceUid }) => this.#studyOf(sopInstanceUid) ?? [])
    return [...new Set(studies)].map((studyInstanceUid) => ({
      studyInstanceUid,
      scheduledProcedureStepId: '',
    }))
  }

  /**
   * Announces each instance for the study that already has it, or else for the first study of the
   * step.
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
   * The steps with the Study Instance UIDs of the images and, if the device used UIDs of its own,
   * those of the worklist.
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
   * Whether the caller created the step: it has the same AE title and address, or it is the same
   * device, which may have an address range or be configured once per address. The device's address
   * may also have been changed in the list during the exam.
   */
  #isCreator(
    step: PerformedStepRecord,
    { callingAeTitle, remoteAddress }: AssociationInfo,
  ): boolean {
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

  #stepChanged(
    step: PerformedStepRecord,
    association: AssociationInfo,
    tone: FeedLine['tone'],
    text: Message,
  ): void {
    this.#wrongSteps.clearCache()
    const studyInstanceUid = step.items[0]?.studyInstanceUid ?? null
    appendSenderEntry(this.#context, association, 'performed-step', tone, text, studyInstanceUid)
    notifyImagesChanged(this.#context)
  }

  /**
   * Runs `work` exclusively for each step, and clears the cache of steps afterwards, even after an
   * error.
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
      this.#wrongSteps.clearCache()
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
  if (discontinuationCode !== WRONG_ENTRY_CODE)
    return ['warning', message('images.exam-discontinued', { deviceName })]
  return studiesSetAside > 0
    ? ['danger', message('images.wrong-entry-set-aside', { deviceName })]
    : ['danger', message('images.wrong-entry', { deviceName })]
}
