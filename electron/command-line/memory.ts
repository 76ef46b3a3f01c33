import { setFlagsFromString } from 'node:v8'

/**
 * The gateway shares one PC with other programs for months. V8 sizes its heap by the machine's memory and glibc gives every thread an arena of
 * its own: left alone, the garbage of a busy morning grows both to some hundred MB that are never given back (docs/decisions/0006).
 */
export function settleMemory(): void {
  // Both are read at each collection, so they hold from here on.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  // glibc and libuv read their settings once, at the start of a process. Only a gateway runs long enough for it to matter. Four threads,
  // libuv's default, are taken by four devices that wait for the disk: everything else would wait with them.
  if (process.platform !== 'linux' || process.env.MALLOC_ARENA_MAX || process.argv[2] !== 'serve') return
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    MALLOC_ARENA_MAX: '1',
    UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? '8',
  })
}
