import { statSync } from 'node:fs'
import type { Context } from '#server/context.ts'
import {
  type DiskForecast,
  forecastOf,
  fullSoonWarning,
  minFreeBytes,
  receivedByDay,
} from '#server/modules/images/disk-forecast.ts'
import { listRules } from '#server/modules/lifecycle/rule-queries.ts'
import { msOf } from '#server/platform/clock.ts'
import { bad, type Finding, ok, warn } from '#server/platform/finding.ts'
import { message, sentences } from '#shared/messages/message.ts'

const GIGABYTE = 1e9
/** Clocks that a time server adjusts are set back by less than this. */
const MAX_CLOCK_STEP_MS = 60_000

/**
 * Checks the free space on the disk of the images and the database.
 * @param forecast of the running gateway, which takes the lifecycle rules into account
 */
export function diskFinding(context: Context, forecast?: DiskForecast): Finding {
  let space: ReturnType<Context['imageFiles']['space']>
  try {
    space = context.imageFiles.space()
  } catch {
    return bad(message('diagnostics.disk-not-asked'), message('diagnostics.disk-not-asked-remedy'))
  }
  const { freeBytes } = space
  const freeGigabytes = freeBytes / GIGABYTE
  const [stop, low] = [
    context.settings.get('intake.stopGigabytes'),
    context.settings.get('intake.warnGigabytes'),
  ]
  if (freeBytes < stop * GIGABYTE)
    return bad(
      message('diagnostics.disk-low', { free: freeGigabytes, stop }),
      message('diagnostics.disk-full-remedy'),
    )
  if (freeBytes < low * GIGABYTE)
    return warn(
      message('diagnostics.disk-low', { free: freeGigabytes, stop }),
      message('diagnostics.disk-low-remedy'),
    )
  const sentence = message('diagnostics.disk-free', { free: freeGigabytes })
  const forecastWarning = fullSoonWarning(
    forecast ?? forecastOf(space, minFreeBytes(context.settings), receivedByDay(context)),
  )
  if (!forecastWarning) return ok(sentence)
  const ignoresRules = !forecast && listRules(context.database).some(({ isOn }) => isOn)
  const note = ignoresRules ? message('diagnostics.disk-without-rules') : undefined
  return warn(sentences(sentence, forecastWarning.sentence, note), forecastWarning.remedy)
}

/**
 * Checks that the clock of this PC is not behind the newest audit entry or the build date of this
 * program.
 */
export function clockFinding(context: Context): Finding {
  const now = context.clock()
  const newest = context.audit.list({ limit: 1 }).items[0]?.at
  const remedy = message('diagnostics.clock-remedy')
  if (newest !== undefined && msOf(newest) - now > MAX_CLOCK_STEP_MS)
    return bad(message('diagnostics.clock-behind-entry'), remedy)
  if (now < buildTime() - MAX_CLOCK_STEP_MS)
    return bad(message('diagnostics.clock-behind-program'), remedy)
  return ok(message('diagnostics.clock-fine'))
}

function buildTime(): number {
  try {
    return statSync(import.meta.filename).mtimeMs
  } catch {
    return 0
  }
}
