import { t } from '../i18n/t.ts'
import { randomId } from './random-id.ts'

export interface ErrorReference {
  /** Of the request in the gateway's log, or a new one where the gateway did not answer. */
  readonly id: string
  /** For support, in several lines: the reference, when, on which screen, and what failed. */
  readonly text: string
}

/** What `ProblemError` says of a call. It is not imported: a page's first script has this too. */
interface ReferencedError {
  readonly code: string
  readonly status: number
  readonly requestId: string | null
}
const isRefused = (error: unknown): error is Error & ReferencedError =>
  error instanceof Error && error.name === 'ProblemError'

/**
 * What names a fault to support. The message of an error is left out, since it can contain what a
 * person entered; the places in the program are not.
 * @param address of the page; search values are left out
 */
export function errorReference(error: unknown, now: Date, address: string): ErrorReference {
  const id = (isRefused(error) && error.requestId) || `W-${randomId().slice(0, 8)}`
  const { pathname, hash } = new URL(address)
  const [screen = ''] = hash.split('?')
  const lines = [
    t('ui.common.reference', { id }),
    now.toISOString(),
    `${pathname}${screen}`,
    isRefused(error) ? `${error.code} ${error.status}` : nameOf(error),
    ...(isRefused(error) ? [] : placesOf(error)),
  ]
  return { id, text: lines.filter((line) => line !== '').join('\n') }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

/** The stack of an error without its message, which comes before the first place. */
const placesOf = (error: unknown): readonly string[] =>
  error instanceof Error
    ? (error.stack ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^at .*:\d+:\d+\)?$|@.*:\d+:\d+$/.test(line))
    : []
