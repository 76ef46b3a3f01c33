import type { Database } from '#server/database/database.ts'
import { type Slice, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import { isFound, termsOf } from '#server/database/search-text.ts'
import { findImageStudy, readImageStudies } from '#server/modules/studies/image-study-queries.ts'
import {
  type ImageStudyRecord,
  imageIdentity,
  type StoredImageStudy,
} from '#server/modules/studies/image-study-row.ts'
import {
  IMAGE_WORDS,
  searchableOfImages,
  searchWordsOf,
} from '#server/modules/studies/search-index.ts'
import { REPLACING } from './instance-queries.ts'

/* Lists of studies with images, what is due of them, and their series. */

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
   * As it was typed: each word in name, patient id, accession number or description, or what the
   * UID begins with; empty: every study.
   */
  readonly search: string
}

// Few studies each, by their own indexes: the list is put in order after them. Incomplete: what was
// announced is not here, or nothing was announced and the last transfer broke off.
const SHOWN = {
  all: undefined,
  receiving: `select studyInstanceUid from imageStudies where state = 'receiving'`,
  incomplete: `select studyInstanceUid from (
      select studyInstanceUid from imageStudies a where a.transferHow = 'aborted'
        and not exists (select 1 from announcedInstances n where n.studyInstanceUid = a.studyInstanceUid)
      union select studyInstanceUid from announcedInstances where isHere = 0) u
    where 'settled' = (select state from imageStudies s where s.studyInstanceUid = u.studyInstanceUid)`,
  mismatch: `select studyInstanceUid from imageStudies where isMismatched = 1`,
  replaced: `select distinct studyInstanceUid from instances indexed by instancesReplacing where ${REPLACING}`,
} as const satisfies Record<ImageStudyQuery['show'], string | undefined>
/** One whose instances were all discarded may still have versions that others replaced. */
const NOT_EMPTY = '(instances > 0 or quarantined > 0)'

const MATCHING = `select n.studyInstanceUid from ${IMAGE_WORDS} w cross join imageStudyNumbers n on n.number = w.rowid where ${IMAGE_WORDS} match ?`
const IS_COMMON = `select count(*) as count from (select 1 from ${IMAGE_WORDS} where ${IMAGE_WORDS} match ? limit ?)`
/**
 * So many matches are put in the order of the list; where there are more, the list is looked
 * through instead.
 */
const MOST_SORTED = 2000
/** Studies looked through for one page. */
const MOST_OPENED = 1500
const OPENED_AT_ONCE = 100

type Row = Pick<
  StoredImageStudy,
  'studyInstanceUid' | 'lastInstanceAt' | 'sealedHeader' | 'sealedHandedOut'
>
const positionOf = ({ lastInstanceAt, studyInstanceUid }: Row) =>
  `${lastInstanceAt} ${studyInstanceUid}`

/**
 * The one that last received an instance first; none whose instances were all discarded. With a
 * search a page may be short or empty where much was looked at for little: `next` goes on behind
 * what was looked at.
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
    database.get(rawQuery<{ count: number }>(IS_COMMON, [match, MOST_SORTED + 1]))?.count ?? 0
  const matched = matches > MOST_SORTED ? undefined : match
  const found: Row[] = []
  let from = after
  for (let opened = 0; opened < MOST_OPENED; ) {
    const part = pageRows(database, show, matched, from, OPENED_AT_ONCE)
    for (const row of part) {
      if (
        isFound(terms, searchableOfImages(row.studyInstanceUid, imageIdentity(database.seal, row)))
      )
        found.push(row)
      if (found.length > limit) return sliceOf(found, limit, positionOf)
    }
    const last = part.at(-1)
    if (last === undefined || part.length < OPENED_AT_ONCE) return { items: found }
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
  const sources = [SHOWN[show], match === undefined ? undefined : MATCHING].flatMap((text) =>
    text === undefined ? [] : [`select * from (${text})`],
  )
  const from =
    sources.length === 0
      ? 'imageStudies s'
      : `(${sources.join(' intersect ')}) c cross join imageStudies s using (studyInstanceUid)`
  const [at, ...uid] = after?.split(' ') ?? []
  const rest = at === undefined ? '' : 'and (s.lastInstanceAt, s.studyInstanceUid) < (?, ?)'
  const text = `select s.studyInstanceUid, s.lastInstanceAt, s.sealedHeader, s.sealedHandedOut from ${from}
      where ${NOT_EMPTY} ${rest} order by s.lastInstanceAt desc, s.studyInstanceUid desc limit ?`
  return database.all(
    rawQuery<Row>(text, [
      ...(match === undefined ? [] : [match]),
      ...(at === undefined ? [] : [at, uid.join(' ')]),
      limit,
    ]),
  )
}

const SUMMARY = `select
  (select count(*) from instances where receivedAt >= ?) as today,
  (select count(*) from imageStudies where state = 'receiving' and ${NOT_EMPTY}) as receiving,
  (select count(*) from instances where state = 'quarantined') as quarantined,
  (select count(*) from imageStudies where isMismatched = 1 and ${NOT_EMPTY}) as mismatches,
  (select count(distinct studyInstanceUid) from instances indexed by instancesReplacing where ${REPLACING}) as replaced`

interface ImageSummary {
  /** Instances that arrived since the instant. */
  readonly today: number
  /** Studies. */
  readonly receiving: number
  /** Instances. */
  readonly quarantined: number
  /** Studies. */
  readonly mismatches: number
  /** Studies with images whose pixels their device replaced, which nobody has looked at. */
  readonly replaced: number
}

export const summariseImages = (database: Database, sinceToday: string): ImageSummary =>
  database.get(rawQuery<ImageSummary>(SUMMARY, [sinceToday])) as ImageSummary

/**
 * Studies that still receive, the one that is due first first. No more than what is asked at each
 * look: an archive that moves in opens thousands.
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

/** Studies whose enrichment waits and is due. */
export const listEnrichmentDue = (database: Database, now: string): ImageStudyRecord[] =>
  readImageStudies(
    database,
    `where s.enrichmentState = 'waiting' and s.enrichmentNextAt <= ? order by s.enrichmentNextAt`,
    now,
  )

/** Studies that the partner is still asked about, and since when the first of them is complete. */
export const waitingEnrichments = (database: Database) =>
  database.get(rawQuery<{ count: number; since: string | null }>(TO_ENRICH, [])) ?? {
    count: 0,
    since: null,
  }

/** When the next enrichment is due. */
export const nextEnrichmentDue = (database: Database): string | undefined =>
  database.get(
    database.sql
      .selectFrom('imageStudies')
      .select(({ fn }) => fn.min('enrichmentNextAt').as('at'))
      .where('enrichmentState', '=', 'waiting'),
  )?.at ?? undefined

const TO_ENRICH = `select count(*) as count, min(ifnull(settledAt, lastInstanceAt)) as since
  from imageStudies where enrichmentState = 'waiting'`
const SERIES = `select seriesInstanceUid, modality, seriesNumber, sealedDescription, instances, bytes, lastInstanceAt from imageSeries
  where studyInstanceUid = ? and instances > 0 order by cast(seriesNumber as integer), seriesInstanceUid`

type StoredSeries = Omit<ImageSeriesRecord, 'seriesDescription'> & {
  sealedDescription: Buffer | null
}

/** In the order of their numbers. */
export const listImageSeries = (
  database: Database,
  studyInstanceUid: string,
): ImageSeriesRecord[] =>
  database
    .all(rawQuery<StoredSeries>(SERIES, [studyInstanceUid]))
    .map(({ sealedDescription: sealed, ...series }) => ({
      ...series,
      seriesDescription: sealed
        ? database.seal.open(sealed, seriesSealContext(studyInstanceUid)).toString()
        : '',
    }))

/** What the description of a series is encrypted under. */
export const seriesSealContext = (studyInstanceUid: string) =>
  `series of images ${studyInstanceUid}`
