import { setTimeout as wait } from 'node:timers/promises'
import type { Intervention, TestStore } from '../../support/object-store.ts'
import type { Relay } from './relay.ts'

/** What the gateway exchanges images with in a migration. */
export interface MigrationPeers {
  readonly target: TestStore
  /** The store that is migrated from; in the first migration there is none. */
  readonly source: TestStore | undefined
  readonly fromArchive: Relay
}

/** A step of a migration. */
export interface Step {
  readonly name: string
  /** Calls `reached` when the step is reached for the n-th time. The result ends that. */
  readonly watch: (peers: MigrationPeers, n: number, reached: () => void) => () => void
}

/** Bytes of an object, or of an image from the archive, after which it is half received. */
const HALF = 100_000
/** A store is slow until the last step of a migration, so that it lasts for all of them. */
const LATENCY_MS = 600
export const SLOW: Intervention = { before: () => wait(LATENCY_MS) }
/** How long the rest of a half-sent object is held up, so that what was sent is received. */
const HELD_MS = 20

type Side = 'target' | 'source'
type Makes = (count: () => void) => Intervention

const atStore = (name: string, side: Side, make: Makes): Step => ({
  name,
  watch(peers, n, reached) {
    const store = peers[side]
    let left = n
    const made = make(() => {
      if (--left === 0) reached()
    })
    store?.intervene({
      ...made,
      async before(...request) {
        await wait(LATENCY_MS)
        await made.before?.(...request)
      },
    })
    return () => store?.intervene(SLOW)
  },
})

const whenAsked = (name: string, side: Side, wanted: string) =>
  atStore(name, side, (count) => ({
    before: (method) => (method === wanted ? count() : undefined),
  }))

const whenAnswered = (
  name: string,
  side: Side,
  wanted: string,
  isWanted: (query: string) => boolean,
) =>
  atStore(name, side, (count) => ({
    after: (method, _, query) => (method === wanted && isWanted(query) ? count() : undefined),
  }))

const whileRead = (name: string, side: Side) =>
  atStore(name, side, (count) => ({
    hold() {
      const rest = Promise.withResolvers<void>()
      setTimeout(() => {
        count()
        rest.resolve()
      }, HELD_MS)
      return { bytes: HALF, until: rest.promise }
    },
  }))

const whenRead = (name: string, side: Side) =>
  atStore(name, side, (count) => ({ sent: (method) => (method === 'GET' ? count() : undefined) }))

const whileWritten = atStore('while an object is being written', 'target', (count) => {
  const sent = new Map<string, number>()
  return {
    uploading(method, path, part) {
      const before = sent.get(path) ?? 0
      sent.set(path, before + part.length)
      if (method === 'PUT' && before < HALF && before + part.length >= HALF) count()
      return part
    },
  }
})

/** Writing an object, and reading it back. */
const TO_STORE: readonly Step[] = [
  whenAsked('before an object is written', 'target', 'PUT'),
  whileWritten,
  whenAnswered(
    'object written, not yet answered',
    'target',
    'PUT',
    (query) => !query.includes('partNumber='),
  ),
  whenAsked('before an object is read back', 'target', 'GET'),
  whileRead('while an object is being read back', 'target'),
  whenRead('object read back', 'target'),
  whenAnswered('upload in parts begun', 'target', 'POST', (query) => query.startsWith('uploads')),
  whenAnswered('part written', 'target', 'PUT', (query) => query.includes('partNumber=')),
  whenAnswered('parts put together', 'target', 'POST', (query) => query.includes('uploadId=')),
]
const FROM_STORE: readonly Step[] = [
  whenAsked('before an object is fetched from the first store', 'source', 'GET'),
  whileRead('while an object is being fetched', 'source'),
  whenRead('object fetched', 'source'),
]
const FROM_ARCHIVE: readonly Step[] = [
  {
    name: 'while an image arrives from the archive',
    watch({ fromArchive }, n, reached) {
      let left = n
      fromArchive.onBytes = (bytes) => {
        if (bytes < HALF || --left > 0) return
        fromArchive.onBytes = undefined
        reached()
      }
      return () => {
        fromArchive.onBytes = undefined
      }
    },
  },
]

/** The steps of the migration from the PC and the archive, and of that from store to store. */
export const MIGRATION_STEPS: readonly [readonly Step[], readonly Step[]] = [
  [...TO_STORE, ...FROM_ARCHIVE],
  [...TO_STORE, ...FROM_STORE],
]

/** Steps that only a large image has are awaited only once. */
export const isRare = ({ name }: Step) => /part/.test(name)
