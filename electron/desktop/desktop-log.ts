import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const MOST_BYTES = 1024 * 1024

/**
 * What happened to the desktop app and its processes, in lines of JSON for support; nothing about a
 * patient. One older file is kept.
 * @param clock ms
 */
export function desktopLog(
  file: string,
  clock: () => number,
): (event: string, facts?: Readonly<Record<string, unknown>>) => void {
  return (event, facts = {}) => {
    try {
      if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES)
        renameSync(file, `${file}.1`)
      appendFileSync(
        file,
        `${JSON.stringify({ time: new Date(clock()).toISOString(), event, ...facts })}\n`,
        { mode: 0o600 },
      )
    } catch {
      // A full disk, or a data folder that is not there yet, must not end the app over its log.
    }
  }
}
