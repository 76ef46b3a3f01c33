import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { rawQuery } from '#server/database/query.ts'
import { trigramWords } from '#server/database/trigrams.ts'
import { folded } from '#server/platform/text.ts'
import { updateMismatch } from './image-study-queries.ts'
import { indexStudyWords } from './search-index.ts'
import { GRAM_TABLES } from './study-list-queries.ts'
import {
  type NewStudyRecord,
  type StudyDetail,
  type StudyRecord,
  studySealContext,
} from './study-queries.ts'

// Writes studies together with the data derived from them: the word index, and whether the images
// belong to the same patient.

export const insertStudy = (database: Database, study: NewStudyRecord): StudyRecord =>
  database.transaction(() => {
    const { detail, ...fields } = study
    const descriptionFolded = folded(study.studyDescription)
    const row = {
      ...fields,
      descriptionFolded,
      sealedDetail: sealedDetail(detail, study.studyId, database.seal),
    }
    const seq = database.run(database.sql.insertInto('studies').values(row)).lastInsertRowid
    database.run(
      rawQuery(`insert into ${GRAM_TABLES[study.area]} (rowid, grams) values (?, ?)`, [
        BigInt(seq),
        trigramWords(descriptionFolded),
      ]),
    )
    const inserted: StudyRecord = { ...study, seq }
    indexStudyWords(database, inserted)
    updateMismatch(database, study.studyInstanceUid)
    database.notify('studies')
    return inserted
  })

/**
 * Saves the mutable fields of a study. `detail` is encrypted again only if it is a different
 * object.
 */
export const saveStudy = (database: Database, study: StudyRecord, before: StudyRecord): void =>
  database.transaction(() => {
    const {
      seq,
      area,
      studyDescription,
      severity,
      status,
      cancelledAt,
      updatedAt,
      assignedTo,
      expressCustomerId,
    } = study
    const descriptionFolded = folded(studyDescription)
    const changed = {
      studyDescription,
      descriptionFolded,
      severity,
      status,
      cancelledAt,
      updatedAt,
      assignedTo,
      expressCustomerId,
    }
    const detail =
      study.detail === before.detail
        ? {}
        : { sealedDetail: sealedDetail(study.detail, study.studyId, database.seal) }
    database.run(
      database.sql
        .updateTable('studies')
        .set({ ...changed, ...detail })
        .where('seq', '=', seq),
    )
    if (descriptionFolded !== folded(before.studyDescription))
      database.run(
        rawQuery(`update ${GRAM_TABLES[area]} set grams = ? where rowid = ?`, [
          trigramWords(descriptionFolded),
          BigInt(seq),
        ]),
      )
    if (isIndexOutdated(study, before)) indexStudyWords(database, study)
    if (study.detail !== before.detail) updateMismatch(database, study.studyInstanceUid)
    database.notify('studies')
  })

/** Whether the indexed words or facets of the study have changed. */
const isIndexOutdated = (study: StudyRecord, before: StudyRecord): boolean =>
  study.detail !== before.detail ||
  (study.cancelledAt === null) !== (before.cancelledAt === null) ||
  (['studyDescription', 'severity', 'status', 'assignedTo', 'expressCustomerId'] as const).some(
    (field) => study[field] !== before[field],
  )

function sealedDetail(detail: StudyDetail, studyId: string, seal: Seal): Buffer | null {
  const text = JSON.stringify(detail)
  return text === '{}' ? null : seal.seal(Buffer.from(text), studySealContext(studyId))
}
