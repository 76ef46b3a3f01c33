import type { Options } from 'minisearch'

/** A section of a page as the search finds it. */
export interface SearchEntry {
  readonly id: number
  /** Title of the page. */
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly href: string
  /** The beginning of the text. */
  readonly excerpt: string
  /** Factor of its score. */
  readonly weight: number
}

/** The build makes the index with the same options as the page that loads it. */
export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'href', 'excerpt', 'weight'],
  searchOptions: {
    boost: { title: 3, heading: 4 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
    boostDocument: (_id, _term, stored) => Number(stored?.weight ?? 1),
  },
}
