import type { Selectable, Updateable } from 'kysely'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/flag.ts'
import type { Schema } from '#server/database/schema.ts'
import { foundContextOf } from '#server/modules/corrections/correction-queries.ts'
import type {
  HandedOutRow,
  ImageHeader,
  ImageStudyPatch,
  ImageStudyRecord,
} from './image-study-queries.ts'

/** A row of `imageStudies` with what is counted of other tables. */
export type StoredImageStudy = Selectable<Schema['imageStudies']> & {
  readonly modalities: string
  readonly announced: number
  readonly missing: number
  readonly isCorrected: number
  readonly inDoubt: string | null
}

/** Between a study with images and its row: what names a patient is sealed. */
export interface ImageStudyRows {
  recordOf(row: StoredImageStudy): ImageStudyRecord
  /** The columns of the fields that are given. */
  columnsOf(studyInstanceUid: string, patch: ImageStudyPatch): Updateable<Schema['imageStudies']>
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
  const opened = <T>(value: Buffer, what: What): T =>
    JSON.parse(seal.open(value, `${what} ${row.studyInstanceUid}`).toString())
  const { patientName, patientId, accessionNumber, studyDescription } = opened<ImageHeader>(
    row.sealedHeader,
    'images header',
  )
  const handedOut =
    row.sealedHandedOut && accessionNumber === ''
      ? opened<HandedOutRow>(row.sealedHandedOut, 'images row')
      : undefined
  return {
    patientName,
    patientId,
    accessionNumber: accessionNumber || (handedOut?.accessionNumber ?? ''),
    studyDescription,
  }
}

export function imageStudyRows(seal: Seal): ImageStudyRows {
  const sealed = (value: unknown, what: What, uid: string) =>
    seal.seal(Buffer.from(JSON.stringify(value)), `${what} ${uid}`)
  const opened = (value: Buffer, what: What, uid: string) =>
    JSON.parse(seal.open(value, `${what} ${uid}`).toString())
  const inDoubt = (row: string): ImageStudyRecord['inDoubt'] => {
    const { instanceId, studyInstanceUid, header } = JSON.parse(row) as Record<
      'studyInstanceUid' | 'header',
      string
    > & {
      readonly instanceId: number
    }
    const sealedHeader = Buffer.from(header, 'hex')
    return {
      studyInstanceUid,
      header: JSON.parse(seal.open(sealedHeader, foundContextOf(instanceId)).toString()),
    }
  }

  return {
    recordOf: (row) => ({
      studyInstanceUid: row.studyInstanceUid,
      createdAt: row.createdAt,
      lastInstanceAt: row.lastInstanceAt,
      state: row.state as ImageStudyRecord['state'],
      settledAt: row.settledAt,
      dueAt: row.dueAt,
      callingAeTitle: row.callingAeTitle,
      remoteAddress: row.remoteAddress,
      deviceName: row.deviceName,
      transfer: {
        how: row.transferHow as ImageStudyRecord['transfer']['how'],
        detail: row.transferDetail,
        at: row.transferAt,
      },
      header: opened(row.sealedHeader, 'images header', row.studyInstanceUid),
      handedOut:
        row.sealedHandedOut && opened(row.sealedHandedOut, 'images row', row.studyInstanceUid),
      mismatch:
        row.sealedMismatch && opened(row.sealedMismatch, 'images mismatch', row.studyInstanceUid),
      override:
        row.sealedOverride && opened(row.sealedOverride, 'images override', row.studyInstanceUid),
      isFetched: row.isFetched === 1,
      enrichment: {
        state: row.enrichmentState as ImageStudyRecord['enrichment']['state'],
        askedAt: row.enrichmentAskedAt,
        nextAt: row.enrichmentNextAt,
        detail: row.enrichmentDetail,
        warnings: JSON.parse(row.enrichmentWarnings),
      },
      enrichmentAttempts: row.enrichmentAttempts,
      instances: row.instances,
      series: row.series,
      bytes: row.bytes,
      quarantined: row.quarantined,
      modalities: JSON.parse(row.modalities),
      expected: row.announced === 0 ? null : row.announced,
      missing: row.missing,
      isCorrected: row.isCorrected === 1,
      inDoubt: row.inDoubt === null ? null : inDoubt(row.inDoubt),
    }),
    columnsOf(
      uid,
      { transfer, header, handedOut, mismatch, override, isFetched, enrichment, ...plain },
    ) {
      return {
        ...plain,
        ...(transfer && {
          transferHow: transfer.how,
          transferDetail: transfer.detail,
          transferAt: transfer.at,
        }),
        ...(header && { sealedHeader: sealed(header, 'images header', uid) }),
        ...(handedOut !== undefined && {
          sealedHandedOut: handedOut && sealed(handedOut, 'images row', uid),
        }),
        ...(mismatch !== undefined && {
          sealedMismatch: mismatch && sealed(mismatch, 'images mismatch', uid),
        }),
        ...(override !== undefined && {
          sealedOverride: override && sealed(override, 'images override', uid),
        }),
        ...(isFetched !== undefined && { isFetched: flag(isFetched) }),
        ...(enrichment && {
          enrichmentState: enrichment.state,
          enrichmentAskedAt: enrichment.askedAt,
          enrichmentNextAt: enrichment.nextAt,
          enrichmentDetail: enrichment.detail,
          enrichmentWarnings: JSON.stringify(enrichment.warnings),
        }),
      }
    },
  }
}

type What = 'images header' | 'images row' | 'images mismatch' | 'images override'
