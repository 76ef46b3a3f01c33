import { mutateBytes } from './mutate.ts'
import type { Random } from './random.ts'

/** Values that break a reader of JSON: other types, ends of ranges, text of every kind. */
const VALUES: readonly (() => unknown)[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    0.5,
    1e308,
    5e-324,
    2 ** 31,
    2 ** 53,
    -(2 ** 53),
    12345678901234567890n,
  ].map((value) => () => (typeof value === 'bigint' ? Number(value) : value)),
  ...[
    '',
    ' ',
    '0',
    'null',
    'NaN',
    '\0',
    '\ud800',
    '\udfff',
    '\ufffd',
    '\u202e',
    '\ufeff',
    'İ',
    'ß',
    '𝕏',
    '%',
    '%00',
    '..',
    '../../etc',
  ].map((text) => () => text),
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '^',
    '=',
    '\\',
    '^^^^',
    '=====',
    'a\\b',
    '1.2.3',
    '0.1',
    '1..2',
    '2.25.1',
  ].map((text) => () => text),
  ...[
    '20260229',
    '20261120',
    '2026-11-20',
    '2026-02-30',
    '0000-00-00',
    '9999-12-31',
    '10:60',
    '24:00:00',
    'https://a.example/',
    'http://127.0.0.1/',
    'file:///',
  ].map((text) => () => text),
  ...[
    '" OR 1=1 --',
    "'",
    '*',
    '?',
    'a OR b',
    'NEAR(a b)',
    '{{}}',
    '<script>',
    '\r\n',
    'a@b.example',
    '99999999999999999999',
  ].map((text) => () => text),
  () => [],
  () => ({}),
  () => [[[[]]]],
  () => 'x'.repeat(300),
  () => `${'^'.repeat(5000)}x`,
  () => `${' '.repeat(20_000)}x`,
  () => 'é'.normalize('NFD').repeat(4000),
  () => Array.from({ length: 200 }, () => ({})),
  () => JSON.parse('{"__proto__": {"isAdmin": true}}'),
  () => nested(200),
]

function nested(depth: number): unknown {
  let value: unknown = 'end'
  for (let left = depth; left > 0; left--)
    value = left % 2 === 0 ? [value] : { ScheduledProcedureStepSequence: value }
  return value
}

/** One hostile value. */
export const hostile = (random: Random): unknown => random.of(VALUES)()

/** Where a value stands in a document. */
interface Place {
  readonly in: Record<string, unknown>
  readonly key: string
}

/**
 * More places are not told apart: a document of a megabyte would take longer to look through than
 * to read.
 */
const MOST_PLACES = 3000

function placesOf(root: Record<string, unknown>): Place[] {
  const places: Place[] = []
  const open: Record<string, unknown>[] = [root]
  for (let within = open.pop(); within && places.length < MOST_PLACES; within = open.pop()) {
    for (const key of Object.keys(within).slice(0, 200)) {
      places.push({ in: within, key })
      const value = within[key]
      if (isContainer(value)) open.push(value)
    }
  }
  return places
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/**
 * The document with one to four changes: values of others, of other types, fields gone, double,
 * renamed, moved.
 */
export function mutateJson(document: unknown, random: Random, other: () => unknown): unknown {
  const root: Record<string, unknown> = { value: structuredClone(document) }
  for (let left = 1 + random.below(random.of([1, 2, 4])); left > 0; left--) {
    const places = placesOf(root)
    // The whole document was taken away.
    if (places.length === 0) return hostile(random)
    const place = random.of(places)
    // The whole document is rarely what is worth changing.
    if (place.in === root && places.length > 1 && !random.isOnce(12)) continue
    random.of(CHANGES)(place, random, { places, other })
  }
  return root.value
}

type Change = (
  place: Place,
  random: Random,
  more: { readonly places: readonly Place[]; readonly other: () => unknown },
) => void

const CHANGES: readonly Change[] = [
  (place, random) => set(place, hostile(random)),
  (place, random) => set(place, hostile(random)),
  (place, random) => set(place, reworked(place.in[place.key], random)),
  (place, random) => set(place, reworked(place.in[place.key], random)),
  ({ in: within, key }) => {
    if (Array.isArray(within)) within.splice(Number(key), 1)
    else delete within[key]
  },
  ({ in: within, key }, random) => {
    if (Array.isArray(within))
      for (let left = 1 + random.below(40); left > 0; left--)
        within.push(structuredClone(within[Number(key)]))
  },
  ({ in: within, key }, random) => {
    if (!Array.isArray(within)) define(within, String(hostile(random) ?? key), within[key])
  },
  ({ in: within, key }, random) => set({ in: within, key }, [within[key], hostile(random)]),
  ({ in: within, key }) => set({ in: within, key }, { [key]: within[key] }),
  (place, random, { places }) => {
    const from = random.of(places)
    set(place, structuredClone(from.in[from.key]))
  },
  (place, _random, { other }) => set(place, other()),
]

function set({ in: within, key }: Place, value: unknown): void {
  define(within, key, value)
}

/** A field called `__proto__` too, as JSON.parse makes it. */
function define(within: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(within, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

function reworked(value: unknown, random: Random): unknown {
  if (typeof value === 'number')
    return random.of([value + 1, value - 1, -value, value * 1e9, value / 3, String(value)])
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return hostile(random)
  const at = random.below(value.length + 1)
  const character = random.of([
    '^',
    '=',
    '\\',
    ' ',
    '\0',
    '\n',
    '\u0301',
    '\ufffd',
    '山',
    'Ж',
    '\ud83d',
    '.',
    '-',
    '*',
    '?',
    '%',
    '"',
  ])
  return random.of([
    () => value.slice(0, at),
    () => value.slice(0, at) + character + value.slice(at),
    () => value.slice(0, at) + character.repeat(1 + random.below(3000)) + value.slice(at),
    () => value.repeat(1 + random.below(200)).slice(0, 100_000),
    () => value.toUpperCase(),
    () => value.normalize('NFD'),
    () => ` ${value} `,
    () => [...value].reverse().join(''),
    () => Number(value),
    () => [value],
  ])()
}

/** A document as an input; what JSON has no word for, such as half a character, is escaped. */
export const jsonBytes = (document: unknown): Buffer =>
  Buffer.from(JSON.stringify(document) ?? 'null')

/**
 * Deeper than that a document is changed as bytes: what looks at it level by level here would fall
 * over itself.
 */
const DEEPEST = 500

/** The document of an input; undefined where it is none, or one that is very deep. */
export function jsonOf(input: Buffer): unknown {
  let depth = 0
  for (const byte of input) {
    if (byte === 0x5b || byte === 0x7b) depth++
    else if (byte === 0x5d || byte === 0x7d) depth--
    if (depth > DEEPEST) return undefined
  }
  try {
    return JSON.parse(input.toString('utf8'))
  } catch {
    return undefined
  }
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\u0000',
  '\\ud800',
  'null',
  'true',
  '1e999',
  '-',
  '\ufeff',
  '"__proto__":',
  '[[[[[[[[',
].map((text) => Buffer.from(text))

/**
 * Another input of a target that is fed with JSON: mostly another document, now and then other
 * bytes, or a document 10,000 levels deep.
 */
export function mutateJsonInput(
  input: Buffer,
  random: Random,
  other: () => Buffer,
  mostBytes: number,
): Buffer {
  const document = jsonOf(input)
  if (document === undefined || random.isOnce(10))
    return mutateBytes(input, random, { mostBytes, tokens: TOKENS, other })
  if (random.isOnce(60)) return deepened(input, random, mostBytes)
  const changed = jsonBytes(mutateJson(document, random, () => jsonOf(other())))
  return changed.length <= mostBytes ? changed : input
}

/** With a value, somewhere, that is as deep as there is room for. */
function deepened(input: Buffer, random: Random, mostBytes: number): Buffer {
  const text = input.toString('latin1')
  const places = [...text.matchAll(/[:[,]/g)].map(({ index }) => index + 1).slice(0, 500)
  if (places.length === 0) return input
  const at = random.of(places)
  const [open, close] = random.of([
    ['[', ']'],
    ['{"items":', '}'],
    ['[{"ScheduledProcedureStepSequence":', '}]'],
  ] as const)
  const depth = Math.min(
    random.of([40, 300, 10_000]),
    Math.floor(Math.max(0, mostBytes - input.length) / (open.length + close.length)),
  )
  return Buffer.from(
    `${text.slice(0, at)}${open.repeat(depth)}0${close.repeat(depth)}${text.charAt(at - 1) === ':' ? ',"x":' : ','}${text.slice(at)}`,
    'latin1',
  )
}
