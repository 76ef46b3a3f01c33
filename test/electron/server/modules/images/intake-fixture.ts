import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { tagOf, vrOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type {
  AssociationInfo,
  CStoreRequest,
  NormalizedRequest,
} from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import type { CommitmentReport } from '#server/dicom/scu/event-report.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { Commitments } from '#server/modules/commitment/commitment.ts'
import type { CorrectionDone } from '#server/modules/corrections/correction-queries.ts'
import type { Orders } from '#server/modules/corrections/correction-targets.ts'
import { Corrections } from '#server/modules/corrections/corrections.ts'
import { insertDevice } from '#server/modules/devices/device-queries.ts'
import { Arrivals } from '#server/modules/images/arrivals.ts'
import { AssociationStatistics } from '#server/modules/images/association-statistics.ts'
import { DiskSpace } from '#server/modules/images/disk-space.ts'
import { ImageReceiver, type IsFetching } from '#server/modules/images/image-receiver.ts'
import type { InstanceRecord, OnInstanceChange } from '#server/modules/images/instance-queries.ts'
import { PerformedStepScp } from '#server/modules/images/performed-step-scp.ts'
import { Quarantine } from '#server/modules/images/quarantine.ts'
import { ImageRecovery, sweepSpool } from '#server/modules/images/recovery.ts'
import { StudyCompletion } from '#server/modules/images/study-completion.ts'
import { StudyCreation } from '#server/modules/images/study-creation.ts'
import type { EnrichmentAnswer } from '#server/modules/images/study-values.ts'
import type { FindWorklistRow } from '#server/modules/images/worklist-lookup.ts'
import { WrongSteps } from '#server/modules/images/wrong-steps.ts'
import { openPerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import type { ImageHeader, SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import type { Requester } from '#server/webhooks/request.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { knownDevice } from '../../../../support/device.ts'
import { reportedErrors, tempStore, withSettings } from '../../../../support/temp-store.ts'

export const CT = '1.2.840.10008.5.1.4.1.1.2'
export const STUDY = '1.2.3.100'
export const SERIES = '1.2.3.100.1'

export const DEVICE = knownDevice({ port: 11113 })

/** A value for each keyword: text, a number of VR US, or items of a sequence. */
export type Values = { readonly [keyword: string]: string | number | readonly Values[] }

export function dataSetOf(values: Values): DataSet {
  return Object.entries(values)
    .map(([keyword, value]) => {
      const tag = tagOf(keyword)
      if (tag === undefined) throw new Error(`no such keyword: ${keyword}`)
      const vr = vrOf(tag)
      if (typeof value === 'string') return { tag, vr, value: Buffer.from(value, 'utf8') }
      if (typeof value !== 'number') return { tag, vr, value: value.map(dataSetOf) }
      const bytes = Buffer.alloc(2)
      bytes.writeUInt16LE(value)
      return { tag, vr, value: bytes }
    })
    .sort((a, b) => a.tag - b.tag)
}

/** An invented exam. */
export const IMAGE: Values = {
  SOPClassUID: CT,
  SOPInstanceUID: '1.2.3.100.1.1',
  StudyInstanceUID: STUDY,
  SeriesInstanceUID: SERIES,
  StudyDate: '20260310',
  StudyTime: '084512.5',
  AccessionNumber: 'A100',
  Modality: 'CT',
  InstitutionName: 'Clinic of the Isthmus',
  ReferringPhysicianName: 'Refer^Rita',
  StudyDescription: 'CT head',
  PatientName: 'Sample^Sam',
  PatientID: 'P100',
  PatientBirthDate: '19800511',
  PatientSex: 'M',
  PatientSize: '1.785',
  PatientWeight: '81.5',
  SeriesNumber: '1',
  InstanceNumber: '1',
  Rows: 2,
  Columns: 2,
  BitsAllocated: 16,
  BitsStored: 12,
  HighBit: 11,
  PixelRepresentation: 0,
  SamplesPerPixel: 1,
  PhotometricInterpretation: 'MONOCHROME2',
  PixelData: 'pixels__',
}

export const encoded = (
  values: Values,
  transferSyntax: string = TRANSFER_SYNTAX.explicitLittleEndian,
): Buffer => writeDataSet(dataSetOf(values), transferSyntax)

export const image = (number: number, more: Values = {}): Values => ({
  ...IMAGE,
  SOPInstanceUID: `${SERIES}.${number}`,
  InstanceNumber: String(number),
  ...more,
})

export const HANDED_OUT: SentWorklistRow = {
  studyInstanceUid: STUDY,
  scheduledProcedureStepId: 'S100',
  requestedProcedureId: 'R100',
  accessionNumber: 'A100',
  patientName: 'Sample^Sam',
  patientId: 'P100',
  patientBirthDate: '19800511',
  patientSex: 'M',
  description: 'CT head',
  callingAeTitle: 'CT1',
  at: '2026-03-10T08:30:00.000Z',
}

export const HEADER: ImageHeader = {
  patientName: 'Sample^Sam',
  patientId: 'P100',
  patientBirthDate: '19800511',
  patientSex: 'M',
  patientSize: '1.785',
  patientWeight: '81.5',
  patientAge: '',
  accessionNumber: 'A100',
  studyDescription: 'CT head',
  requestedProcedureDescription: '',
  studyDate: '20260310',
  studyTime: '084512.5',
  referringPhysicianName: 'Refer^Rita',
  institutionName: 'Clinic of the Isthmus',
  studyId: '',
  modality: 'CT',
  requestedProcedureId: '',
  scheduledProcedureStepId: '',
  requestStudyInstanceUid: '',
  characterSetRule: 'default',
}

export const ASSOCIATION: AssociationInfo = {
  associationId: 'a1',
  callingAeTitle: 'CT1',
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '127.0.0.1',
}

export type Settings = { readonly [K in SettingKey]?: unknown }
type EnrichmentQuestion = EventData<'patient_study.enrichment_requested'>

/** What stands in for the services beside those of images. */
export interface IntakeOptions {
  readonly devices?: readonly Device[]
  readonly handedOut?: FindWorklistRow
  /** `note`: a field of the answer that cannot be used. */
  readonly askEnrichment?: (
    question: EnrichmentQuestion,
    options: { readonly signal: AbortSignal; readonly note: (field: string) => void },
  ) => Promise<EnrichmentAnswer>
  readonly isFetching?: IsFetching
  readonly onChange?: OnInstanceChange
  readonly sendEventReport?: OutboundRequests['sendEventReport']
  readonly orders?: Orders
  readonly onCorrected?: (done: CorrectionDone) => void
  readonly flushEvents?: () => Promise<void>
  /** A correction that takes longer is answered while it is under way. */
  readonly longMs?: number
}

const NO_ORDERS: Orders = { onDays: async () => [], get: async () => undefined }

export type Intake = Awaited<ReturnType<typeof openIntake>>

/** The services of images, as `electron/server/imaging.ts` opens them. */
export async function openIntake(context: Context, options: IntakeOptions = {}) {
  const {
    handedOut = async () => undefined,
    askEnrichment = async () => ({}),
    isFetching = () => false,
    onChange = () => undefined,
    sendEventReport = async () => undefined,
    orders = NO_ORDERS,
    onCorrected = () => undefined,
    flushEvents = async () => undefined,
  } = options
  const requester = {
    async request(_type: string, question: EnrichmentQuestion, { signal, accept }: AskOptions) {
      const note = (field: string) =>
        accept({
          webhookId: 'whe_1',
          body: Buffer.from(JSON.stringify({ [field]: {} })),
          note() {},
        })
      return await askEnrichment(question, { signal, note })
    },
  } as unknown as Requester
  const transcode = async () => {
    throw new Error('no module')
  }
  const wasInterrupted = sweepSpool(context)
  const disk = new DiskSpace(context)
  const statistics = new AssociationStatistics(context)
  const wrongSteps = new WrongSteps(context, onChange)
  const arrivals = new Arrivals(context, wrongSteps, statistics, transcode, onChange)
  const creation = new StudyCreation(context, requester, { setEffect() {} })
  const completion = new StudyCompletion(context, arrivals, statistics, creation, handedOut)
  const commitments = new Commitments(context, { sendEventReport }, completion)
  const corrections = new Corrections(context, orders, flushEvents, onCorrected, options.longMs)
  const quarantine = new Quarantine(context, onChange, (...found) => corrections.restore(...found))
  const recovery = new ImageRecovery(context, arrivals, statistics, completion)
  recovery.start(wasInterrupted, onChange)
  const receiver = new ImageReceiver(
    ...([context, arrivals, disk, statistics, completion, isFetching, onChange] as const),
  )
  const steps = new PerformedStepScp(context, wrongSteps, completion, handedOut)
  return {
    ...{ disk, creation, completion, commitments, corrections, quarantine, recovery },
    ...{ receiver, steps },
    wake() {
      for (const part of [completion, creation, commitments]) part.wake()
    },
    async settled() {
      for (const part of [recovery, completion, creation, commitments]) await part.settled()
    },
    async [Symbol.asyncDispose]() {
      for (const part of [corrections, recovery, completion, creation, commitments])
        await part[Symbol.asyncDispose]()
      context.imageFiles.close()
    },
  }
}

interface AskOptions {
  readonly signal: AbortSignal
  accept(reply: { webhookId: string; body: Buffer; note(): void }): unknown
}

export interface SendOptions {
  readonly association?: Partial<AssociationInfo>
  readonly sopClassUid?: string
  readonly sopInstanceUid?: string
  readonly transferSyntax?: string
  readonly moveOriginatorAeTitle?: string
  readonly dataSet?: CStoreRequest['dataSet']
}

export interface StageOptions extends IntakeOptions {
  readonly settings?: Settings
  readonly store?: Context
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A real store with the services of images, and what was said and done. */
export async function openStage({ settings = {}, ...options }: StageOptions = {}) {
  const temp = tempStore()
  const { store, clock, folder } = temp
  const news: FeedLine[] = []
  const kept: InstanceRecord[] = []
  /** Ids of instances that were current and were set aside. */
  const setAside: number[] = []
  const reports: CommitmentReport[] = []
  const values: Settings = { 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0, ...settings }
  const settingOf = (key: SettingKey) =>
    key === 'clinic.id'
      ? store.settings.get(key)
      : Object.hasOwn(values, key)
        ? values[key]
        : SETTINGS[key].initial
  const context = withSettings(options.store ?? store, settingOf)
  const errors = reportedErrors(context)
  context.feed.subscribe((change) => change.kind === 'line' && news.push(change.line))
  for (const device of options.devices ?? [DEVICE]) insertDevice(store.database, device)
  const open = () =>
    openIntake(context, {
      sendEventReport: async (_peer, report) => void reports.push(report),
      onChange(change, instances) {
        if (change === 'stored' || change === 'released') kept.push(...instances)
        if (change === 'quarantined')
          setAside.push(...instances.map(({ instanceId }) => instanceId))
      },
      ...options,
    })
  let intake = await open()
  return {
    get intake() {
      return intake
    },
    get corrections() {
      return intake.corrections
    },
    ...{ store, clock, folder, news, kept, setAside, errors, reports },
    performedSteps: openPerformedSteps(store),
    send: (image: Values, more: SendOptions = {}): Promise<DimseResult> =>
      intake.receiver.store(storeRequest(image, more)),
    /** Files in `images` and in `spool`. */
    files: () => ({
      images: filesIn(join(folder, 'images')),
      spool: filesIn(join(folder, 'spool')),
    }),
    /** The clock is moved, and what is due is done. */
    async pass(ms: number) {
      clock.pass(ms)
      intake.wake()
      await intake.settled()
    },
    /** Another run of the gateway over the same folder. */
    async reopen(meanwhile?: () => void): Promise<Intake> {
      await intake[Symbol.asyncDispose]()
      meanwhile?.()
      intake = await open()
      return intake
    },
    async [Symbol.asyncDispose]() {
      await intake[Symbol.asyncDispose]()
      temp[Symbol.dispose]()
    },
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(dcm|part)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

export function storeRequest(values: Values, options: SendOptions = {}): CStoreRequest {
  const { association, transferSyntax = TRANSFER_SYNTAX.explicitLittleEndian, ...more } = options
  return {
    association: { ...ASSOCIATION, ...association },
    messageId: 1,
    transferSyntax,
    sopClassUid: String(values.SOPClassUID ?? ''),
    sopInstanceUid: String(values.SOPInstanceUID ?? ''),
    moveOriginatorAeTitle: undefined,
    dataSet: inFragments(encoded(values, transferSyntax), 100),
    release: () => undefined,
    signal: new AbortController().signal,
    ...more,
  }
}

/** Bytes as the network brings them. */
export async function* inFragments(bytes: Buffer, size: number): AsyncGenerator<readonly Buffer[]> {
  for (let at = 0; at < bytes.length; at += size) yield [bytes.subarray(at, at + size)]
}

export function normalized(
  values: Values,
  more: Partial<NormalizedRequest> = {},
): NormalizedRequest {
  return {
    association: ASSOCIATION,
    messageId: 1,
    transferSyntax: TRANSFER_SYNTAX.explicitLittleEndian,
    sopInstanceUid: undefined,
    dataSet: encoded(values),
    signal: new AbortController().signal,
    ...more,
  }
}
