import type { RestorePreview } from '#shared/contract/dashboard-backups.ts'

type Rows = RestorePreview['rows']

/** A table of which there are so many more. */
export interface Difference {
  readonly table: string
  readonly count: number
}

/**
 * By the numbers: what is here and not in the backup, and the other way round. What cannot be
 * counted now is in neither.
 */
export function differencesOf(rows: Rows): {
  readonly lost: readonly Difference[]
  readonly gained: readonly Difference[]
} {
  const counted = rows.flatMap(({ table, inBackup, now }) =>
    now === null ? [] : [{ table, more: now - inBackup }],
  )
  return {
    lost: counted.filter(({ more }) => more > 0).map(({ table, more }) => ({ table, count: more })),
    gained: counted
      .filter(({ more }) => more < 0)
      .map(({ table, more }) => ({ table, count: -more })),
  }
}

/**
 * The folder of a backup, as somebody wrote it, parted into the folder it is in and its name;
 * undefined where it is no whole path.
 */
export function splitPath(
  typed: string,
): { readonly folder: string; readonly name: string } | undefined {
  const path = typed
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replace(/[\\/]+$/, '')
  if (!/^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path)) return undefined
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  const name = path.slice(at + 1)
  // Of a root its slash is a part.
  const folder = /^(?:[A-Za-z]:)?$/.test(path.slice(0, at))
    ? path.slice(0, at + 1)
    : path.slice(0, at)
  return name === '' || folder === '' ? undefined : { folder, name }
}
