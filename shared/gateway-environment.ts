/**
 * Set in a process that has been started with `gatewayEnvironment`, and need not restart itself.
 */
export const ENVIRONMENT_MARKER = 'ISTHMUS_SETTLED'

/**
 * Environment variables that glibc and libuv read once, when a process starts that will run for
 * months (docs/decisions/0006). Variables in `own` take precedence. One arena, and fixed thresholds
 * above which memory of 256 KiB and more is returned to the system: otherwise glibc raises both
 * thresholds with the first large response of a partner, and keeps freed memory. Eight threads:
 * with libuv's default of four, four devices that wait for the disk would block everything else.
 */
export const gatewayEnvironment = (own: Readonly<Record<string, string | undefined>>) => ({
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: String(256 << 10),
  MALLOC_TRIM_THRESHOLD_: String(256 << 10),
  UV_THREADPOOL_SIZE: '8',
  ...own,
  [ENVIRONMENT_MARKER]: '1',
})
