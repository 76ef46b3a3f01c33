import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { Searchable } from '#server/database/search-text.ts'
import { type SearchWords, searchWords } from '#server/database/search-words.ts'
import { type ImageIdentity, imageIdentity } from '#server/modules/images/image-study-row.ts'
import type { Area } from './study-facet.ts'
import type { StudyRecord } from './study-queries.ts'

/** The index of words of each area; row ids are sequence numbers of studies. */
export const STUDY_WORDS = {
  viewer: 'viewerStudyWords',
  scribe: 'scribeStudyWords',
} as const satisfies Record<Area, string>
export const IMAGE_WORDS = 'imageStudyWords'

/**
 * Writes what studies and images are found by (`search-words.ts`), within the transaction that
 * changes them.
 */
export interface SearchIndex {
  readonly words: SearchWords
  keepStudy(study: StudyRecord): void
  /** Of a study with images; nothing where there are none. */
  keepImages(studyInstanceUid: string): void
  /** What a study is found by: its own values and the identity of its images. */
  ofStudy(study: Pick<StudyRecord, 'studyInstanceUid' | 'studyDescription' | 'detail'>): Searchable
}

const IDENTITY =
  'select studyInstanceUid, sealedHeader, sealedHandedOut from imageStudies where studyInstanceUid = ?'
const NUMBER = 'select number from imageStudyNumbers where studyInstanceUid = ?'
const keep = (table: string) => `replace into ${table} (rowid, words) values (?, ?)`

/** Facets are words too, so that a filter is one more list to intersect. */
export const FACETS = {
  severity: (severity: string) => `severity ${severity}`,
  status: (status: string) => `status ${status}`,
  cancelled: (isCancelled: boolean) => (isCancelled ? 'cancelled' : 'not cancelled'),
  assignedTo: (userId: string | null) => `assigned ${userId ?? 'nobody'}`,
  customer: (expressCustomerId: string | null) => `customer ${expressCustomerId ?? 'none'}`,
} as const

export function searchIndex(db: Database, seal: Seal): SearchIndex {
  const words = searchWords(seal.keyFor('study search'))
  const identityOf = (studyInstanceUid: string): ImageIdentity | undefined => {
    const row = db.get(
      rawQuery<{ studyInstanceUid: string; sealedHeader: Buffer; sealedHandedOut: Buffer | null }>(
        IDENTITY,
        [studyInstanceUid],
      ),
    )
    return row && imageIdentity(seal, row)
  }

  function ofStudy({
    studyInstanceUid,
    studyDescription,
    detail,
  }: Pick<StudyRecord, 'studyInstanceUid' | 'studyDescription' | 'detail'>) {
    const { reportMetadata, externalPatientId } = detail
    const images = identityOf(studyInstanceUid)
    const own = [
      studyDescription,
      reportMetadata?.patientName,
      reportMetadata?.mrn,
      externalPatientId,
    ]
    const texts = [...own, ...(images ? namesIn(images) : [])].filter(
      (text) => text !== undefined && text !== null && text !== '',
    )
    return { texts: [...new Set(texts as string[])], uid: studyInstanceUid }
  }

  return {
    words,
    ofStudy,
    keepStudy(study) {
      const { area, seq, severity, status, cancelledAt, assignedTo, expressCustomerId } = study
      const facets = [
        FACETS.severity(severity),
        FACETS.status(status),
        FACETS.cancelled(cancelledAt !== null),
        FACETS.assignedTo(assignedTo),
        FACETS.customer(expressCustomerId),
      ].map(words.facet)
      db.run(
        rawQuery(keep(STUDY_WORDS[area]), [BigInt(seq), words.wordsOf(ofStudy(study), facets)]),
      )
    },
    keepImages(studyInstanceUid) {
      const identity = identityOf(studyInstanceUid)
      const number = db.get(rawQuery<{ number: number }>(NUMBER, [studyInstanceUid]))?.number
      if (!identity || number === undefined) return
      const text = words.wordsOf(ofImages(studyInstanceUid, identity))
      db.run(rawQuery(keep(IMAGE_WORDS), [BigInt(number), text]))
    },
  }
}

const namesIn = ({ patientName, patientId, accessionNumber }: ImageIdentity): string[] => [
  patientName,
  patientId,
  accessionNumber,
]

/** What a study with images is found by. */
export const ofImages = (studyInstanceUid: string, identity: ImageIdentity): Searchable => ({
  texts: [...namesIn(identity), identity.studyDescription].filter((text) => text !== ''),
  uid: studyInstanceUid,
})
