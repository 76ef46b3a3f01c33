// Words that nothing but the test says: where one of them turns up, it came from the patient or the
// secret it stands for.

/** Whose it is: a patient's, or a secret that opens something. */
export type CanaryKind = 'patient' | 'secret'

export interface Canary {
  /** What it is, for who reads that it was found. */
  readonly what: string
  readonly kind: CanaryKind
  readonly text: string | Buffer
}

export interface Leak {
  readonly what: string
  readonly kind: CanaryKind
  /** How it was written there. */
  readonly form: string
  /** Where: a file, or what was said to whom. */
  readonly where: string
}

/**
 * An invented patient, all of whose words are of nobody else. Names with and without an accent, as
 * a search folds them.
 */
export const CANARY_PATIENT = {
  family: 'Zilpzalpová',
  given: 'Quirlinde',
  mrn: 'MRN-CNRY77',
  otherId: 'CARD-CNRY31',
  birthDate: '19370213',
  birthDay: '1937-02-13',
  accession: 'ACC-CNRY-5',
  comments: 'hears the goldcrest sing',
  address: 'Nightjar Lane 4711',
  referrer: 'Wiedehopf',
} as const

/** What is said of that patient, in reports, answers and notes. */
export const CANARY_WORDS = {
  finding: 'ptarmigan shadow in the left lung',
  prior: 'earlier plover of the right hip',
  note: 'patient dreamt of a dunlin',
  indication: 'suspected corncrake',
  document: 'letter of the turnstone ward',
  fileName: 'sandpiper-letter.txt',
  refusal: 'nobody called whimbrel here',
  externalId: 'EXT-CNRY-12',
} as const

const patientOf = (texts: Readonly<Record<string, string>>): Canary[] =>
  Object.entries(texts).map(([what, text]) => ({ what, kind: 'patient', text }))

export const PATIENT_CANARIES: readonly Canary[] = [
  ...patientOf(CANARY_PATIENT),
  ...patientOf(CANARY_WORDS),
]

export const secretCanary = (what: string, text: string | Buffer): Canary => ({
  what,
  kind: 'secret',
  text,
})

/**
 * The canaries that are in these bytes, in any form that a program might write them in, without
 * case; each once.
 */
export function leaksIn(
  found: Buffer | string,
  where: string,
  canaries: readonly Canary[],
): Leak[] {
  const bytes = lowered(Buffer.from(found as string))
  const searched = searchOf(canaries)
  const leaks = new Map<Canary, Leak>()
  // A database has megabytes and a canary twenty forms: one pass, by the first four bytes.
  for (let at = 3, head = bytes.length > 2 ? bytes.readUIntBE(0, 3) : 0; at < bytes.length; at++) {
    head = ((head << 8) | (bytes[at] ?? 0)) >>> 0
    if (searched.mayBegin[(head ^ (head >>> 16)) & 0xffff] === 0) continue
    for (const { canary, form, text } of searched.byHead.get(head) ?? [])
      if (
        !leaks.has(canary) &&
        bytes.compare(
          text,
          0,
          text.length,
          at - 3,
          Math.min(bytes.length, at - 3 + text.length),
        ) === 0
      )
        leaks.set(canary, { what: canary.what, kind: canary.kind, form, where })
  }
  return [...leaks.values()]
}

interface Sought {
  readonly canary: Canary
  readonly form: string
  readonly text: Buffer
}
interface Search {
  /** 1 where a form may begin with four bytes of this sum. */
  readonly mayBegin: Uint8Array
  readonly byHead: ReadonlyMap<number, readonly Sought[]>
}

const searches = new WeakMap<Canary, readonly Sought[]>()

function searchOf(canaries: readonly Canary[]): Search {
  const mayBegin = new Uint8Array(0x10000)
  const byHead = new Map<number, Sought[]>()
  for (const canary of canaries) {
    const sought =
      searches.get(canary) ??
      Object.entries(formsOf(canary.text)).flatMap(([form, texts]) =>
        texts.map((text) => ({ canary, form, text: lowered(text) })),
      )
    searches.set(canary, sought)
    for (const one of sought) {
      // Shorter than four bytes it would be anywhere.
      if (one.text.length < 4) throw new Error(`${canary.what} is too short to be looked for`)
      const head = one.text.readUInt32BE(0)
      mayBegin[(head ^ (head >>> 16)) & 0xffff] = 1
      byHead.set(head, [...(byHead.get(head) ?? []), one])
    }
  }
  return { mayBegin, byHead }
}

/** ASCII letters in lower case, in a copy. */
function lowered(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length; at++) {
    const byte = copy[at] ?? 0
    if (byte >= 0x41 && byte <= 0x5a) copy[at] = byte | 0x20
  }
  return copy
}

function formsOf(text: string | Buffer): Readonly<Record<string, readonly Buffer[]>> {
  const bytes = Buffer.from(text as string)
  const words =
    typeof text === 'string' ? [text, text.toUpperCase(), text.normalize('NFD'), folded(text)] : []
  return {
    plain: [bytes, ...words.map((word) => Buffer.from(word))],
    'Latin-1': typeof text === 'string' ? [Buffer.from(text, 'latin1')] : [],
    'UTF-16': words.flatMap((word) => [
      Buffer.from(word, 'utf16le'),
      Buffer.from(word, 'utf16le').swap16(),
    ]),
    'percent-encoded': words.map((word) => Buffer.from(encodeURIComponent(word))),
    escaped: words.map((word) => Buffer.from(escaped(word))),
    hex: [Buffer.from(bytes.toString('hex'))],
    base64: inBase64(bytes),
    numbers: typeof text === 'string' ? [] : [Buffer.from(JSON.stringify([...bytes]))],
  }
}

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const escaped = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Wherever the bytes begin within a group of three: the middle, which does not depend on what
 * stands around.
 */
function inBase64(bytes: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const middle = whole.slice(
      before === 0 ? 0 : before + 1,
      (before + bytes.length) % 3 === 0 ? undefined : -1,
    )
    return [Buffer.from(middle), Buffer.from(middle.replaceAll('+', '-').replaceAll('/', '_'))]
  })
}
