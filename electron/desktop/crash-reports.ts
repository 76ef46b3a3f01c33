import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { app, crashReporter } from 'electron'

const MAX_RELOADS = 3
const RELOAD_WINDOW_MS = 10 * 60_000
const NORMAL_EXIT_REASONS: readonly string[] = ['clean-exit', 'killed']

/**
 * Keeps crash dumps on this PC, because they may contain screen contents. Must be called before the
 * app is ready.
 */
export function keepCrashReports(): void {
  crashReporter.start({ uploadToServer: false, productName: 'Isthmus' })
}

/**
 * Logs ended processes and reloads a window whose page has crashed, at most three times within ten
 * minutes.
 */
export function watchCrashes(
  log: (event: string, facts: Readonly<Record<string, unknown>>) => void,
  clock: () => number,
): void {
  let reloads: readonly number[] = []
  app.on('render-process-gone', (_event, contents, { reason, exitCode }) => {
    log('a page ended', { reason, exitCode })
    reloads = reloads.filter((at) => clock() - at < RELOAD_WINDOW_MS)
    if (
      NORMAL_EXIT_REASONS.includes(reason) ||
      reloads.length >= MAX_RELOADS ||
      contents.isDestroyed()
    )
      return
    reloads = [...reloads, clock()]
    contents.reload()
  })
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) =>
    log('a process ended', { type, reason, exitCode, name }),
  )
}

const MAX_LOG_BYTES = 1024 * 1024

/**
 * Logs events of the desktop app and its processes for support, as lines of JSON without patient
 * data. Keeps one older file.
 * @param clock milliseconds since 1970
 */
export function desktopLog(
  file: string,
  clock: () => number,
): (event: string, facts?: Readonly<Record<string, unknown>>) => void {
  return (event, facts = {}) => {
    try {
      if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES)
        renameSync(file, `${file}.1`)
      appendFileSync(
        file,
        `${JSON.stringify({ time: new Date(clock()).toISOString(), event, ...facts })}\n`,
        { mode: 0o600 },
      )
    } catch {
      // A full disk or a data folder that does not exist yet must not crash the app.
    }
  }
}
