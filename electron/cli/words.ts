/**
 * The command line was used wrongly: the message says how and what to write instead. Exit code 2.
 */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Reads `HOST:PORT`, `[::1]:PORT` or `:PORT`. */
export function hostAndPort(
  text: string,
  flag: string,
): { host: string | undefined; port: number } {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65_535)
    throw new UsageError(
      `${flag} takes HOST:PORT, such as 127.0.0.1:8042; “${text}” is not of that form.`,
    )
  return { host: (match[1] ?? match[2]) || undefined, port }
}
