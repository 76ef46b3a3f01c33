import { basename, dirname, sep } from 'node:path'
import { readCalls, type SystemCall } from './strace.ts'

/**
 * What a traced process did to one folder, in the order in which it did it. Nodes are files and
 * folders; 0 is the folder itself. A sync covers the events before `upTo`: those that were complete
 * when it was called.
 */
export type DiskEvent = { readonly label: string } & (
  | {
      readonly kind: 'create'
      readonly at: Entry
      readonly node: number
      readonly isFolder: boolean
    }
  | { readonly kind: 'link'; readonly at: Entry; readonly node: number }
  | { readonly kind: 'remove'; readonly at: Entry }
  | { readonly kind: 'rename'; readonly from: Entry; readonly at: Entry; readonly node: number }
  | {
      readonly kind: 'write'
      readonly node: number
      readonly offset: number
      readonly bytes: Buffer
    }
  | { readonly kind: 'truncate'; readonly node: number; readonly length: number }
  | {
      readonly kind: 'sync'
      readonly node: number
      readonly upTo: number
      readonly byThread: boolean
    }
)

/** A name in a folder. */
export interface Entry {
  readonly folder: number
  readonly name: string
}

/** What it sent over TCP. */
export interface Sent {
  /** Events that were complete when it was called. */
  readonly at: number
  readonly bytes: Buffer
}

export interface Trace {
  readonly events: readonly DiskEvent[]
  readonly sent: readonly Sent[]
  /** What every file holds in the end, by its path below the folder. */
  readonly files: ReadonlyMap<string, Buffer>
}

/**
 * Shared memory of SQLite is made anew at each start: it is written through a mapping, past any
 * call.
 */
const IGNORED = /-shm$/

/** A file or folder as the process sees it. */
interface LiveNode {
  readonly names: Map<string, number> | undefined
  content: Buffer
  length: number
}

interface OpenFile {
  readonly node: number
  readonly appends: boolean
  offset: number
}

/**
 * Reads what strace wrote about a process whose folder was empty at first. @throws where a call is
 * not modelled
 */
export async function readTrace(log: string, root: string): Promise<Trace> {
  const sent: Sent[] = []
  const folder = liveFolder(root)
  await readCalls(
    log,
    () => folder.events.length,
    (call, at) => {
      if (/^(write|writev|sendto|sendmsg)$/.test(call.name) && call.of.startsWith('TCP'))
        sent.push({ at, bytes: Buffer.concat(call.strings()).subarray(0, call.result) })
      else folder.take(call, at)
    },
  )
  return { events: folder.events, sent, files: folder.files() }
}

/** Follows the calls that change what is in a folder. */
function liveFolder(root: string) {
  const events: DiskEvent[] = []
  const nodes: LiveNode[] = [{ names: new Map(), content: Buffer.alloc(0), length: 0 }]
  const open = new Map<number, OpenFile>()

  const labelOf = (call: string, path: string) => `${call} ${path.slice(root.length + 1)}`
  const isBelow = (path: string) =>
    (path === root || path.startsWith(root + sep)) && !IGNORED.test(path)
  const namesOf = ({ folder }: Entry) => nodes[folder]?.names as Map<string, number>

  /** Undefined: not below the root, or nothing that is looked at. */
  function entryOf(path: string): Entry | undefined {
    const folder = isBelow(path) && path !== root ? nodeAt(dirname(path)) : undefined
    return folder === undefined ? undefined : { folder, name: basename(path) }
  }
  function nodeAt(path: string): number | undefined {
    if (path === root) return 0
    const entry = entryOf(path)
    return entry && namesOf(entry)?.get(entry.name)
  }

  function create(path: string, isFolder: boolean): number | undefined {
    const at = entryOf(path)
    if (!at) return undefined
    const node =
      nodes.push({ names: isFolder ? new Map() : undefined, content: Buffer.alloc(0), length: 0 }) -
      1
    namesOf(at).set(at.name, node)
    events.push({ kind: 'create', at, node, isFolder, label: labelOf('create', path) })
    return node
  }

  function write(node: number, offset: number, bytes: Buffer, label: string): void {
    const live = nodes[node] as LiveNode
    live.content = written(live.content, live.length, offset, bytes)
    live.length = Math.max(live.length, offset + bytes.length)
    events.push({ kind: 'write', node, offset, bytes, label })
  }

  function truncate(node: number, length: number, label: string): void {
    const live = nodes[node] as LiveNode
    if (length > live.length)
      live.content = written(live.content, live.length, length, Buffer.alloc(0))
    live.length = length
    events.push({ kind: 'truncate', node, length, label })
  }

  function opened({ name, text, result, paths }: SystemCall): void {
    const [path = ''] = paths()
    let node = nodeAt(path)
    if (node === undefined && /O_CREAT|^creat$/.test(`${name} ${text}`)) node = create(path, false)
    else if (node !== undefined && /O_TRUNC|^creat$/.test(`${name} ${text}`))
      truncate(node, 0, labelOf('truncate', path))
    // A number that is given out again was closed before.
    if (node === undefined) open.delete(result)
    else open.set(result, { node, offset: 0, appends: text.includes('O_APPEND') })
  }

  function renamed({ paths }: SystemCall): void {
    const [from = '', to = ''] = paths()
    const [source, at] = [entryOf(from), entryOf(to)]
    if (!source && !at) return
    const node = source && namesOf(source).get(source.name)
    if (!source || !at || node === undefined)
      throw new Error(`A rename over the edge of the folder: ${from} to ${to}`)
    namesOf(source).delete(source.name)
    namesOf(at).set(at.name, node)
    events.push({
      kind: 'rename',
      from: source,
      at,
      node,
      label: `${labelOf('rename', from)} to ${labelOf('', to).trim()}`,
    })
  }

  function removed({ paths }: SystemCall): void {
    const [path = ''] = paths()
    const at = entryOf(path)
    if (at && namesOf(at).delete(at.name))
      events.push({ kind: 'remove', at, label: labelOf('remove', path) })
  }

  function linked({ paths }: SystemCall): void {
    const [from = '', to = ''] = paths()
    const [at, node] = [entryOf(to), nodeAt(from)]
    if (!at || node === undefined) return
    namesOf(at).set(at.name, node)
    events.push({ kind: 'link', at, node, label: labelOf('link', to) })
  }

  /** A copy within the kernel. */
  function copied({ name, text, result, files }: SystemCall): void {
    const [target, source] = name === 'sendfile' ? files() : files().toReversed()
    if (!target || !source || !isBelow(target[1])) return
    const [to, from] = [open.get(target[0]), open.get(source[0])]
    const live = from && nodes[from.node]
    if (!to || !from || !live) throw new Error(`Not modelled: ${name} of ${source[1]}`)
    // Where offsets are given, those of the open files stay.
    const [given, givenOfTarget] = [...text.matchAll(/, \[(\d+)\]/g)].map(([, offset]) =>
      Number(offset),
    )
    const begins = given ?? from.offset
    const bytes = Buffer.from(live.content.subarray(begins, begins + result))
    write(to.node, givenOfTarget ?? to.offset, bytes, labelOf(name, target[1]))
    if (givenOfTarget === undefined) to.offset += result
    if (given === undefined) from.offset += result
  }

  /** Of an open file below the root. */
  function changed(call: SystemCall, at: number): void {
    const { name, result } = call
    const file = isBelow(call.of) ? open.get(call.descriptor) : undefined
    if (!file) return
    const label = labelOf(name, call.of)
    const bytes = () => Buffer.concat(call.strings()).subarray(0, result)
    if (name === 'fsync' || name === 'fdatasync')
      events.push({ kind: 'sync', node: file.node, upTo: at, byThread: !call.isMain, label })
    else if (name === 'ftruncate') truncate(file.node, call.numbers()[0] ?? 0, label)
    else if (name === 'write' || name === 'writev') {
      const offset = file.appends ? (nodes[file.node]?.length ?? 0) : file.offset
      write(file.node, offset, bytes(), label)
      file.offset = offset + result
    } else if (name === 'pwrite64' || name === 'pwritev')
      write(file.node, call.numbers().at(-1) ?? 0, bytes(), label)
    else throw new Error(`Not modelled: ${label}`)
  }

  function take(call: SystemCall, at: number): void {
    if (/^(open|openat|creat)$/.test(call.name)) opened(call)
    else if (/^mkdir(at)?$/.test(call.name)) create(call.paths()[0] ?? '', true)
    else if (/^rename(at2?)?$/.test(call.name)) renamed(call)
    else if (/^(unlink(at)?|rmdir)$/.test(call.name)) removed(call)
    else if (/^link(at)?$/.test(call.name)) linked(call)
    else if (/^(sendfile|copy_file_range)$/.test(call.name)) copied(call)
    else if (/^(truncate|symlink(at)?)$/.test(call.name)) {
      if (call.paths().some(isBelow)) throw new Error(`Not modelled: ${call.name}`)
    } else changed(call, at)
  }

  function files(): Map<string, Buffer> {
    const found = new Map<string, Buffer>()
    const walk = (node: number, path: string): void => {
      for (const [name, child] of nodes[node]?.names ?? []) {
        const { names, content, length } = nodes[child] as LiveNode
        if (names) walk(child, `${path}${name}/`)
        else found.set(`${path}${name}`, content.subarray(0, length))
      }
    }
    walk(0, '')
    return found
  }

  return { events, take, files }
}

/**
 * The content with the bytes at the offset; a gap before them is zeros. It may be the same buffer.
 */
export function written(content: Buffer, length: number, offset: number, bytes: Buffer): Buffer {
  const end = offset + bytes.length
  let grown = content
  if (end > content.length) {
    grown = Buffer.alloc(Math.max(end, 2 * content.length))
    content.copy(grown, 0, 0, length)
  } else if (offset > length) grown.fill(0, length, offset)
  bytes.copy(grown, offset)
  return grown
}
