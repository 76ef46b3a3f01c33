import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { app, crashReporter } from 'electron'

const MOST_RELOADS = 3
const WITHIN_MS = 10 * 60_000
const NO_CRASH: readonly string[] = ['clean-exit', 'killed']

/**
 * Memory dumps of crashes stay on this PC: they may hold what was on the screen. Called before the
 * app is ready.
 */
export function keepCrashReports(): void {
  crashReporter.start({ uploadToServer: false, productName: 'Isthmus' })
}

/**
 * Notes which process ended and why, and loads a window again whose page crashed: thrice within ten
 * minutes at most.
 */
export function watchCrashes(
  log: (event: string, facts: Readonly<Record<string, unknown>>) => void,
  clock: () => number,
): void {
  let reloads: readonly number[] = []
  app.on('render-process-gone', (_event, contents, { reason, exitCode }) => {
    log('a page ended', { reason, exitCode })
    reloads = reloads.filter((at) => clock() - at < WITHIN_MS)
    if (NO_CRASH.includes(reason) || reloads.length >= MOST_RELOADS || contents.isDestroyed())
      return
    reloads = [...reloads, clock()]
    contents.reload()
  })
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) =>
    log('a process ended', { type, reason, exitCode, name }),
  )
}

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
