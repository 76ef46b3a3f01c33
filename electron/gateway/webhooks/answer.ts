import { EVENTS, type EventResponse, type EventType } from '#shared/contract/webhooks.ts'
import { checkJsonSize } from './json-size.ts'
import { WebhookError } from './webhook-error.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body of an answer by the event's response shape (interface.md, Response shapes); unknown fields are dropped.
 * Throws `WebhookError`: `refused` where a synchronous event is answered with `authorized` false or an `error` text, whatever else the
 * body lacks (interface-choices §6 row 31); `invalid` for anything that is not UTF-8 JSON of that shape; `oversize` for more values than any
 * real answer has.
 */
export function readAnswer<T extends EventType>(type: T, body: Buffer): EventResponse<T> {
  const json = parseJson(body)
  if (EVENTS[type].kind === 'synchronous') refuse(json)
  const parsed = EVENTS[type].response.safeParse(json)
  if (parsed.success) return parsed.data as EventResponse<T>
  const [issue] = parsed.error.issues
  throw new WebhookError('invalid', `the answer is not of the agreed form: ${issue?.path.join('.') || 'body'}: ${issue?.message}`)
}

function parseJson(body: Buffer): unknown {
  checkJsonSize(body)
  try {
    // A name with replacement characters in it would be a wrong name: text that is not UTF-8 is no answer.
    return JSON.parse(utf8.decode(body))
  } catch {
    // The parser's own error quotes the text, which may be about a patient.
    throw new WebhookError('invalid', body.length === 0 ? 'the answer is empty' : 'the answer is not JSON in UTF-8')
  }
}

function refuse(json: unknown): void {
  if (typeof json !== 'object' || json === null) return
  const { authorized, error } = json as { readonly authorized?: unknown; readonly error?: unknown }
  // Many serialisers print an absent text as ''.
  const text = typeof error === 'string' ? printable(error) : ''
  if (authorized === false || text) throw new WebhookError('refused', text || 'the partner gave no reason')
}

const printable = (text: string) => [...text.replace(/[\p{C}\s]+/gu, ' ').trim()].slice(0, 200).join('')
