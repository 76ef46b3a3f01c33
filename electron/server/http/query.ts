/**
 * `name[]=a&name[]=b` is `name=a&name=b`; what is asked in both forms
 * is joined.
 */
export function normalQuery(query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query
  const names = Object.keys(query)
  if (!names.some((name) => name.endsWith('[]'))) return query
  const normal = new Map<string, unknown>()
  for (const name of names) {
    const plain = name.replace(/\[\]$/, '')
    const given: unknown = Reflect.get(query, name)
    const before = normal.get(plain)
    // A list even of one: a call that takes one value refuses it, as it refuses a repeat.
    normal.set(plain, name === plain && before === undefined ? given : [before ?? [], given].flat())
  }
  return Object.fromEntries(normal)
}
