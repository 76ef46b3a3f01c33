import type { Context } from '#server/context.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import type { ViewCache } from './cache.ts'
import type { ViewList } from './list.ts'
import type { MediaFiles } from './media.ts'
import type { OpenFiles } from './open-files.ts'
import type { ShownStudies } from './shown-studies.ts'

/** What all views share. */
export interface ViewFiles {
  readonly context: Context
  readonly downloads: Pick<Downloads, 'stream'>
  readonly cache: ViewCache
  readonly openFiles: OpenFiles
  /** Milliseconds before the first and the second new try of a file. */
  readonly pausesMs: readonly number[]
  /** Milliseconds after which files come at full speed though no image was asked for. */
  readonly startMs: number
}

/** What the studies of one view share. */
export interface ViewScope extends ViewFiles {
  readonly list: ViewList
  readonly shown: ShownStudies
  readonly media: MediaFiles
  /** Whether anybody waits for what is not asked for by a person. */
  readonly isWanted: () => boolean
  /** The view goes on. */
  readonly signal: AbortSignal
}
