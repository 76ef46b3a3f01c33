/** A duration in milliseconds: `0.4 ms`, `412 ms`, `1.3 s`, `2 min 5 s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 10) return `${Math.round(milliseconds * 10) / 10} ms`
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor((milliseconds % 60_000) / 1000)} s`
}

/** A size in bytes: `812 B`, `12.4 kB`, `3.1 MB`, `1.2 GB`, `4.0 TB` (powers of ten). */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  if (bytes < 1_000_000_000_000) return `${(bytes / 1_000_000_000).toFixed(1)} GB`
  return `${(bytes / 1_000_000_000_000).toFixed(1)} TB`
}

/** A count with grouped digits and its noun: `1 exam`, `1,240 exams`. */
export const countText = (count: number, one: string, many = `${one}s`): string => `${numberText(count)} ${count === 1 ? one : many}`

export const numberText = (count: number): string => count.toLocaleString('en-GB')
