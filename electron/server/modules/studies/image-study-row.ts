import type { Selectable, Updateable } from 'kysely'
import { z } from 'zod'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Enrichment, IDENTITY_FIELDS, IdentityDifference } from '#shared/contract/images.ts'
import { type Message, storedOrEmpty } from '#shared/messages/message.ts'
import { MessageInJson, messageOrNull } from '#shared/messages/message-schema.ts'

/**
 * Header fields of the first instance of the study, decoded, as DICOM has them; empty where they
 * are missing.
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
  /** How its character set was found. */
  readonly characterSetRule: string
}

/** The worklist row that the images were made for. */
export interface HandedOutRow {
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
  /** When it was handed out, or linked. */
  readonly at: string
  /** Name of the person who linked it: it was handed out to no device for these images. */
  readonly linkedBy?: string
}

type IdentityField = (typeof IDENTITY_FIELDS)[number]

/** What differed when the images arrived; null where nothing did. */
export interface Mismatch {
  /** What the row that was handed out says, and what the images say. */
  readonly fields: readonly {
    readonly field: IdentityField
    readonly handedOut: string
    readonly received: string
  }[]
  /** What the first images of the study say, which is used, and what others of it say. */
  readonly amongImages: readonly {
    readonly field: Exclude<IdentityField, 'studyInstanceUid'>
    readonly first: string
    readonly other: string
  }[]
  readonly foundAt: string
}

/** Who overrode the identity check of a study, why, and over which differences. */
export interface IdentityOverride {
  readonly at: string
  readonly userId: string
  readonly name: string
  readonly reason: string
  /** Other differences than these are a mismatch again. */
  readonly differences: readonly IdentityDifference[]
}

export interface StudyTransfer {
  readonly how: 'open' | 'released' | 'aborted'
  readonly detail: Message | null
  readonly at: string
}

interface StudyFields {
  readonly studyInstanceUid: string
  /** When the first instance came. */
  readonly createdAt: string
  readonly lastInstanceAt: string
  readonly state: 'receiving' | 'settled'
  readonly settledAt: string | null
  /** When it is settled at the latest. */
  readonly dueAt: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly deviceName: string
  /** The last association that brought images of it. */
  readonly transfer: StudyTransfer
  readonly header: ImageHeader
  readonly handedOut: HandedOutRow | null
  readonly mismatch: Mismatch | null
  readonly override: IdentityOverride | null
  /** All of it was fetched from an archive as an earlier exam: it is not put up for reading. */
  readonly isFetched: boolean
  readonly enrichment: Enrichment
  readonly enrichmentAttempts: number
}
/**
 * A study that has images. Counters are of current instances; those set aside are in `quarantined`
 * alone.
 */
export interface ImageStudyRecord extends StudyFields {
  readonly instances: number
  readonly series: number
  readonly bytes: number
  readonly quarantined: number
  /** Modalities of the series that have current instances, in alphabetical order. */
  readonly modalities: readonly string[]
  /** Instances that were announced; null where none were. */
  readonly expected: number | null
  /** Announced ones that are neither current nor quarantined. */
  readonly missing: number
  /** Images of it were corrected (decision 0031), and the correction stands. */
  readonly isCorrected: boolean
  /**
   * A version of one of its images, in this study or another, that was found and set aside: a
   * person has to decide which of the two is right. Null where there is none.
   */
  readonly inDoubt: { readonly studyInstanceUid: string; readonly header: ImageHeader } | null
}
export type NewImageStudy = Omit<StudyFields, 'override'>
export type ImageStudyPatch = Partial<Omit<StudyFields, 'studyInstanceUid' | 'createdAt'>>

/** A row of `imageStudies` with what is counted of other tables. */
export type StoredImageStudy = Selectable<Schema['imageStudies']> & {
  readonly modalities: string
  readonly announced: number
  readonly missing: number
  readonly isCorrected: number
  readonly inDoubt: string | null
}

type What = 'header' | 'row' | 'mismatch' | 'override'

const opened = <T>(seal: Pick<Seal, 'open'>, value: Buffer, what: What, uid: string): T =>
  JSON.parse(seal.open(value, `images ${what} ${uid}`).toString())
const openedOrNull = <T>(seal: Seal, value: Buffer | null, what: What, uid: string): T | null =>
  value && opened(seal, value, what, uid)

/** What the header of a version that was found is encrypted under. */
export const foundContextOf = (instanceId: number) => `found version ${instanceId}`

function inDoubtOf(seal: Seal, json: string): ImageStudyRecord['inDoubt'] {
  const { instanceId, studyInstanceUid, header } = JSON.parse(json) as {
    readonly instanceId: number
    readonly studyInstanceUid: string
    readonly header: string
  }
  const text = seal.open(Buffer.from(header, 'hex'), foundContextOf(instanceId)).toString()
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
    header: opened(seal, sealedHeader, 'header', uid),
    handedOut: openedOrNull(seal, sealedHandedOut, 'row', uid),
    mismatch: openedOrNull(seal, sealedMismatch, 'mismatch', uid),
    override: openedOrNull(seal, sealedOverride, 'override', uid),
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

/** The columns of the fields that are given; what names a patient is encrypted. */
export function imageStudyColumns(
  seal: Seal,
  uid: string,
  patch: ImageStudyPatch,
): Updateable<Schema['imageStudies']> {
  const { transfer, header, handedOut, mismatch, override, isFetched, enrichment, ...plain } = patch
  const sealed = <T>(value: T, what: What) =>
    value && seal.seal(Buffer.from(JSON.stringify(value)), `images ${what} ${uid}`)
  return {
    ...plain,
    ...(transfer && {
      transferHow: transfer.how,
      transferDetail: storedOrEmpty(transfer.detail),
      transferAt: transfer.at,
    }),
    ...(header && { sealedHeader: sealed(header, 'header') as Buffer }),
    ...(handedOut !== undefined && { sealedHandedOut: sealed(handedOut, 'row') }),
    ...(mismatch !== undefined && { sealedMismatch: sealed(mismatch, 'mismatch') }),
    ...(override !== undefined && { sealedOverride: sealed(override, 'override') }),
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
 * Who the images are of, by the first of them; the accession number of the row they were made for
 * where they have none.
 */
export type ImageIdentity = Pick<
  ImageHeader,
  'patientName' | 'patientId' | 'accessionNumber' | 'studyDescription'
>

export function imageIdentity(
  seal: Pick<Seal, 'open'>,
  row: Pick<StoredImageStudy, 'studyInstanceUid' | 'sealedHeader' | 'sealedHandedOut'>,
): ImageIdentity {
  const { sealedHeader, sealedHandedOut, studyInstanceUid: uid } = row
  const header = opened<ImageHeader>(seal, sealedHeader, 'header', uid)
  const { patientName, patientId, accessionNumber, studyDescription } = header
  const identity = { patientName, patientId, accessionNumber, studyDescription }
  if (!sealedHandedOut || accessionNumber !== '') return identity
  const handedOut = opened<HandedOutRow>(seal, sealedHandedOut, 'row', uid)
  return { ...identity, accessionNumber: handedOut.accessionNumber }
}
