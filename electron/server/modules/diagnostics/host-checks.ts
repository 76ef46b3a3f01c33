import { statSync } from 'node:fs'
import type { Parts } from '#server/parts.ts'
import { msOf } from '#server/platform/clock.ts'
import type { Verdict } from '#shared/contract/dashboard-setup.ts'

/**
 * How something stands, in one sentence, and what to do about it; `remedy` is empty where nothing
 * is to be done.
 */
export interface Finding {
  readonly verdict: Verdict
  readonly sentence: string
  readonly remedy: string
}

export const ok = (sentence: string): Finding => ({ verdict: 'ok', sentence, remedy: '' })
export const warn = (sentence: string, remedy: string): Finding => ({
  verdict: 'warn',
  sentence,
  remedy,
})
export const bad = (sentence: string, remedy: string): Finding => ({
  verdict: 'bad',
  sentence,
  remedy,
})

const GIGABYTE = 1e9
/** Clocks that are set by a time server step back by less. */
const STEP_MS = 60_000

/** The disk of the images and the database. */
export function diskFinding({ store, settings }: Pick<Parts, 'store' | 'settings'>): Finding {
  let freeBytes: number
  try {
    freeBytes = store.imageFiles.space().freeBytes
  } catch {
    return bad(
      'The disk of the data folder cannot be asked for its room.',
      'See whether the disk is there and can be read.',
    )
  }
  const free = `${(freeBytes / GIGABYTE).toFixed(1)} GB are free on the disk of the images`
  const [stop, low] = [settings.get('intake.stopGigabytes'), settings.get('intake.warnGigabytes')]
  if (freeBytes < stop * GIGABYTE)
    return bad(
      `${free}: below ${stop} GB no more images are taken.`,
      'Make room on the disk, or move the data folder to a larger one.',
    )
  if (freeBytes < low * GIGABYTE)
    return warn(`${free}: below ${stop} GB no more images are taken.`, 'Make room before long.')
  return ok(`${free}.`)
}

/**
 * The clock of this PC, by what cannot be later than now: the newest entry of the audit trail, and
 * this program.
 */
export function clockFinding({ store, deps }: Pick<Parts, 'store' | 'deps'>): Finding {
  const now = deps.clock()
  const newest = store.audit.list({ limit: 1 }).items[0]?.at
  const remedy =
    'Let this PC set its clock by the network, then look again. Signed requests to the partner need it within five minutes.'
  if (newest !== undefined && msOf(newest) - now > STEP_MS)
    return bad(
      'The clock of this PC is behind: something was written here at a later time already.',
      remedy,
    )
  if (now < madeAt() - STEP_MS)
    return bad(
      'The clock of this PC is behind: it is before the time at which this program was made.',
      remedy,
    )
  return ok('The clock of this PC goes forward from what was written last.')
}

function madeAt(): number {
  try {
    return statSync(import.meta.filename).mtimeMs
  } catch {
    return 0
  }
}
