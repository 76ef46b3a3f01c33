import { randomUUID } from 'node:crypto'
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
import type { HandedOutRow, ImageHeader } from '#server/modules/images/image-study-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import {
  type Intake,
  type IntakeDeps,
  type News,
  openIntake,
} from '#server/modules/images/intake.ts'
import { openPerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import { SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import { knownDevice } from '../../../../support/device.ts'
import { type StandingClock, tempStore } from '../../../../support/temp-store.ts'

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

export const HANDED_OUT: HandedOutRow = {
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

export interface Stage extends AsyncDisposable {
  readonly intake: Intake
  readonly store: Context
  readonly clock: StandingClock
  readonly folder: string
  readonly news: News[]
  readonly kept: InstanceRecord[]
  /** Ids of instances that were current and were set aside. */
  readonly setAside: number[]
  readonly errors: unknown[]
  readonly reports: CommitmentReport[]
  readonly performedSteps: IntakeDeps['performedSteps']
  send(values: Values, options?: SendOptions): Promise<DimseResult>
  /** Files in `images` and in `spool`. */
  files(): { readonly images: string[]; readonly spool: string[] }
  /** The clock is moved, and what is due is done. */
  pass(ms: number): Promise<void>
  /** Another run of the gateway over the same folder. */
  reopen(meanwhile?: () => void): Promise<Intake>
}

export interface SendOptions {
  readonly association?: Partial<AssociationInfo>
  readonly sopClassUid?: string
  readonly sopInstanceUid?: string
  readonly transferSyntax?: string
  readonly moveOriginatorAeTitle?: string
  readonly dataSet?: CStoreRequest['dataSet']
}

export type Settings = { readonly [K in SettingKey]?: unknown }

/** A real store and intake, with the ports to the other slices filled by the test. */
export async function openStage(
  ports: Partial<IntakeDeps> & { readonly settings?: Settings } = {},
): Promise<Stage> {
  const { settings = {}, ...given } = ports
  const temp = tempStore()
  const { store, clock, folder } = temp
  const news: News[] = []
  const kept: InstanceRecord[] = []
  const setAside: number[] = []
  const errors: unknown[] = []
  const reports: CommitmentReport[] = []
  const values: Settings = { 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0, ...settings }
  const performedSteps = openPerformedSteps({ store, clock })
  const deps: IntakeDeps = {
    store,
    clock,
    uuid: randomUUID,
    setting: (key) =>
      (key === 'clinic.id'
        ? store.settings.get(key)
        : Object.hasOwn(values, key)
          ? values[key]
          : SETTINGS[key].initial) as never,
    recogniseDevice: (aeTitle) => (aeTitle === 'CT1' ? DEVICE : undefined),
    performedSteps,
    handedOut: async () => undefined,
    askEnrichment: async () => ({}),
    isFetching: () => false,
    onKept: (instance) => kept.push(instance),
    onReleased: (instance) => kept.push(instance),
    onTakenBack: () => undefined,
    onCorrected: () => undefined,
    orders: { onDays: async () => [], get: async () => undefined },
    transcode: async () => {
      throw new Error('no module')
    },
    onSetAside: (instances) => setAside.push(...instances.map(({ instanceId }) => instanceId)),
    sendEventReport: async (_peer, _aeTitle, report) => void reports.push(report),
    onNews: (line) => news.push(line),
    onChanged: () => undefined,
    onError: (_reference, error) => errors.push(error),
    ...given,
  }
  let intake = await openIntake(deps)
  return {
    get intake() {
      return intake
    },
    ...{ store, clock, folder, news, kept, setAside, errors, reports, performedSteps },
    send: (image, options = {}) => intake.cStoreScp.store(storeRequest(image, options)),
    files: () => ({
      images: filesIn(join(folder, 'images')),
      spool: filesIn(join(folder, 'spool')),
    }),
    async pass(ms) {
      clock.pass(ms)
      intake.wake()
      await intake.settled()
    },
    async reopen(meanwhile) {
      await intake[Symbol.asyncDispose]()
      meanwhile?.()
      intake = await openIntake(deps)
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
