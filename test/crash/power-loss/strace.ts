import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** A system call that succeeded. */
export interface SystemCall {
  readonly name: string
  /** Whether it was made by the thread that the process began with. */
  readonly isMain: boolean
  readonly result: number
  /** Its arguments as strace writes them. */
  readonly text: string
  /** The first argument, where that is a descriptor, and what it is of: a path, or `TCP:[…]`. */
  readonly descriptor: number
  readonly of: string
  /** The strings among the arguments. */
  strings(): Buffer[]
  /** The same as absolute paths. */
  paths(): string[]
  /** The plain numbers among the arguments, after the first one. */
  numbers(): number[]
  /** The open files among the arguments: descriptor and path. */
  files(): (readonly [number, string])[]
}

/** What changes files, or tells somebody outside. */
export const TRACED = [
  ...[
    'open',
    'openat',
    'creat',
    'write',
    'writev',
    'pwrite64',
    'pwritev',
    'pwritev2',
    'sendto',
    'sendmsg',
  ],
  ...[
    'fsync',
    'fdatasync',
    'sync_file_range',
    'ftruncate',
    'truncate',
    'fallocate',
    'copy_file_range',
    'sendfile',
  ],
  ...[
    'rename',
    'renameat',
    'renameat2',
    'link',
    'linkat',
    'symlink',
    'symlinkat',
    'unlink',
    'unlinkat',
    'rmdir',
  ],
  ...['mkdir', 'mkdirat', 'clone', 'clone3', 'fork', 'vfork'],
]

/** What `readCalls` understands: threads, descriptors with what they are of, and all bytes. */
export const STRACE_OPTIONS = [
  ...['-f', '--seccomp-bpf', '-yy', '-xx', '-s', String(64 << 20)],
  ...['-e', 'signal=none', '-e', `trace=${TRACED.join(',')}`],
]

/**
 * Reads the log of a process and its threads, in the order in which its calls returned. `entered`
 * is asked at the entry of each call, for what `returned` is handed when it returned.
 */
export async function readCalls<T>(
  log: string,
  entered: () => T,
  returned: (call: SystemCall, entered: T) => void,
): Promise<void> {
  const unfinished = new Map<string, { readonly text: string; readonly at: T }>()
  const children = new Set<string>()
  let main: string | undefined

  function take(process: string, text: string, at: T): void {
    const [, name = '', rest = '', value = ''] = /^(\w+)\((.*)\)\s+= (-?\d+|\?)/s.exec(text) ?? []
    const result = Number(value)
    // Signals and ends of threads are no calls.
    if (name === '' || !(result >= 0)) return
    if (/^(clone3?|v?fork)$/.test(name)) {
      if (!rest.includes('CLONE_THREAD')) children.add(String(result))
    } else if (!children.has(process)) returned(callOf(name, rest, result, process === main), at)
  }

  for await (const line of createInterface({ input: createReadStream(log, 'latin1') })) {
    const [, process = '', text = ''] = /^(\d+)\s+(.*)$/s.exec(line) ?? []
    main ??= process
    const [, begin] = /^(.*) <unfinished \.\.\.>$/s.exec(text) ?? []
    const [, end] = /^<\.\.\. \w+ resumed>(.*)$/s.exec(text) ?? []
    const begun = unfinished.get(process)
    if (begin !== undefined) unfinished.set(process, { text: begin, at: entered() })
    else if (end === undefined) take(process, text, entered())
    else if (begun) take(process, begun.text + end, begun.at)
  }
}

function callOf(name: string, text: string, result: number, isMain: boolean): SystemCall {
  const [, descriptor = '-1', shown = ''] = /^(\d+)<([^>]*(?:->[^>]*)?)>/.exec(text) ?? []
  const strings = () =>
    [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => bytesOf(hex))
  return {
    ...{ name, text, result, isMain, descriptor: Number(descriptor), strings },
    of: shown.startsWith('\\x') ? bytesOf(shown).toString() : shown,
    paths() {
      // The *at calls name the folder that a path begins at.
      const bases = [...text.matchAll(/(?:AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>, "/g)].map(
        ([, hex = '']) => bytesOf(hex).toString(),
      )
      return strings().map((path, index) => resolve(bases[index] ?? '/', path.toString()))
    },
    numbers: () => [...text.matchAll(/, (\d+)(?=,|$)/g)].map(([, number]) => Number(number)),
    files: () =>
      [...text.matchAll(/(\d+)<((?:\\x[0-9a-f]{2})+)>/g)].map(
        ([, fd, path = '']) => [Number(fd), bytesOf(path).toString()] as const,
      ),
  }
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex')
