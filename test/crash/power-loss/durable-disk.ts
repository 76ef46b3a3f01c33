import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DiskEvent, type Entry, written } from './trace.ts'

/**
 * What may have reached the disk of what was not synced. nothing: the strictest reading of POSIX.
 * names: folders were written back, and no content. lengths: names and lengths were, and the bytes
 * are zeros, as of a file system that writes data last. content: files were, and no folder.
 * everything: as after SIGKILL. mixed: each name and each page as it is drawn.
 */
export const SURVIVORS = ['nothing', 'names', 'lengths', 'content', 'everything', 'mixed'] as const
export type Survivors = (typeof SURVIVORS)[number]

/** Bytes that a disk writes whole: a page of the cache, and a sector. */
const PAGE_BYTES = 4096
const SECTOR_BYTES = 512

type NameEvent = Extract<DiskEvent, { at: Entry }>
type ContentEvent = Extract<DiskEvent, { kind: 'write' | 'truncate' }>
interface Pending<E> {
  readonly index: number
  readonly event: E
}

interface DurableNode {
  /** Of a folder. */
  readonly names: Map<string, number> | undefined
  content: Buffer
  length: number
  pending: Pending<ContentEvent>[]
}

/** A disk with a cache, to which the events of a trace are applied one by one. */
export interface DurableDisk {
  apply(event: DiskEvent, index: number): void
  /**
   * What the disk has when the power fails now, by path; undefined: a folder. `draw`: from 0 up to,
   * but not, 1.
   */
  surviving(survivors: Survivors, draw: () => number): ReadonlyMap<string, Buffer | undefined>
}

export function durableDisk(): DurableDisk {
  const nodes = new Map<number, DurableNode>([[0, newNode(true)]])
  /** Changes of names that no sync of their folder has covered, in their order. */
  let unsynced: Pending<NameEvent>[] = []

  function sync(node: number, upTo: number): void {
    const synced = nodes.get(node)
    if (!synced) return
    if (synced.names) {
      const [now, later] = parted(
        unsynced,
        ({ index, event }) => index < upTo && event.at.folder === node,
      )
      unsynced = later
      for (const { event } of now) rename(event, (folder) => nodes.get(folder)?.names)
      return
    }
    const [now, later] = parted(synced.pending, ({ index }) => index < upTo)
    synced.pending = later
    for (const { event } of now) change(synced, event)
  }

  return {
    apply(event, index) {
      if (event.kind === 'sync') sync(event.node, event.upTo)
      else if (event.kind === 'write' || event.kind === 'truncate')
        nodes.get(event.node)?.pending.push({ index, event })
      else {
        if (event.kind === 'create') nodes.set(event.node, newNode(event.isFolder))
        unsynced.push({ index, event })
      }
    },
    surviving(survivors, draw) {
      const names = new Map(
        [...nodes].flatMap(([id, node]) =>
          node.names ? [[id, new Map(node.names)] as const] : [],
        ),
      )
      for (const { event } of unsynced) {
        const survives =
          survivors === 'mixed' ? draw() < 0.5 : !['nothing', 'content'].includes(survivors)
        if (survives) rename(event, (folder) => names.get(folder))
      }
      const found = new Map<string, Buffer | undefined>()
      const walk = (folder: number, path: string): void => {
        for (const [name, child] of names.get(folder) ?? []) {
          const node = nodes.get(child) as DurableNode
          found.set(join(path, name), node.names ? undefined : contentOf(node, survivors, draw))
          walk(child, join(path, name))
        }
      }
      walk(0, '')
      return found
    },
  }
}

/** Writes the files and folders into an empty folder. */
export function materialise(root: string, files: ReadonlyMap<string, Buffer | undefined>): void {
  for (const [path, content] of files) {
    if (content) writeFileSync(join(root, path), content, { mode: 0o600 })
    else mkdirSync(join(root, path), { mode: 0o700 })
  }
}

const newNode = (isFolder: boolean): DurableNode => ({
  names: isFolder ? new Map() : undefined,
  ...{ content: Buffer.alloc(0), length: 0, pending: [] },
})

/** A rename is one change, of both its names. */
function rename(
  event: NameEvent,
  namesOf: (folder: number) => Map<string, number> | undefined,
): void {
  const names = namesOf(event.at.folder)
  if (event.kind === 'rename') {
    const source = namesOf(event.from.folder)
    if (source?.get(event.from.name) === event.node) source.delete(event.from.name)
  }
  if (event.kind === 'remove') names?.delete(event.at.name)
  else names?.set(event.at.name, event.node)
}

function change(file: Pick<DurableNode, 'content' | 'length'>, event: ContentEvent): void {
  const [offset, bytes] =
    event.kind === 'write' ? [event.offset, event.bytes] : [event.length, Buffer.alloc(0)]
  if (event.kind === 'write' || event.length > file.length) {
    file.content = written(file.content, file.length, offset, bytes)
    file.length = Math.max(file.length, offset + bytes.length)
  } else file.length = event.length
}

function contentOf(node: DurableNode, survivors: Survivors, draw: () => number): Buffer {
  const file = { content: Buffer.from(node.content.subarray(0, node.length)), length: node.length }
  for (const { event } of node.pending) {
    if (survivors === 'everything' || survivors === 'content') change(file, event)
    else if (survivors === 'lengths') lengthen(file, event)
    else if (survivors === 'mixed') drawn(file, event, draw)
  }
  return file.content.subarray(0, file.length)
}

function lengthen(file: Pick<DurableNode, 'content' | 'length'>, event: ContentEvent): void {
  const length = event.kind === 'write' ? event.offset + event.bytes.length : event.length
  if (length > file.length) change(file, { ...event, kind: 'truncate', length })
}

/**
 * The event, or a part of it: each page is written, or not, or becomes zeros; one in a while is
 * torn within.
 */
function drawn(
  file: Pick<DurableNode, 'content' | 'length'>,
  event: ContentEvent,
  draw: () => number,
): void {
  if (event.kind === 'truncate') {
    if (draw() < 0.5) change(file, event)
    return
  }
  const how = draw()
  if (how < 0.4) return
  if (how < 0.6) {
    change(file, event)
    return
  }
  const { bytes, offset } = event
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + PAGE_BYTES - ((offset + at) % PAGE_BYTES))
    const page = bytes.subarray(at, end)
    const fate = draw()
    if (fate < 0.4) change(file, { ...event, offset: offset + at, bytes: page })
    else if (fate < 0.55) {
      const kept = page.subarray(
        0,
        SECTOR_BYTES * Math.floor((draw() * page.length) / SECTOR_BYTES),
      )
      change(file, { ...event, offset: offset + at, bytes: kept })
    } else if (fate < 0.7 && offset + at >= file.length)
      change(file, { ...event, offset: offset + at, bytes: Buffer.alloc(page.length) })
    at = end
  }
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const [first, second]: [T[], T[]] = [[], []]
  for (const one of all) (isFirst(one) ? first : second).push(one)
  return [first, second]
}
