/** The levels of PS3.4 C.6.1, from the top. */
export const QUERY_LEVELS = ['PATIENT', 'STUDY', 'SERIES', 'IMAGE'] as const
export type QueryLevel = (typeof QUERY_LEVELS)[number]

export const isAtOrAbove = (level: QueryLevel, other: QueryLevel): boolean =>
  QUERY_LEVELS.indexOf(level) <= QUERY_LEVELS.indexOf(other)

/** A matching key (PS3.4 C.2.2.2). */
export interface EntityKey {
  readonly tag: number
  /** The decoded value as in a C-FIND identifier: several values are separated by `\`. */
  readonly text: string
  /**
   * Whether the value is as it was received. If bytes that could not be decoded were replaced with
   * wild cards, a name with further components does not match.
   */
  readonly isExact?: boolean
}

/** A query by C-FIND or QIDO-RS. */
export interface EntityQuery {
  readonly level: QueryLevel
  /** A key that is not supported, or is of a lower level, matches everything. */
  readonly keys: readonly EntityKey[]
  /** Tags. Attributes that are not supported, or are of a lower level, have no value. */
  readonly returnKeys: readonly number[]
  /** Whether ranges of Study Date and Study Time are one interval (PS3.4 C.5.1.1). */
  readonly combinesDateTime?: boolean
  /** Maximum number of entities; by default as many as `MAX_ENTITIES`. */
  readonly limit?: number
  /** Number of matching entities to skip. */
  readonly offset?: number
}

/** A patient, study, series or instance that matches. UIDs of lower levels are empty. */
export interface FoundEntity {
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  readonly sopInstanceUid: string
  /**
   * The values of the return keys that are supported at this level, by tag, as text whatever the VR
   * is; '' for an attribute without a value. Several values are separated by `\`.
   */
  readonly values: ReadonlyMap<number, string>
}

/** How a query ended. */
export interface EntitiesEnd {
  /**
   * complete: everything that matches was returned, or `limit` was reached. cut: there is more than
   * may be returned or examined for one query. indexing: studies received by an older version are
   * still being added to the index, so some may be missing.
   */
  readonly outcome: 'complete' | 'cut' | 'indexing'
}

/**
 * Maximum number of entities of one query that is not limited to one study. A query within a study
 * has no limit.
 */
export const MAX_ENTITIES = 5000
