import { message } from '#shared/messages/message.ts'
import { WebhookError } from './webhook-error.ts'

/** Values a body may hold: a worklist of 30,000 items has about 600,000. */
const MOST_VALUES = 1_000_000
const MOST_DEPTH = 32
/** A body of that many bytes cannot hold enough to do harm. */
const HARMLESS_BYTES = 64 << 10

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
// An array's or an object's: their codes differ in one bit that no other character of JSON outside
// a string needs.
const OPEN = 0x5b
const CLOSE = 0x5d
const KIND = 0x20

/**
 * Refuses JSON that would take many times its bytes once it is parsed: 20 MiB of `[[[[…` or
 * `{},{},…` become a gigabyte. Text that is no JSON at all is the parser's to find.
 * @throws {WebhookError} oversize, or invalid where it is nested too deep
 */
export function checkJsonSize(body: Buffer): void {
  if (body.length <= HARMLESS_BYTES) return
  let values = 1
  let depth = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number
    if (byte === QUOTE) {
      at = endOfString(body, at)
      if (at < 0) return
    } else if (byte === COMMA) values++
    else if ((byte & ~KIND) === OPEN) {
      values++
      depth++
    } else if ((byte & ~KIND) === CLOSE) depth--
    if (values > MOST_VALUES)
      throw new WebhookError('oversize', message('webhooks.too-many-values', { most: MOST_VALUES }))
    if (depth > MOST_DEPTH)
      throw new WebhookError('invalid', message('webhooks.nested-too-deep', { most: MOST_DEPTH }))
  }
}

/** The quote that ends the string begun at `start`; -1 where none does. */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let before = end - 1
    while (body[before] === BACKSLASH) before--
    // An even number of backslashes escape each other, not the quote.
    if (((end - 1 - before) & 1) === 0) return end
  }
  return -1
}
