import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { IS_NO_REJECTION_NOTE } from '#server/modules/images/instance-queries.ts'
import { keepLocalFile } from '#server/modules/images/local-files.ts'

/** A stored instance as DICOMweb needs it. */
export interface StoredInstance {
  readonly instanceId: number
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  readonly sopInstanceUid: string
  readonly sopClassUid: string
  readonly transferSyntaxUid: string
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly localRemovedAt: string | null
}

/**
 * The instance with the path of its file, which is fetched if it is not on this PC: it may have been
 * removed since the instance was listed. It is not removed before the result is disposed of.
 * @throws ApiError unavailable; not-found: the instance is gone
 */
export const instanceFile = (
  context: Context,
  { instanceId }: StoredInstance,
): Promise<StoredInstance & { readonly path: string } & Disposable> =>
  keepLocalFile(context, instanceId)

/** What a path of DICOMweb refers to: a study, a series of it, or an instance of that. */
export interface ResourcePath {
  readonly studyInstanceUid: string
  readonly seriesInstanceUid?: string | undefined
  readonly sopInstanceUid?: string | undefined
}

const COLUMNS =
  'instanceId, studyInstanceUid, seriesInstanceUid, sopInstanceUid, sopClassUid, transferSyntaxUid, file, dataSetOffset, bytes, localRemovedAt'
/** Instances in quarantine, replaced versions and rejection notes are never sent. */
const FROM_SENDABLE = `from instances where state = 'current' and ${IS_NO_REJECTION_NOTE}`
const SELECT_BY_UIDS = `select ${COLUMNS} ${FROM_SENDABLE} and sopInstanceUid = ? and seriesInstanceUid = ? and studyInstanceUid = ?`
const SELECT_BY_STUDY = `select ${COLUMNS} ${FROM_SENDABLE} and studyInstanceUid = ? order by instanceId`
const SELECT_BY_SERIES = `select ${COLUMNS} ${FROM_SENDABLE} and studyInstanceUid = ? and seriesInstanceUid = ? order by instanceId`

export const findStoredInstance = (
  database: Database,
  { studyInstanceUid, seriesInstanceUid, sopInstanceUid }: Required<ResourcePath>,
): StoredInstance | undefined =>
  database.get(
    rawQuery<StoredInstance>(SELECT_BY_UIDS, [
      sopInstanceUid ?? '',
      seriesInstanceUid ?? '',
      studyInstanceUid,
    ]),
  )

/** The instances of a study or a series in the order in which they were received, or one instance. */
export function listStoredInstances(database: Database, path: ResourcePath): StoredInstance[] {
  const { studyInstanceUid, seriesInstanceUid, sopInstanceUid } = path
  if (seriesInstanceUid === undefined)
    return database.all(rawQuery<StoredInstance>(SELECT_BY_STUDY, [studyInstanceUid]))
  if (sopInstanceUid === undefined)
    return database.all(
      rawQuery<StoredInstance>(SELECT_BY_SERIES, [studyInstanceUid, seriesInstanceUid]),
    )
  const one = findStoredInstance(database, { studyInstanceUid, seriesInstanceUid, sopInstanceUid })
  return one ? [one] : []
}
