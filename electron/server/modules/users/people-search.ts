import { folded } from '#server/platform/folding.ts'
import type { TimeKey, UserRecord } from './user-queries.ts'
import type { ListPart, ListPlace } from './users.ts'

/**
 * Whether every word that is typed is in the person's names or e-mail; letter case and accents do
 * not count.
 */
export function personSearch(search: string): (user: UserRecord) => boolean {
  const words = folded(search)
    .split(/\s+/)
    .filter((word) => word !== '')
  return ({ firstName, middleName, lastName, suffix1, suffix2, email }) => {
    if (words.length === 0) return true
    const text = folded([firstName, middleName, lastName, suffix1, suffix2, email].join(' '))
    return words.every((word) => text.includes(word))
  }
}

const READ_AT_ONCE = 100

/**
 * The part of a list that has only what is wanted: it is read on until the part is full, or over. A
 * clinic has hundreds of people.
 */
export function wantedPart<T>(
  read: (place: ListPlace) => ListPart<T>,
  keyOf: (item: T) => TimeKey,
  isWanted: (item: T) => boolean,
  { after, limit }: ListPlace,
): ListPart<T> {
  const items: T[] = []
  for (let place = after; ; ) {
    const part = read({ after: place, limit: READ_AT_ONCE })
    for (const item of part.items) {
      if (!isWanted(item)) continue
      const last = items.at(-1)
      if (items.length === limit && last) return { items, next: keyOf(last) }
      items.push(item)
    }
    if (!part.next) return { items, next: undefined }
    place = part.next
  }
}
