import { cpSync } from 'node:fs'
import type { Ledger } from './ledger.ts'
import type { Evidence } from './promise.ts'
import { openReader } from './reader.ts'

/** The same evidence over a copy of the data folder, to be spoiled. */
export function evidenceCopy(
  { ledger, reader, isEnd }: Evidence,
  folder: string,
  clock: () => number,
): Evidence & Disposable {
  cpSync(reader.folder, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !path.endsWith('.sock'),
  })
  const copied = Object.fromEntries(
    Object.entries(ledger).map(([name, part]) => [name, copyOf(part)]),
  ) as unknown as Ledger
  const own = openReader(folder, clock)
  return { ledger: copied, reader: own, isEnd, [Symbol.dispose]: () => own[Symbol.dispose]() }
}

/** One level deep: what is in the parts is copied, what is in that is shared. */
function copyOf(part: unknown): unknown {
  if (part instanceof Map) return new Map([...part].map(([key, value]) => [key, { ...value }]))
  if (part instanceof Set) return new Set(part)
  if (Array.isArray(part)) return part.map((one) => (typeof one === 'object' ? { ...one } : one))
  return part
}
