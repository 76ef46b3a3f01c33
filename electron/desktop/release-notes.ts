import type { UpdateInfo } from 'electron-updater'

const MOST_LINES = 60
const MOST_CHARACTERS = 500

/**
 * What an update says of itself, one point a line, as plain text: it comes from the place for
 * updates, and is only shown. Marks of Markdown and HTML are left out. Empty where it says nothing.
 */
export function releaseNotesOf({ releaseNotes }: Pick<UpdateInfo, 'releaseNotes'>): string[] {
  const notes =
    typeof releaseNotes === 'string'
      ? [releaseNotes]
      : (releaseNotes ?? []).map(({ note }) => note ?? '')
  const text = notes.join('\n').replace(/<(?:br|\/p|\/li|\/h\d)[^>]*>/gi, '\n')
  const points: string[] = []
  for (const line of text.replace(/<[^>]*>/g, '').split(/\r?\n/)) {
    const plain = line
      .replace(/^\s*(?:[-*•]|#+|\d+\.)\s+/, '')
      .replace(/[`*]/g, '')
      .trim()
    if (plain === '') continue
    // A point that was broken into lines is one again.
    const last = points.at(-1)
    if (last !== undefined && /^\s{2,}\S/.test(line) && !/^\s*(?:[-*•]|\d+\.)\s/.test(line))
      points[points.length - 1] = `${last} ${plain}`
    else points.push(plain)
  }
  return points
    .slice(0, MOST_LINES)
    .map((point) =>
      point.length > MOST_CHARACTERS ? `${point.slice(0, MOST_CHARACTERS)}…` : point,
    )
}
