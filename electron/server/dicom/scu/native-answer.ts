import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import { type PriorStudyRow, rowOf } from './prior-study.ts'
import type { Peer } from './requestor.ts'
import { type Call, RequestorError, rejected, unreachable } from './requestor-error.ts'

/** What dicom-dimse-native could not do. `message` is one sentence for a person. */
export class NativeError extends Error {
  override name = 'NativeError'
}

/** A final answer of the module: code 0 success, 2 failure. */
export interface NativeReply {
  readonly code: number
  readonly message: string
  /** Of a find: its matches, as JSON within JSON; null where there are none. */
  readonly container: string | readonly FoundObject[] | null
}

/** DICOM JSON: values by tag without a comma. */
type FoundObject = Readonly<
  Record<string, { readonly vr: string; readonly Value?: readonly unknown[] }>
>

/** What the module says in DCMTK's words. */
const FAULTS: readonly (readonly [words: RegExp, fault: (call: Call) => RequestorError])[] = [
  [/calling AE title not recognized/i, (call) => rejection(call, 1, 3)],
  [/called AE title not recognized/i, (call) => rejection(call, 1, 7)],
  [/temporary congestion/i, (call) => rejection(call, 3, 1)],
  [/local limit exceeded/i, (call) => rejection(call, 3, 2)],
  [/association rejected/i, (call) => rejection(call, 1, 1)],
  [/connection refused/i, (call) => noConnection(call, 'ECONNREFUSED')],
  [/no route to host|network is unreachable/i, (call) => noConnection(call, 'EHOSTUNREACH')],
  [/timed? ?out/i, (call) => noConnection(call, 'ETIMEDOUT')],
  [/unknown host|cannot resolve|failed to resolve/i, (call) => noConnection(call, 'ENOTFOUND')],
  [
    /no acceptable presentation context/i,
    (call) =>
      new RequestorError('not-accepted', `${call.calledAeTitle} does not offer this service`),
  ],
  [
    /abort|closed|reset/i,
    (call) => new RequestorError('aborted', `${call.calledAeTitle} aborted the association`),
  ],
]

const rejection = (call: Call, source: number, reason: number) =>
  rejected({ type: 'A-ASSOCIATE-RJ', result: 1, source, reason }, call)
const noConnection = (call: Call, code: string) =>
  unreachable(Object.assign(new Error(code), { code }), call)

/** A failure of the module on the network, in our words. */
export function faultOf(
  message: string,
  { host, port, aeTitle }: Peer,
  callingAeTitle: string,
): RequestorError {
  const call = { host, port, calledAeTitle: aeTitle, callingAeTitle }
  const known = FAULTS.find(([words]) => words.test(message))
  return known
    ? known[1](call)
    : new RequestorError('aborted', `${aeTitle} could not be asked: ${message.trim()}`)
}

/**
 * The last status of a log that was kept at level DEBUG; undefined where there is none. The module
 * itself calls a C-FIND a success whatever its final status is.
 */
export function statusIn(log: string): number | undefined {
  const last = [...log.matchAll(/^DEBUG \[[^\]]*\]: DIMSE Status\s*: 0x([0-9a-f]{4})/gm)].at(
    -1,
  )?.[1]
  return last === undefined ? undefined : Number.parseInt(last, 16)
}

/**
 * The reason of a rejection in such a log; '' where there is none. The answer of a find does not
 * have it.
 */
export const reasonIn = (log: string): string => /Reason: (.+)/.exec(log)?.[1] ?? ''

/** The matches of a find. */
export function rowsOf({ container }: NativeReply): PriorStudyRow[] {
  const found =
    typeof container === 'string'
      ? container === ''
        ? []
        : (JSON.parse(container) as readonly FoundObject[])
      : (container ?? [])
  return found.flatMap((object) => {
    const terms = textIn(object, SPECIFIC_CHARACTER_SET).split('\\')
    return rowOf((tag) => decoded(textIn(object, tag), terms, object[keyOf(tag)]?.vr ?? 'LO')) ?? []
  })
}

const SPECIFIC_CHARACTER_SET = 0x00080005
const keyOf = (tag: number): string => tag.toString(16).toUpperCase().padStart(8, '0')

/** All values of an element with backslashes between. */
function textIn(object: FoundObject, tag: number): string {
  const values = object[keyOf(tag)]?.Value ?? []
  return values.map((value) => (isName(value) ? value.Alphabetic : String(value ?? ''))).join('\\')
}

const isName = (value: unknown): value is { readonly Alphabetic: string } =>
  typeof value === 'object' && value !== null && 'Alphabetic' in value

/**
 * A build without libiconv gives each byte as one character; one with it has decoded them, so that
 * what it gives is no bytes of that set, or no bytes at all.
 */
function decoded(text: string, terms: readonly string[], vr: string): string {
  if (/^[ -~]*$/.test(text) || /[^\0-\xff]/.test(text)) return text
  const read = decodeText(Buffer.from(text, 'latin1'), terms, vr)
  return read.exact ? read.text : text
}
