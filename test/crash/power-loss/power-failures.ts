import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { breaches } from './breaches.ts'
import { durableDisk, materialise, SURVIVORS, type Survivors } from './durable-disk.ts'
import type { Recording } from './recording.ts'
import type { DiskEvent } from './trace.ts'

/**
 * The power fails when so many events of the trace are complete, and this survives of what was not
 * synced.
 */
export interface PowerFailure {
  readonly after: number
  readonly survivors: Survivors
}

export interface Breach extends PowerFailure {
  /** What the process did last, and what it was about to do. */
  readonly between: readonly [string, string]
  readonly breaches: readonly string[]
}

/** From 0 up to, but not, 1; the same for the same seed and words. */
export const drawOf = (seed: number, words: string): number =>
  createHash('sha256').update(`${seed} ${words}`).digest().readUInt32LE() / 2 ** 32

/** Nothing that is written there waits for a disk. */
const MEMORY = '/dev/shm'

/**
 * The failures after which a promise is broken; at most `most` of them. A state that was looked at
 * already is not again.
 */
export async function brokenBy(
  { events, acknowledged }: Pick<Recording, 'events' | 'acknowledged'>,
  failures: readonly PowerFailure[],
  { seed, most = 5 }: { readonly seed: number; readonly most?: number },
): Promise<Breach[]> {
  const disk = durableDisk()
  const found: Breach[] = []
  const seen = new Set<string>()
  let applied = 0
  for (const failure of failures.toSorted((one, other) => one.after - other.after)) {
    const { after, survivors } = failure
    for (; applied < after; applied++) disk.apply(events[applied] as DiskEvent, applied)
    let draws = 0
    const files = disk.surviving(survivors, () => drawOf(seed, `${after} ${draws++}`))
    const promised = acknowledged.filter(({ at }) => at <= after)
    const state = `${promised.length} ${hashOf(files)}`
    if (seen.has(state)) continue
    seen.add(state)
    const root = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'isthmus-power-'))
    try {
      materialise(root, files)
      const broken = await breaches(root, promised)
      if (broken.length > 0)
        found.push({
          ...failure,
          between: [events[after - 1]?.label ?? '', events[after]?.label ?? ''],
          breaches: broken,
        })
      if (found.length === most) break
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  }
  return found
}

function hashOf(files: ReadonlyMap<string, Buffer | undefined>): string {
  const hash = createHash('sha1')
  for (const [path, content] of files)
    hash.update(`${path} ${content?.length}\n`).update(content ?? '')
  return hash.digest('hex')
}

/**
 * The kind of the event: names of images, studies and backups do not count, nor where it writes.
 */
const kindOf = ({ label }: DiskEvent): string =>
  label
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '*')
    .replaceAll(/\/[0-9a-f]{2}(?=\/|$| )/g, '/*')
    .replaceAll(/\/[0-9a-f]{32}/g, '/*')
    .replaceAll(/isthmus-[\d-]+Z?/g, 'isthmus-*')

/**
 * Failures at the moment of each promise, with the worst that may survive, and after events of
 * every kind: the first one, and others as they are drawn, at most `perKind`.
 */
export function sample(
  { events, acknowledged }: Recording,
  { seed, perKind }: { readonly seed: number; readonly perKind: number },
): PowerFailure[] {
  const kinds = Map.groupBy(
    events.map((event, index) => ({ kind: kindOf(event), after: index + 1 })),
    ({ kind }) => kind,
  )
  const drawn = [...kinds].flatMap(([kind, all]) => {
    const [first, ...others] = all.map(({ after }) => after)
    const more = others.toSorted(
      (one, other) => drawOf(seed, `${kind} ${one}`) - drawOf(seed, `${kind} ${other}`),
    )
    return [first as number, ...more.slice(0, perKind - 1)]
  })
  return [
    ...acknowledged.map(({ at }) => ({ after: at, survivors: 'nothing' as const })),
    ...drawn.map((after) => ({ after, survivors: drawnSurvivors(seed, after) })),
  ]
}

/**
 * After every event: nothing that was not synced survives, or the names alone, or what is drawn.
 */
export const everyFailure = ({ events }: Recording, seed: number): PowerFailure[] =>
  Array.from({ length: events.length + 1 }, (_, after): PowerFailure[] => [
    { after, survivors: 'nothing' },
    { after, survivors: 'names' },
    { after, survivors: drawnSurvivors(seed, after) },
  ]).flat()

const drawnSurvivors = (seed: number, after: number): Survivors =>
  SURVIVORS[Math.floor(drawOf(seed, `survivors ${after}`) * SURVIVORS.length)] ?? 'nothing'
