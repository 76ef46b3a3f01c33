/** It has what `gatewayEnvironment` gives, and need not start itself anew. */
export const SETTLED = 'ISTHMUS_SETTLED'

/**
 * What glibc and libuv read once, at the start of a process that serves for months
 * (docs/decisions/0006), beside its own environment, which has the last word. One arena, and memory
 * of 256 KiB and more given back at once: glibc would raise both thresholds with the first large
 * answer of a partner, and keep what was freed. Eight threads: libuv's four are taken by four
 * devices that wait for the disk, and everything else would wait with them.
 */
export const gatewayEnvironment = (own: Readonly<Record<string, string | undefined>>) => ({
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: String(256 << 10),
  MALLOC_TRIM_THRESHOLD_: String(256 << 10),
  UV_THREADPOOL_SIZE: '8',
  ...own,
  [SETTLED]: '1',
})
