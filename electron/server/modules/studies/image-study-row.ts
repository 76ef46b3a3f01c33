import type { Selectable, Updateable } from 'kysely'
import { z } from 'zod'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Enrichment, IDENTITY_FIELDS, IdentityDifference } from '#shared/contract/images.ts'
import { type Message, storedOrEmpty } from '#shared/messages/message.ts'
import { MessageInJson, messageOrNull } from '#shared/messages/message-schema.ts'

/**
 * Decoded header fields of the first instance of the study, in DICOM format; empty if they are
 * missing.
 */
export interface ImageHeader {
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly patientSex: string
  readonly patientSize: string
  readonly patientWeight: string
  readonly patientAge: string
  readonly accessionNumber: string
  readonly studyDescription: string
  readonly requestedProcedureDescription: string
  readonly studyDate: string
  readonly studyTime: string
  readonly referringPhysicianName: string
  readonly institutionName: string
  readonly studyId: string
  readonly modality: string
  readonly requestedProcedureId: string
  readonly scheduledProcedureStepId: string
  /** Study Instance UID inside RequestAttributesSequence. */
  readonly requestStudyInstanceUid: string
  /** How its character set was determined. */
  readonly characterSetRule: string
}

/** The worklist row that the images were made for. */
export interface SentWorklistRow {
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
  readonly requestedProcedureId: string
  readonly accessionNumber: string
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly patientSex: string
  readonly description: string
  readonly callingAeTitle: string
  /** When it was sent to the device, or linked. */
  readonly at: string
  /** Name of the user who linked it, if it was not sent to a device for these images. */
  readonly linkedBy?: string
}

type IdentityField = (typeof IDENTITY_FIELDS)[number]

/** The differences found when the images arrived; null if there were none. */
export interface Mismatch {
  /** Values of the worklist row and of the images that differ. */
  readonly fields: readonly {
    readonly field: IdentityField
    readonly handedOut: string
    readonly received: string
  }[]
  /** Values of the first image of the study, which are used, and of other images that differ. */
  readonly amongImages: readonly {
    readonly field: Exclude<IdentityField, 'studyInstanceUid'>
    readonly first: string
    readonly other: string
  }[]
  readonly foundAt: string
}

/** An override of the identity check of a study. */
export interface IdentityOverride {
  readonly at: string
  readonly userId: string
  readonly name: string
  readonly reason: string
  /**
   * The differences that were overridden. If other differences occur, the study is a mismatch
   * again.
   */
  readonly differences: readonly IdentityDifference[]
}

export interface StudyTransfer {
  readonly how: 'open' | 'released' | 'aborted'
  readonly detail: Message | null
  readonly at: string
}

interface StudyFields {
  readonly studyInstanceUid: string
  /** When the first instance was received. */
  readonly createdAt: string
  readonly lastInstanceAt: string
  readonly state: 'receiving' | 'settled'
  readonly settledAt: string | null
  /** When it is considered complete at the latest. */
  readonly dueAt: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly deviceName: string
  /** The last association in which its images were received. */
  readonly transfer: StudyTransfer
  readonly header: ImageHeader
  readonly handedOut: SentWorklistRow | null
  readonly mismatch: Mismatch | null
  readonly override: IdentityOverride | null
  /**
   * Whether all of it was retrieved from an archive as a prior study; such studies are not offered
   * for reading.
   */
  readonly isFetched: boolean
  readonly enrichment: Enrichment
  readonly enrichmentAttempts: number
}
/** A study that has images. The counters refer to current instances, except for `quarantined`. */
export interface ImageStudyRecord extends StudyFields {
  readonly instances: number
  readonly series: number
  readonly bytes: number
  readonly quarantined: number
  /** Modalities of the series that have current instances, in alphabetical order. */
  readonly modalities: readonly string[]
  /** Number of announced instances; null if none were announced. */
  readonly expected: number | null
  /** Number of announced instances that are neither current nor quarantined. */
  readonly missing: number
  /** Whether its images were corrected (decision 0031) and the correction has not been undone. */
  readonly isCorrected: boolean
  /**
   * A quarantined version of one of its images, in this study or another. A user has to decide
   * which of the two is correct. Null if there is none.
   */
  readonly inDoubt: { readonly studyInstanceUid: string; readonly header: ImageHeader } | null
}
export type NewImageStudy = Omit<StudyFields, 'override'>
export type ImageStudyPatch = Partial<Omit<StudyFields, 'studyInstanceUid' | 'createdAt'>>

/** A row of `imageStudies` with counts from other tables. */
export type StoredImageStudy = Selectable<Schema['imageStudies']> & {
  readonly modalities: string
  readonly announced: number
  readonly missing: number
  readonly isCorrected: number
  readonly inDoubt: string | null
}

type EncryptedPart = 'header' | 'row' | 'mismatch' | 'override'

const decrypt = <T>(seal: Pick<Seal, 'open'>, value: Buffer, what: EncryptedPart, uid: string): T =>
  JSON.parse(seal.open(value, `images ${what} ${uid}`).toString())
const decryptNullable = <T>(
  seal: Seal,
  value: Buffer | null,
  what: EncryptedPart,
  uid: string,
): T | null => value && decrypt(seal, value, what, uid)

/** Encryption context of the header of a quarantined version. */
export const versionContextOf = (instanceId: number) => `found version ${instanceId}`

function inDoubtOf(seal: Seal, json: string): ImageStudyRecord['inDoubt'] {
  const { instanceId, studyInstanceUid, header } = JSON.parse(json) as {
    readonly instanceId: number
    readonly studyInstanceUid: string
    readonly header: string
  }
  const text = seal.open(Buffer.from(header, 'hex'), versionContextOf(instanceId)).toString()
  return { studyInstanceUid, header: JSON.parse(text) }
}

export function imageStudyOf(seal: Seal, stored: StoredImageStudy): ImageStudyRecord {
  const { sealedHeader, sealedHandedOut, sealedMismatch, sealedOverride, ...columns } = stored
  const { transferHow, transferDetail, transferAt, ...withoutTransfer } = columns
  const { enrichmentState, enrichmentAskedAt, enrichmentNextAt, ...others } = withoutTransfer
  const { enrichmentDetail, enrichmentWarnings, isMismatched: _, announced, ...row } = others
  const { studyInstanceUid: uid } = row
  return {
    ...row,
    state: row.state as ImageStudyRecord['state'],
    transfer: {
      how: transferHow as StudyTransfer['how'],
      detail: messageOrNull(transferDetail),
      at: transferAt,
    },
    header: decrypt(seal, sealedHeader, 'header', uid),
    handedOut: decryptNullable(seal, sealedHandedOut, 'row', uid),
    mismatch: decryptNullable(seal, sealedMismatch, 'mismatch', uid),
    override: decryptNullable(seal, sealedOverride, 'override', uid),
    isFetched: row.isFetched === 1,
    enrichment: {
      state: enrichmentState as Enrichment['state'],
      askedAt: enrichmentAskedAt,
      nextAt: enrichmentNextAt,
      detail: messageOrNull(enrichmentDetail),
      warnings: warningsOf(enrichmentWarnings),
    },
    modalities: JSON.parse(row.modalities),
    expected: announced === 0 ? null : announced,
    isCorrected: row.isCorrected === 1,
    inDoubt: row.inDoubt === null ? null : inDoubtOf(seal, row.inDoubt),
  }
}

const warningsOf = (json: string): Message[] => z.array(MessageInJson).parse(JSON.parse(json))

/** Converts the given fields to columns; patient data is encrypted. */
export function imageStudyColumns(
  seal: Seal,
  uid: string,
  patch: ImageStudyPatch,
): Updateable<Schema['imageStudies']> {
  const { transfer, header, handedOut, mismatch, override, isFetched, enrichment, ...columns } =
    patch
  const encrypt = <T>(value: T, what: EncryptedPart) =>
    value && seal.seal(Buffer.from(JSON.stringify(value)), `images ${what} ${uid}`)
  return {
    ...columns,
    ...(transfer && {
      transferHow: transfer.how,
      transferDetail: storedOrEmpty(transfer.detail),
      transferAt: transfer.at,
    }),
    ...(header && { sealedHeader: encrypt(header, 'header') as Buffer }),
    ...(handedOut !== undefined && { sealedHandedOut: encrypt(handedOut, 'row') }),
    ...(mismatch !== undefined && { sealedMismatch: encrypt(mismatch, 'mismatch') }),
    ...(override !== undefined && { sealedOverride: encrypt(override, 'override') }),
    ...(isFetched !== undefined && { isFetched: flag(isFetched) }),
    ...(enrichment && {
      enrichmentState: enrichment.state,
      enrichmentAskedAt: enrichment.askedAt,
      enrichmentNextAt: enrichment.nextAt,
      enrichmentDetail: storedOrEmpty(enrichment.detail),
      enrichmentWarnings: JSON.stringify(enrichment.warnings),
    }),
  }
}

/**
 * The patient of the images according to the first image. The accession number is taken from the
 * worklist row if the image has none.
 */
export type ImageIdentity = Pick<
  ImageHeader,
  'patientName' | 'patientId' | 'accessionNumber' | 'studyDescription'
>

export function imageIdentity(
  seal: Pick<Seal, 'open'>,
  row: Pick<StoredImageStudy, 'studyInstanceUid' | 'sealedHeader' | 'sealedHandedOut'>,
): ImageIdentity {
  const { patientName, patientId, accessionNumber, studyDescription } = storedHeaderOf(seal, row)
  return { patientName, patientId, accessionNumber, studyDescription }
}

/** The header of a stored study, with the accession number of `imageIdentity`. */
export function storedHeaderOf(
  seal: Pick<Seal, 'open'>,
  row: Pick<StoredImageStudy, 'studyInstanceUid' | 'sealedHeader' | 'sealedHandedOut'>,
): ImageHeader {
  const { sealedHeader, sealedHandedOut, studyInstanceUid: uid } = row
  const header = decrypt<ImageHeader>(seal, sealedHeader, 'header', uid)
  if (!sealedHandedOut || header.accessionNumber !== '') return header
  const { accessionNumber } = decrypt<SentWorklistRow>(seal, sealedHandedOut, 'row', uid)
  return { ...header, accessionNumber }
}
