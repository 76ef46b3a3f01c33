import type { AnswerNote } from '#shared/contract/events.ts'
import {
  EVENTS,
  type EventResponse,
  type EventType,
  type WorklistAnswer,
} from '#shared/contract/webhooks.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import {
  ignoredPart,
  isObject,
  type JsonObject,
  type NoteTaker,
  noteItems,
  noteTaker,
} from './answer-notes.ts'
import {
  clinicalContextOf,
  enrichmentOf,
  mediaOf,
  type PlaintextHosts,
  urlsOf,
} from './answer-parts.ts'
import { checkJsonSize } from './json-size.ts'
import { type Manifest, manifestOf } from './manifest.ts'
import { WebhookError } from './webhook-error.ts'

/** The context in which an answer is read. */
export interface AnswerContext {
  /** The requested study, which a manifest must describe. */
  readonly studyInstanceUid?: string
  readonly plaintextHosts?: PlaintextHosts
}

/** An answer with its manifests parsed. */
export type AnswerOf<T extends EventType> = T extends 'study.access_requested'
  ? Omit<EventResponse<T>, 'manifest'> & { readonly manifest?: Manifest }
  : T extends 'ephemeral.access_requested'
    ? Omit<EventResponse<T>, 'manifests'> & { readonly manifests?: readonly Manifest[] }
    : EventResponse<T>

export interface AnswerWithNotes<T extends EventType> {
  readonly answer: AnswerOf<T>
  /** Ignored parts, with reasons. */
  readonly notes: readonly AnswerNote[]
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses the body of an answer by the event's response schema. One rule applies to all seven
 * events: required keys are required, every optional field is validated separately and ignored with
 * a note if it is invalid, and unknown fields are dropped.
 *
 * @throws {WebhookError} `refused` if a synchronous event is answered with `authorized` false or an
 * `error` text, whatever else is missing, or a delivery with `success` false; `invalid` if the body
 * is not a JSON object in UTF-8 with the required keys; `oversize` if it has more values than a
 * real answer
 */
export const readAnswer = <T extends EventType>(
  type: T,
  body: Buffer,
  context: AnswerContext = {},
): AnswerOf<T> => READERS[type](parseJson(type, body), context, noteTaker())

/** As `readAnswer`, with notes about ignored and non-conforming parts. */
export function readAnswerWithNotes<T extends EventType>(
  type: T,
  body: Buffer,
  context: AnswerContext = {},
): AnswerWithNotes<T> {
  const taker = noteTaker()
  const answer = READERS[type](parseJson(type, body), context, taker)
  if (type === 'modality_worklist.requested') noteItems((answer as WorklistAnswer).items, taker)
  return { answer, notes: taker.notes }
}

type ParseAnswer<T extends EventType> = (
  json: JsonObject,
  context: AnswerContext,
  taker: NoteTaker,
) => AnswerOf<T>

const READERS: { readonly [T in EventType]: ParseAnswer<T> } = {
  'study.access_requested'(json, { studyInstanceUid, plaintextHosts = [] }, taker) {
    const { authorized, list } = authorizedList(json, 'urls', taker)
    const { manifest: given } = json
    const manifest =
      given === undefined || given === null
        ? undefined
        : manifestOf(given, studyInstanceUid, 'manifest', taker)
    return {
      authorized,
      urls: urlsOf(list, 'urls', plaintextHosts, taker.note),
      ...(manifest && { manifest }),
      ...media(json.mediaUrls, plaintextHosts, taker),
    }
  },
  'ephemeral.access_requested'(json, { plaintextHosts = [] }, taker) {
    const { authorized, list } = authorizedList(json, 'urls', taker)
    const manifests = manifestsOf(json.manifests, taker)
    return {
      authorized,
      urls: urlsOf(list, 'urls', plaintextHosts, taker.note),
      ...(manifests && { manifests }),
      ...media(json.mediaUrls, plaintextHosts, taker),
    }
  },
  'secondary_capture.access_requested'(json, { plaintextHosts = [] }, taker) {
    const { authorized, list } = authorizedList(json, 'uploadUrls', taker)
    return { authorized, uploadUrls: urlsOf(list, 'uploadUrls', plaintextHosts, taker.note) }
  },
  'modality_worklist.requested'(json, _context, taker) {
    const { authorized, list } = authorizedList(json, 'items', taker)
    // An invalid item does not invalidate the list, but a list without any valid item is rejected.
    if (list.length > 0 && !list.some(isObject))
      throw new WebhookError('invalid', message('webhooks.no-item-is-object'))
    return { authorized, items: list }
  },
  'patient_study.enrichment_requested': (json, _context, { note }) => enrichmentOf(json, note),
  'clinical_context.enrichment_requested': (json, _context, { note }) =>
    clinicalContextOf(json, note),
  'report.delivered'(json) {
    const success = required(json, 'success', isBoolean, message('webhooks.not-true-or-false'))
    // A delivery succeeds with a 2xx status and `success` true.
    if (!success)
      throw new WebhookError('refused', reasonOf(json) ?? message('webhooks.report-not-taken'))
    return { success }
  },
}

/** The required keys of a synchronous answer; `refuse` has already checked for a refusal. */
function authorizedList(
  json: JsonObject,
  name: 'urls' | 'uploadUrls' | 'items',
  { note }: NoteTaker,
) {
  const authorized = required(json, 'authorized', isBoolean, message('webhooks.not-true-or-false'))
  const list = required(json, name, isList, message('webhooks.not-list-clause'))
  const { error } = json
  if (error !== undefined && error !== null && typeof error !== 'string')
    note('error', ignoredPart(message('webhooks.not-text')))
  return { authorized, list: [...list] }
}

function required<T>(
  json: JsonObject,
  name: string,
  admits: (value: unknown) => value is T,
  fault: Message,
): T {
  const value = Object.hasOwn(json, name) ? json[name] : undefined
  if (admits(value)) return value
  throw new WebhookError(
    'invalid',
    message('webhooks.not-of-agreed-form', {
      name,
      fault: value === undefined ? message('webhooks.missing-clause') : fault,
    }),
  )
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

function media(given: unknown, plaintextHosts: PlaintextHosts, { note }: NoteTaker) {
  const mediaUrls = mediaOf(given, plaintextHosts, note)
  return mediaUrls && { mediaUrls }
}

/** One study per manifest; invalid manifests are ignored. */
function manifestsOf(given: unknown, taker: NoteTaker): Manifest[] | undefined {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given))
    return void taker.note('manifests', message('webhooks.manifests-not-list'))
  return given.flatMap(
    (one, index) => manifestOf(one, undefined, `manifests.${index}`, taker) ?? [],
  )
}

function parseJson(type: EventType, body: Buffer): JsonObject {
  checkJsonSize(body)
  let json: unknown
  try {
    // Invalid UTF-8 is rejected, because replacement characters in a name would make it a wrong
    // name.
    json = JSON.parse(utf8.decode(body))
  } catch {
    // The parser's error quotes the text, which may contain patient data.
    throw new WebhookError(
      'invalid',
      message(body.length === 0 ? 'webhooks.answer-empty' : 'webhooks.not-json'),
    )
  }
  if (!isObject(json)) throw new WebhookError('invalid', message('webhooks.body-not-object'))
  if (EVENTS[type].kind === 'synchronous') refuse(json)
  return json
}

function refuse(json: JsonObject): void {
  // Many serializers write an absent text as ''.
  const text = printable(json.error)
  if (json.authorized === false || text)
    throw new WebhookError('refused', text ? verbatim(text) : message('webhooks.no-reason'))
}

function reasonOf(json: JsonObject): Message | undefined {
  const text = printable(json.error) || printable(json.message)
  return text ? verbatim(text) : undefined
}
/** The text as a clause, without its full stop. */
const printable = (text: unknown) =>
  typeof text === 'string'
    ? [
        ...text
          .replace(/[\p{C}\s]+/gu, ' ')
          .trim()
          .replace(/\.$/, ''),
      ]
        .slice(0, 200)
        .join('')
    : ''
