import { z } from 'zod'
import type { AnswerNote } from '#shared/contract/events.ts'
import { EVENTS, type EventResponse, type EventType, WorklistAnswer } from '#shared/contract/webhooks.ts'
import { isObject, type JsonObject, type NoteTaker, noteTaker } from './answer-notes.ts'
import { clinicalContextOf, mediaOf, type PlaintextHosts, urlsOf } from './answer-parts.ts'
import { checkJsonSize } from './json-size.ts'
import { type Manifest, manifestOf } from './manifest.ts'
import { WebhookError } from './webhook-error.ts'
import { noteItems } from './worklist-notes.ts'

/** What is known where an answer is read. */
export interface AnswerContext {
  /** The study that was asked for: a manifest must be of it. */
  readonly studyInstanceUid?: string
  readonly plaintextHosts?: PlaintextHosts
}

/** An answer with its manifests read. */
export type AnswerOf<T extends EventType> = T extends 'study.access_requested'
  ? Omit<EventResponse<T>, 'manifest'> & { readonly manifest?: Manifest }
  : T extends 'ephemeral.access_requested'
    ? Omit<EventResponse<T>, 'manifests'> & { readonly manifests?: readonly Manifest[] }
    : EventResponse<T>

export interface ReadAnswer<T extends EventType> {
  readonly answer: AnswerOf<T>
  /** Parts that were left out, and why. */
  readonly notes: readonly AnswerNote[]
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body of an answer by the event's response shape (interface.md, Response shapes); unknown fields are dropped.
 * Throws `WebhookError`: `refused` where a synchronous event is answered with `authorized` false or an `error` text, whatever else the
 * body lacks (interface-choices §6 row 31), or a delivery with `success` false; `invalid` for anything that is not UTF-8 JSON of that shape;
 * `oversize` for more values than any real answer has.
 */
export const readAnswer = <T extends EventType>(type: T, body: Buffer, context: AnswerContext = {}): AnswerOf<T> =>
  READERS[type](parsedJson(type, body), context, noteTaker())

/**
 * As `readAnswer`, with notes of what was left out. Its envelope is read strictly, what is in it leniently: a bad URL, document or instance
 * never spoils the others. The enrichment of a study is all envelope: one field of another form, and none of it is used.
 */
export function readAnswerWithNotes<T extends EventType>(type: T, body: Buffer, context: AnswerContext = {}): ReadAnswer<T> {
  const taker = noteTaker()
  const answer = READERS[type](parsedJson(type, body), context, taker)
  if (type === 'modality_worklist.requested') noteItems((answer as WorklistAnswer).items, taker)
  return { answer, notes: taker.notes }
}

// The envelopes: what must be right for any of the answer to be used.
const REFUSABLE = { authorized: z.boolean(), error: z.string().optional() }
const LIST = z.array(z.unknown())
const ANY = z.unknown().optional()
const ACCESS = z.object({ ...REFUSABLE, urls: LIST, manifest: ANY, manifests: ANY, mediaUrls: ANY })
const UPLOAD = z.object({ ...REFUSABLE, uploadUrls: LIST })

type Read<T extends EventType> = (json: unknown, context: AnswerContext, taker: NoteTaker) => AnswerOf<T>

const READERS: { readonly [T in EventType]: Read<T> } = {
  'study.access_requested'(json, { studyInstanceUid, plaintextHosts = [] }, taker) {
    const { urls, manifest: given, mediaUrls, ...answer } = agreed(ACCESS.omit({ manifests: true }), json)
    const manifest = given === undefined || given === null ? undefined : manifestOf(given, studyInstanceUid, 'manifest', taker)
    return {
      ...answer,
      urls: urlsOf(urls, 'urls', plaintextHosts, taker.note),
      ...(manifest && { manifest }),
      ...media(mediaUrls, plaintextHosts, taker),
    }
  },
  'ephemeral.access_requested'(json, { plaintextHosts = [] }, taker) {
    const { urls, manifests: given, mediaUrls, ...answer } = agreed(ACCESS.omit({ manifest: true }), json)
    const manifests = manifestsOf(given, taker)
    return {
      ...answer,
      urls: urlsOf(urls, 'urls', plaintextHosts, taker.note),
      ...(manifests && { manifests }),
      ...media(mediaUrls, plaintextHosts, taker),
    }
  },
  'secondary_capture.access_requested'(json, { plaintextHosts = [] }, { note }) {
    const { uploadUrls, ...answer } = agreed(UPLOAD, json)
    return { ...answer, uploadUrls: urlsOf(uploadUrls, 'uploadUrls', plaintextHosts, note) }
  },
  'modality_worklist.requested': (json) => agreed(WorklistAnswer, json),
  'patient_study.enrichment_requested': (json) => agreed(EVENTS['patient_study.enrichment_requested'].response, json),
  'clinical_context.enrichment_requested'(json, _context, { note }) {
    if (!isObject(json)) throw new WebhookError('invalid', 'the answer is not of the agreed form: body: it is not an object')
    return clinicalContextOf(json, note)
  },
  'report.delivered'(json) {
    const answer = agreed(EVENTS['report.delivered'].response, json)
    // interface-choices §6 row 32: delivered is 2xx and success true.
    if (!answer.success) throw new WebhookError('refused', reasonOf(json) || 'the partner answered that it did not take the report')
    return answer
  },
}

function agreed<T>(shape: z.ZodType<T>, json: unknown): T {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new WebhookError('invalid', `the answer is not of the agreed form: ${issue?.path.join('.') || 'body'}: ${issue?.message}`)
}

function media(given: unknown, plaintextHosts: PlaintextHosts, { note }: NoteTaker) {
  const mediaUrls = mediaOf(given, plaintextHosts, note)
  return mediaUrls && { mediaUrls }
}

/** One study for each manifest; those that cannot be used are left out. */
function manifestsOf(given: unknown, taker: NoteTaker): Manifest[] | undefined {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given)) return void taker.note('manifests', 'It is not a list; no manifest is used.')
  return given.flatMap((one, index) => manifestOf(one, undefined, `manifests.${index}`, taker) ?? [])
}

function parsedJson(type: EventType, body: Buffer): unknown {
  checkJsonSize(body)
  let json: unknown
  try {
    // A name with replacement characters in it would be a wrong name: text that is not UTF-8 is no answer.
    json = JSON.parse(utf8.decode(body))
  } catch {
    // The parser's own error quotes the text, which may be about a patient.
    throw new WebhookError('invalid', body.length === 0 ? 'the answer is empty' : 'the answer is not JSON in UTF-8')
  }
  if (EVENTS[type].kind !== 'synchronous' || !isObject(json)) return json
  refuse(json)
  // Many serialisers print what is absent as null: no list is lost for that.
  const { error, ...answer } = json
  return error === null ? answer : json
}

function refuse(json: JsonObject): void {
  // Many serialisers print an absent text as ''.
  const text = printable(json.error)
  if (json.authorized === false || text) throw new WebhookError('refused', text || 'the partner gave no reason')
}

const reasonOf = (json: unknown) => (isObject(json) ? printable(json.error) || printable(json.message) : '')
const printable = (text: unknown) => (typeof text === 'string' ? [...text.replace(/[\p{C}\s]+/gu, ' ').trim()].slice(0, 200).join('') : '')
