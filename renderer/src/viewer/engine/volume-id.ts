import type { SeriesState } from './stack.ts'

const SCHEME = 'isthmus-volume:'

/** Cornerstone's id of the volume of a series; a series that has grown has another one. */
export const volumeIdOf = ({ key, stack }: Pick<SeriesState, 'key' | 'stack'>): string =>
  `${SCHEME}${encodeURIComponent(key)}/${stack.length}`

/** The key of the series in an id of a volume; undefined for other ids. */
export function seriesKeyOfVolume(volumeId: string): string | undefined {
  const [, key] = /^isthmus-volume:([^/]+)\//.exec(volumeId) ?? []
  return key === undefined ? undefined : decodeURIComponent(key)
}
