import { message } from '#shared/messages/message.ts'
import { WebhookError } from './webhook-error.ts'

/** Maximum number of values in a body; a worklist of 30,000 items has about 600,000. */
const MAX_VALUES = 1_000_000
const MAX_DEPTH = 32
/** A body of this many bytes cannot contain enough values to do harm. */
const HARMLESS_BYTES = 64 << 10

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
// The brackets of arrays and objects differ in one bit, which no other JSON character outside a
// string shares.
const OPEN_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const BRACKET_KIND_BIT = 0x20

/**
 * Rejects JSON that would need many times its size when parsed: 20 MiB of `[[[[…` or `{},{},…`
 * become a gigabyte. Invalid JSON is left to the parser.
 * @throws {WebhookError} oversize, or invalid if it is nested too deeply
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
    else if ((byte & ~BRACKET_KIND_BIT) === OPEN_BRACKET) {
      values++
      depth++
    } else if ((byte & ~BRACKET_KIND_BIT) === CLOSING_BRACKET) depth--
    if (values > MAX_VALUES)
      throw new WebhookError('oversize', message('webhooks.too-many-values', { most: MAX_VALUES }))
    if (depth > MAX_DEPTH)
      throw new WebhookError('invalid', message('webhooks.nested-too-deep', { most: MAX_DEPTH }))
  }
}

/** Index of the quote that ends the string starting at `start`; -1 if there is none. */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let before = end - 1
    while (body[before] === BACKSLASH) before--
    // An even number of backslashes escape each other, not the quote.
    if (((end - 1 - before) & 1) === 0) return end
  }
  return -1
}
