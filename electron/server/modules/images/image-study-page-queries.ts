import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Slice, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { isFound, termsOf } from '#server/database/search-text.ts'
import { IMAGE_WORDS, ofImages, type SearchIndex } from '#server/modules/studies/search-index.ts'
import type { ImageStudyQuery } from './image-study-queries.ts'
import { imageIdentity, type StoredImageStudy } from './image-study-row.ts'
import { REPLACING } from './instance-queries.ts'

/** The list of studies with images by their UIDs, the one that last received an instance first. */
export interface ImageStudyPages {
  read(query: ImageStudyQuery, after: string | undefined, limit: number): Slice<string>
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
// One that every instance was discarded of may still be there, with those that others took the
// place of.
export const NOT_EMPTY = '(instances > 0 or quarantined > 0)'

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

export function imageStudyPages(db: Database, seal: Seal, index: SearchIndex): ImageStudyPages {
  function rows(
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
    return db.all(
      rawQuery<Row>(text, [
        ...(match === undefined ? [] : [match]),
        ...(at === undefined ? [] : [at, uid.join(' ')]),
        limit,
      ]),
    )
  }

  return {
    read({ show, search }, after, limit) {
      const terms = termsOf(search)
      if (terms.length === 0) {
        const { items, ...rest } = sliceOf(
          rows(show, undefined, after, limit + 1),
          limit,
          positionOf,
        )
        return { items: items.map(({ studyInstanceUid }) => studyInstanceUid), ...rest }
      }
      const match = index.words
        .expressionsOf(search)
        .map(({ text }) => text)
        .join(' AND ')
      const matches =
        db.get(rawQuery<{ count: number }>(IS_COMMON, [match, MOST_SORTED + 1]))?.count ?? 0
      const found: Row[] = []
      let from = after
      for (let opened = 0; opened < MOST_OPENED; ) {
        const part = rows(show, matches > MOST_SORTED ? undefined : match, from, OPENED_AT_ONCE)
        for (const row of part) {
          if (isFound(terms, ofImages(row.studyInstanceUid, imageIdentity(seal, row))))
            found.push(row)
          if (found.length > limit) return withoutRows(sliceOf(found, limit, positionOf))
        }
        const last = part.at(-1)
        if (last === undefined || part.length < OPENED_AT_ONCE)
          return { items: found.map(({ studyInstanceUid }) => studyInstanceUid) }
        from = positionOf(last)
        opened += part.length
      }
      return {
        items: found.map(({ studyInstanceUid }) => studyInstanceUid),
        ...(from !== undefined && { next: from }),
      }
    },
  }
}

const withoutRows = ({ items, ...rest }: Slice<Row>): Slice<string> => ({
  items: items.map(({ studyInstanceUid }) => studyInstanceUid),
  ...rest,
})
