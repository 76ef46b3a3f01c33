import { IntlMessageFormat } from 'intl-messageformat'
import type en from './en.json'

/** What the gateway can tell a person: the keys of `en.json`, `area.meaning`. */
export type MessageCode = keyof typeof en

/**
 * A value of a message: text and numbers as they are, a message in the language of its reader, and
 * several of them as a list (“CT1, CT2 and MR1”).
 */
export type MessageParam = string | number | Message | readonly (string | Message)[]
export type MessageParams = Readonly<Record<string, MessageParam>>

/**
 * Something the gateway tells a person, without a language: a key of the catalogues and the values
 * of its arguments. `english` gives it to logs and partners, the window in the language of its
 * reader.
 */
export interface Message {
  readonly code: string
  readonly params?: MessageParams | undefined
}

/** A message of the catalogue, with a value for each of its arguments. */
export const message = (code: MessageCode, params?: MessageParams): Message =>
  params ? { code, params } : { code }

/** Text that is the same in every language: a name, or what another program said. */
export const verbatim = (text: string): Message => message('text.verbatim', { text })

/** A part of a sentence as a sentence of its own: with a capital, but for a name, and a full stop. */
export const asSentence = (part: Message): Message => message('text.sentence', { part })

/** Sentences one after the other. */
export function sentences(first: Message, ...others: readonly (Message | undefined)[]): Message {
  return others
    .filter((next) => next !== undefined)
    .reduce((before, next) => message('text.sentences', { before, next }), first)
}

export const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  typeof value.code === 'string' &&
  Object.keys(value).every((key) => key === 'code' || key === 'params')

const SENTENCE: MessageCode = 'text.sentence'

/** A message as a column of the database keeps it: JSON. */
export const storedMessage = (of: Message): string => JSON.stringify(of)

/** In a column that is empty where there is none. */
export const storedOrEmpty = (of: Message | null): string => (of ? storedMessage(of) : '')

/**
 * Messages by their codes: each as ICU text or, where the build of the window has compiled it, as
 * the elements of its syntax tree. A compiled message without arguments is its text alone.
 */
export type Catalogue = Readonly<Record<string, string | readonly [string] | Elements>>
type Elements = Exclude<ConstructorParameters<typeof IntlMessageFormat>[0], string>

/** Gives messages in the language of a catalogue. */
export function openMessages(catalogue: Catalogue, locale: string): (of: Message) => string {
  const formats = new Map<string, Format>()
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })

  function formatOf(code: string): Format | undefined {
    const known = formats.get(code)
    const text = catalogue[code]
    if (known || text === undefined) return known
    const format = isPlain(text)
      ? { format: () => text[0] }
      : new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
    formats.set(code, format)
    return format
  }

  const valueText = (param: MessageParam): string | number => {
    if (typeof param === 'string' || typeof param === 'number') return param
    if ('code' in param) return textOf(param)
    return list.format(param.map((one) => String(valueText(one))))
  }

  /** Names keep their case, and so does what another program said. */
  function beginsWithName({ code, params = {} }: Message): boolean {
    const param = params[firstArgument(catalogue[code] ?? '') ?? '']
    if (param === undefined) return false
    return typeof param !== 'object' || !('code' in param) || beginsWithName(param)
  }

  function sentenceOf(text: string, { params }: Message): string {
    const part = params?.part
    const isName = typeof part !== 'object' || !('code' in part) || beginsWithName(part)
    const begun = isName ? text : text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
    return begun.replace(/([.!?])\.$/, '$1')
  }

  function textOf(of: Message): string {
    const { code, params = {} } = of
    const values = Object.entries(params).map(([name, param]) => [name, valueText(param)] as const)
    const format = formatOf(code)
    // A window that is older than its gateway has not every code.
    if (!format) return [code, ...values.map(([, value]) => value)].join(' ')
    const text = String(format.format(Object.fromEntries(values)))
    return code === SENTENCE ? sentenceOf(text, of) : text
  }
  return textOf
}

type Format = Pick<IntlMessageFormat, 'format'>

const isPlain = (text: Catalogue[string]): text is readonly [string] =>
  typeof text !== 'string' && typeof text[0] === 'string'

/** The name of the argument that a message begins with, where it begins with one. */
function firstArgument(text: Catalogue[string]): string | undefined {
  if (typeof text === 'string') return /^\{(\w+)/.exec(text)?.[1]
  const [element] = text
  const LITERAL = 0
  return typeof element === 'object' && element.type !== LITERAL && 'value' in element
    ? element.value
    : undefined
}
