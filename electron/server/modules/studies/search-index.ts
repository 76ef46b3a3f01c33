import { type Database, perDatabase } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { SearchableValues } from '#server/database/search-text.ts'
import { searchWords } from '#server/database/search-words.ts'
import { STUDY_AREAS } from '#shared/contract/settings.ts'
import { type ImageIdentity, imageIdentity } from './image-study-row.ts'
import type { Area } from './study-facet.ts'
import { findStudyByUid, type StudyRecord } from './study-queries.ts'

/** The word index of each area. Its row IDs are the sequence numbers of studies. */
export const STUDY_WORDS = {
  viewer: 'viewerStudyWords',
  scribe: 'scribeStudyWords',
} as const satisfies Record<Area, string>
export const IMAGE_WORDS = 'imageStudyWords'

/*
 * Writes the word index of studies and images (`search-words.ts`), within the transaction that
 * changes them.
 */

const SELECT_IDENTITY =
  'select studyInstanceUid, sealedHeader, sealedHandedOut from imageStudies where studyInstanceUid = ?'
const SELECT_NUMBER = 'select number from imageStudyNumbers where studyInstanceUid = ?'
const replaceSql = (table: string) => `replace into ${table} (rowid, words) values (?, ?)`

/** Facets are indexed as words, so that a filter is another list to intersect. */
export const FACETS = {
  severity: (severity: string) => `severity ${severity}`,
  status: (status: string) => `status ${status}`,
  cancelled: (isCancelled: boolean) => (isCancelled ? 'cancelled' : 'not cancelled'),
  assignedTo: (userId: string | null) => `assigned ${userId ?? 'nobody'}`,
  customer: (expressCustomerId: string | null) => `customer ${expressCustomerId ?? 'none'}`,
} as const

/** The hashed words of this data folder, which depend on its key. */
export const searchWordsOf = perDatabase((database) =>
  searchWords(database.seal.keyFor('study search')),
)

export function indexStudyWords(database: Database, study: StudyRecord): void {
  const { area, seq, severity, status, cancelledAt, assignedTo, expressCustomerId } = study
  const facets = [
    FACETS.severity(severity),
    FACETS.status(status),
    FACETS.cancelled(cancelledAt !== null),
    FACETS.assignedTo(assignedTo),
    FACETS.customer(expressCustomerId),
  ].map((facet) => searchWordsOf(database).facet(facet))
  database.run(
    rawQuery(replaceSql(STUDY_WORDS[area]), [
      BigInt(seq),
      searchWordsOf(database).wordsOf(searchableTextsOf(database, study), facets),
    ]),
  )
}

/** Updates the words of the studies with the UID after the identity of its images has changed. */
export function indexStudiesByUid(database: Database, studyInstanceUid: string): void {
  for (const area of STUDY_AREAS) {
    const study = findStudyByUid(database, area, studyInstanceUid)
    if (study) indexStudyWords(database, study)
  }
}

/** Updates the words of a study with images. Does nothing if there is none. */
export function indexImageWords(database: Database, studyInstanceUid: string): void {
  const identity = imageIdentityOf(database, studyInstanceUid)
  const number = database.get(
    rawQuery<{ number: number }>(SELECT_NUMBER, [studyInstanceUid]),
  )?.number
  if (!identity || number === undefined) return
  const text = searchWordsOf(database).wordsOf(searchableTextsOfImages(studyInstanceUid, identity))
  database.run(rawQuery(replaceSql(IMAGE_WORDS), [BigInt(number), text]))
}

/** The searchable texts of a study: its own fields and the identity of its images. */
export function searchableTextsOf(
  database: Database,
  {
    studyInstanceUid,
    studyDescription,
    detail,
  }: Pick<StudyRecord, 'studyInstanceUid' | 'studyDescription' | 'detail'>,
): SearchableValues {
  const { reportMetadata, externalPatientId } = detail
  const images = imageIdentityOf(database, studyInstanceUid)
  const own = [
    studyDescription,
    reportMetadata?.patientName,
    reportMetadata?.mrn,
    externalPatientId,
  ]
  const texts = [...own, ...(images ? identityTextsOf(images) : [])].filter(
    (text) => text !== undefined && text !== null && text !== '',
  )
  return { texts: [...new Set(texts as string[])], uid: studyInstanceUid }
}

function imageIdentityOf(database: Database, studyInstanceUid: string): ImageIdentity | undefined {
  const row = database.get(
    rawQuery<{ studyInstanceUid: string; sealedHeader: Buffer; sealedHandedOut: Buffer | null }>(
      SELECT_IDENTITY,
      [studyInstanceUid],
    ),
  )
  return row && imageIdentity(database.seal, row)
}

const identityTextsOf = ({ patientName, patientId, accessionNumber }: ImageIdentity): string[] => [
  patientName,
  patientId,
  accessionNumber,
]

/** The searchable texts of a study with images. */
export const searchableTextsOfImages = (
  studyInstanceUid: string,
  identity: ImageIdentity,
): SearchableValues => ({
  texts: [...identityTextsOf(identity), identity.studyDescription].filter((text) => text !== ''),
  uid: studyInstanceUid,
})
