import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { listStudyCopies } from '#server/modules/images/instance-copy-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { patientKeyOfId } from '#server/modules/studies/retrieval-words.ts'
import { findStudyByUid, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { searchStudies } from '#server/modules/studies/study-search-queries.ts'
import type { CopyHolder, ErasurePreview, ErasureScope } from '#shared/contract/erasure.ts'
import { STUDY_AREAS } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { countStudy, listHolders, listStudiesOfKey } from './erasure-queries.ts'
import { isHeld } from './hold-queries.ts'

const PAGE_SIZE = 100
/** The most studies that one erasure deletes. */
const MAX_STUDIES = 500

/** Lists the backups that contain what exists now. */
export type ListBackups = () => Promise<ErasurePreview['backups']>

/**
 * What an erasure would delete. The studies of a patient are those with the same Patient ID; a study
 * without one is erased alone.
 * @throws ApiError not-found; refused if the patient has more than 500 studies
 */
export async function erasurePreview(
  context: Context,
  studyInstanceUid: string,
  scope: ErasureScope,
  listBackups: ListBackups,
): Promise<ErasurePreview> {
  const { database } = context
  const patientId = patientIdOf(database, studyInstanceUid)
  if (patientId === undefined) throw new ApiError('not-found', message('studies.none-such'))
  const uids =
    scope === 'study' || patientId === ''
      ? [studyInstanceUid]
      : listStudiesOfPatient(database, patientId)
  if (uids.length > MAX_STUDIES)
    throw new ApiError('refused', message('lifecycle.too-many-studies', { count: MAX_STUDIES }))
  return {
    scope,
    studies: uids.map((uid) => ({
      ...summaryOf(database, uid),
      ...countStudy(database, uid),
      isHeld: isHeld(database, uid),
    })),
    elsewhere: holdersOf(context, uids),
    backups: await listBackups(),
    confirmWith: confirmationOf(database, studyInstanceUid),
  }
}

/** What a person types to confirm the erasure of the study or its patient. */
export const confirmationOf = (database: Database, studyInstanceUid: string): string =>
  patientIdOf(database, studyInstanceUid) || studyInstanceUid

/** The systems that may hold copies of the studies, each once. */
export function holdersOf({ database, settings }: Context, uids: readonly string[]): CopyHolder[] {
  const holders = new Map<string, CopyHolder>()
  // Its database follows this one, but the image files stay in its folder.
  if (settings.get('backup.isContinuous'))
    holders.set('standby', { kind: 'standby', name: '', count: 0, confirmed: 0 })
  for (const uid of uids) {
    const confirmed = new Map(
      listStudyCopies(database, uid).map((copy) => [copy.destinationName, copy.instances]),
    )
    for (const { kind, name, count } of listHolders(database, uid)) {
      const key = `${kind} ${name}`
      const before = holders.get(key) ?? { kind, name, count: 0, confirmed: 0 }
      holders.set(key, {
        ...before,
        count: before.count + count,
        confirmed: before.confirmed + (kind === 'destination' ? (confirmed.get(name) ?? 0) : 0),
      })
    }
  }
  return [...holders.values()]
}

/** '' if the study names no Patient ID; undefined if there is no such study. */
function patientIdOf(database: Database, studyInstanceUid: string): string | undefined {
  const header = findImageStudy(database, studyInstanceUid)?.header
  const rows = STUDY_AREAS.flatMap((area) => findStudyByUid(database, area, studyInstanceUid) ?? [])
  if (!header && rows.length === 0) return undefined
  return header?.patientId.trim() || (rows.map(mrnOf).find((mrn) => mrn !== '') ?? '')
}

const mrnOf = ({ detail }: StudyRecord): string => detail.reportMetadata?.mrn?.trim() ?? ''

function listStudiesOfPatient(database: Database, patientId: string): string[] {
  const uids = new Set<string>()
  const images = listStudiesOfKey(database, patientKeyOfId(database, patientId))
  for (const uid of images) uids.add(uid)
  for (const area of STUDY_AREAS)
    for (let after: string | undefined; ; ) {
      const filter = { area, search: patientId }
      const { items, next } = searchStudies(database, filter, 'newest', after, PAGE_SIZE)
      for (const study of items)
        if (mrnOf(study).toUpperCase() === patientId.toUpperCase()) uids.add(study.studyInstanceUid)
      if (next === undefined) break
      after = next
    }
  return [...uids]
}

function summaryOf(database: Database, studyInstanceUid: string) {
  const header = findImageStudy(database, studyInstanceUid)?.header
  const study = findStudyByUid(database, 'scribe', studyInstanceUid)
  const viewer = study ?? findStudyByUid(database, 'viewer', studyInstanceUid)
  return {
    studyInstanceUid,
    patientName: header?.patientName ?? viewer?.detail.reportMetadata?.patientName ?? '',
    patientId: header?.patientId ?? (viewer ? mrnOf(viewer) : ''),
    patientBirthDate: header?.patientBirthDate ?? '',
    studyDate: header?.studyDate ?? '',
    studyDescription: header?.studyDescription ?? viewer?.studyDescription ?? '',
  }
}
