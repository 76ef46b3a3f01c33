import { IntlMessageFormat } from 'intl-messageformat'
import type en from './en.json'

/** Message codes: the keys of `en.json`, in the form `area.meaning`. */
export type MessageCode = keyof typeof en

/**
 * An argument of a message. Text and numbers are inserted as they are, messages in the language of
 * the reader, and arrays as a list (“CT1, CT2 and MR1”).
 */
export type MessageParam = string | number | Message | readonly (string | Message)[]
export type MessageParams = Readonly<Record<string, MessageParam>>

/**
 * A user-facing text that is independent of the language: a key of the catalogues with its
 * arguments. `english` formats it for logs and partners; the window formats it in the user's
 * language.
 */
export interface Message {
  readonly code: string
  readonly params?: MessageParams | undefined
}

/** Creates a message of the catalogue with its arguments. */
export const message = (code: MessageCode, params?: MessageParams): Message =>
  params ? { code, params } : { code }

/** Text that is the same in every language, such as a name or a text from another program. */
export const verbatim = (text: string): Message => message('text.verbatim', { text })

/**
 * Makes a complete sentence of a fragment: adds a full stop, and capitalizes it unless it starts
 * with a name.
 */
export const asSentence = (part: Message): Message => message('text.sentence', { part })

/** Joins sentences. */
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

const SENTENCE_CODE: MessageCode = 'text.sentence'

/** The JSON of a message for a database column. */
export const storedMessage = (of: Message): string => JSON.stringify(of)

/** Like `storedMessage`, for a column that is empty if there is no message. */
export const storedOrEmpty = (of: Message | null): string => (of ? storedMessage(of) : '')

/**
 * Messages by code, as ICU text, or if the build of the window has compiled it, as the elements of
 * its syntax tree. A compiled message without arguments is a single text.
 */
export type Catalogue = Readonly<Record<string, string | readonly [string] | Elements>>
type Elements = Exclude<ConstructorParameters<typeof IntlMessageFormat>[0], string>

/**
 * Returns a function that formats messages with a catalogue.
 * @param paramText how a parameter that is a text is shown, such as a day
 */
export function openMessages(
  catalogue: Catalogue,
  locale: string,
  paramText: (text: string, name: string) => string = (text) => text,
): (of: Message) => string {
  const formats = new Map<string, Format>()
  // Its data takes the browser some 50 ms to load, and few texts have a list.
  let list: Intl.ListFormat | undefined

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

  const valueText = (param: MessageParam, name: string): string | number => {
    if (typeof param === 'string') return paramText(param, name)
    if (typeof param === 'number') return param
    if ('code' in param) return textOf(param)
    list ??= new Intl.ListFormat(locale, { type: 'conjunction' })
    return list.format(param.map((one) => String(valueText(one, name))))
  }

  /** Whether the text starts with a name or a text from another program, whose case is kept. */
  function beginsWithName({ code, params = {} }: Message): boolean {
    const param = params[firstArgument(catalogue[code] ?? '') ?? '']
    if (param === undefined) return false
    return typeof param !== 'object' || !('code' in param) || beginsWithName(param)
  }

  function sentenceOf(text: string, { params }: Message): string {
    const part = params?.part
    const isName = typeof part !== 'object' || !('code' in part) || beginsWithName(part)
    const capitalized = isName ? text : text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
    return capitalized.replace(/([.!?])\.$/, '$1')
  }

  function textOf(of: Message): string {
    const { code, params = {} } = of
    const values = Object.entries(params).map(
      ([name, param]) => [name, valueText(param, name)] as const,
    )
    const format = formatOf(code)
    // The code may be unknown if the window is older than the gateway.
    if (!format) return [code, ...values.map(([, value]) => value)].join(' ')
    const text = String(format.format(Object.fromEntries(values)))
    return code === SENTENCE_CODE ? sentenceOf(text, of) : text
  }
  return textOf
}

type Format = Pick<IntlMessageFormat, 'format'>

const isPlain = (text: Catalogue[string]): text is readonly [string] =>
  typeof text !== 'string' && typeof text[0] === 'string'

/**
 * The name of the argument with which a message starts; undefined if it does not start with one.
 */
function firstArgument(text: Catalogue[string]): string | undefined {
  if (typeof text === 'string') return /^\{(\w+)/.exec(text)?.[1]
  const [element] = text
  const LITERAL = 0
  return typeof element === 'object' && element.type !== LITERAL && 'value' in element
    ? element.value
    : undefined
}
