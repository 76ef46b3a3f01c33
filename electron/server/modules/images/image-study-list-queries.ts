import type { Database } from '#server/database/database.ts'
import { type Slice, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import { matchesTerms, termsOf } from '#server/database/search-text.ts'
import { findImageStudy, readImageStudies } from '#server/modules/studies/image-study-queries.ts'
import {
  type ImageStudyRecord,
  imageIdentity,
  type StoredImageStudy,
} from '#server/modules/studies/image-study-row.ts'
import {
  IMAGE_WORDS,
  searchableTextsOfImages,
  searchWordsOf,
} from '#server/modules/studies/search-index.ts'
import { IS_REPLACING } from './instance-queries.ts'

// Lists of image studies, of their series, and of studies that are due.

export type ReceivingStudy = Pick<ImageStudyRecord, 'studyInstanceUid' | 'lastInstanceAt' | 'dueAt'>

export interface ImageSeriesRecord {
  readonly seriesInstanceUid: string
  readonly modality: string
  readonly seriesNumber: string
  readonly seriesDescription: string
  readonly instances: number
  readonly bytes: number
  readonly lastInstanceAt: string
}

export interface ImageStudyQuery {
  readonly show: 'all' | 'receiving' | 'incomplete' | 'mismatch' | 'replaced'
  /**
   * The search text. Each word must occur in name, patient ID, accession number or description, or
   * be the beginning of the UID. Empty for all studies.
   */
  readonly search: string
}

// Each of these matches few studies and has an index of its own; the result is sorted afterwards.
// incomplete: announced instances are missing, or nothing was announced and the last transfer was
// aborted.
const FILTERS = {
  all: undefined,
  receiving: `select studyInstanceUid from imageStudies where state = 'receiving'`,
  incomplete: `select studyInstanceUid from (
      select studyInstanceUid from imageStudies a where a.transferHow = 'aborted'
        and not exists (select 1 from announcedInstances n where n.studyInstanceUid = a.studyInstanceUid)
      union select studyInstanceUid from announcedInstances where isHere = 0) u
    where 'settled' = (select state from imageStudies s where s.studyInstanceUid = u.studyInstanceUid)`,
  mismatch: `select studyInstanceUid from imageStudies where isMismatched = 1`,
  replaced: `select distinct studyInstanceUid from instances indexed by instancesReplacing where ${IS_REPLACING}`,
} as const satisfies Record<ImageStudyQuery['show'], string | undefined>
/** A study whose instances were all discarded may still have superseded versions. */
const NOT_EMPTY_CONDITION = '(instances > 0 or quarantined > 0)'

const SELECT_MATCHING = `select n.studyInstanceUid from ${IMAGE_WORDS} w cross join imageStudyNumbers n on n.number = w.rowid where ${IMAGE_WORDS} match ?`
const COUNT_MATCHES = `select count(*) as count from (select 1 from ${IMAGE_WORDS} where ${IMAGE_WORDS} match ? limit ?)`
/** Up to this many matches are sorted; if there are more, the list is scanned instead. */
const MAX_SORTED_MATCHES = 2000
/** Maximum number of studies that are scanned for one page. */
const MAX_SCANNED_STUDIES = 1500
const SCAN_BATCH_SIZE = 100

type Row = Pick<
  StoredImageStudy,
  'studyInstanceUid' | 'lastInstanceAt' | 'sealedHeader' | 'sealedHandedOut'
>
const positionOf = ({ lastInstanceAt, studyInstanceUid }: Row) =>
  `${lastInstanceAt} ${studyInstanceUid}`

/**
 * Studies that most recently received an instance first, without those whose instances were all
 * discarded. With a search, a page may be short or even empty, because the number of scanned
 * studies is limited; `next` continues after them.
 */
export function listImageStudyRecords(
  database: Database,
  query: ImageStudyQuery,
  after: string | undefined,
  limit: number,
): Slice<ImageStudyRecord> {
  const { items, ...rest } =
    termsOf(query.search).length === 0
      ? sliceOf(pageRows(database, query.show, undefined, after, limit + 1), limit, positionOf)
      : searchedRows(database, query, after, limit)
  return {
    items: items.flatMap(
      ({ studyInstanceUid }) => findImageStudy(database, studyInstanceUid) ?? [],
    ),
    ...rest,
  }
}

function searchedRows(
  database: Database,
  { show, search }: ImageStudyQuery,
  after: string | undefined,
  limit: number,
): Slice<Row> {
  const terms = termsOf(search)
  const match = searchWordsOf(database)
    .expressionsOf(search)
    .map(({ text }) => text)
    .join(' AND ')
  const matches =
    database.get(rawQuery<{ count: number }>(COUNT_MATCHES, [match, MAX_SORTED_MATCHES + 1]))
      ?.count ?? 0
  const sortedMatch = matches > MAX_SORTED_MATCHES ? undefined : match
  const found: Row[] = []
  let from = after
  for (let opened = 0; opened < MAX_SCANNED_STUDIES; ) {
    const part = pageRows(database, show, sortedMatch, from, SCAN_BATCH_SIZE)
    for (const row of part) {
      if (
        matchesTerms(
          terms,
          searchableTextsOfImages(row.studyInstanceUid, imageIdentity(database.seal, row)),
        )
      )
        found.push(row)
      if (found.length > limit) return sliceOf(found, limit, positionOf)
    }
    const last = part.at(-1)
    if (last === undefined || part.length < SCAN_BATCH_SIZE) return { items: found }
    from = positionOf(last)
    opened += part.length
  }
  return { items: found, ...(from !== undefined && { next: from }) }
}

function pageRows(
  database: Database,
  show: ImageStudyQuery['show'],
  match: string | undefined,
  after: string | undefined,
  limit: number,
): Row[] {
  const sources = [FILTERS[show], match === undefined ? undefined : SELECT_MATCHING].flatMap(
    (text) => (text === undefined ? [] : [`select * from (${text})`]),
  )
  const from =
    sources.length === 0
      ? 'imageStudies s'
      : `(${sources.join(' intersect ')}) c cross join imageStudies s using (studyInstanceUid)`
  const [at, ...uid] = after?.split(' ') ?? []
  const rest = at === undefined ? '' : 'and (s.lastInstanceAt, s.studyInstanceUid) < (?, ?)'
  const text = `select s.studyInstanceUid, s.lastInstanceAt, s.sealedHeader, s.sealedHandedOut from ${from}
      where ${NOT_EMPTY_CONDITION} ${rest} order by s.lastInstanceAt desc, s.studyInstanceUid desc limit ?`
  return database.all(
    rawQuery<Row>(text, [
      ...(match === undefined ? [] : [match]),
      ...(at === undefined ? [] : [at, uid.join(' ')]),
      limit,
    ]),
  )
}

const SELECT_SUMMARY = `select
  (select count(*) from instances where receivedAt >= ?) as today,
  (select count(*) from imageStudies where state = 'receiving' and ${NOT_EMPTY_CONDITION}) as receiving,
  (select count(*) from instances where state = 'quarantined') as quarantined,
  (select count(*) from imageStudies where isMismatched = 1 and ${NOT_EMPTY_CONDITION}) as mismatches,
  (select count(distinct studyInstanceUid) from instances indexed by instancesReplacing where ${IS_REPLACING}) as replaced`

interface ImageSummary {
  /** Instances received since the given time. */
  readonly today: number
  /** Number of studies. */
  readonly receiving: number
  /** Number of instances. */
  readonly quarantined: number
  /** Number of studies. */
  readonly mismatches: number
  /** Studies with unreviewed replacements of images whose pixels changed. */
  readonly replaced: number
}

export const summariseImages = (database: Database, sinceToday: string): ImageSummary =>
  database.get(rawQuery<ImageSummary>(SELECT_SUMMARY, [sinceToday])) as ImageSummary

/**
 * Open studies, in the order in which they are due. Reads only the columns that are needed, because
 * migrating an archive opens thousands of studies.
 */
export const listReceivingStudies = (database: Database): ReceivingStudy[] =>
  database.all(
    database.sql
      .selectFrom('imageStudies')
      .select(['studyInstanceUid', 'lastInstanceAt', 'dueAt'])
      .where('state', '=', 'receiving')
      .orderBy('dueAt')
      .orderBy('studyInstanceUid'),
  )

/** Studies whose enrichment request is due. */
export const listEnrichmentDue = (database: Database, now: string): ImageStudyRecord[] =>
  readImageStudies(
    database,
    `where s.enrichmentState = 'waiting' and s.enrichmentNextAt <= ? order by s.enrichmentNextAt`,
    now,
  )

/** Number of waiting enrichment requests, and since when the oldest study has been complete. */
export const waitingEnrichments = (database: Database) =>
  database.get(rawQuery<{ count: number; since: string | null }>(COUNT_TO_ENRICH, [])) ?? {
    count: 0,
    since: null,
  }

/** When the next enrichment request is due. */
export const nextEnrichmentDue = (database: Database): string | undefined =>
  database.get(
    database.sql
      .selectFrom('imageStudies')
      .select(({ fn }) => fn.min('enrichmentNextAt').as('at'))
      .where('enrichmentState', '=', 'waiting'),
  )?.at ?? undefined

const COUNT_TO_ENRICH = `select count(*) as count, min(ifnull(settledAt, lastInstanceAt)) as since
  from imageStudies where enrichmentState = 'waiting'`
const SELECT_SERIES = `select seriesInstanceUid, modality, seriesNumber, sealedDescription, instances, bytes, lastInstanceAt from imageSeries
  where studyInstanceUid = ? and instances > 0 order by cast(seriesNumber as integer), seriesInstanceUid`

type StoredSeries = Omit<ImageSeriesRecord, 'seriesDescription'> & {
  sealedDescription: Buffer | null
}

/** Lists the series of a study, ordered by series number. */
export const listImageSeries = (
  database: Database,
  studyInstanceUid: string,
): ImageSeriesRecord[] =>
  database
    .all(rawQuery<StoredSeries>(SELECT_SERIES, [studyInstanceUid]))
    .map(({ sealedDescription: sealed, ...series }) => ({
      ...series,
      seriesDescription: sealed
        ? database.seal.open(sealed, seriesSealContext(studyInstanceUid)).toString()
        : '',
    }))

/** Encryption context of the description of a series. */
export const seriesSealContext = (studyInstanceUid: string) =>
  `series of images ${studyInstanceUid}`
