import { type MessageCode, type MessageParams, message } from '#shared/messages/message.ts'
import { codesOf, hasMessage, translateMessage } from './messages.ts'

/** Codes of the texts of the window itself. */
export type TextCode = Extract<MessageCode, `ui.${string}`>

/** A text of the window in the language of the page. */
export const t = (code: TextCode, params?: MessageParams): string =>
  translateMessage(message(code, params))

const isTextCode = (code: string): code is TextCode => hasMessage(code)

/**
 * The text of a code made of a value, such as an action that the server names; undefined where the
 * catalogue has none.
 */
export const knownText = (code: string, params?: MessageParams): string | undefined =>
  isTextCode(code) ? t(code, params) : undefined

/** Codes that begin with a text, in the order of the catalogue. */
export const codesWithin = (start: string): readonly TextCode[] =>
  codesOf()
    .filter((code) => code.startsWith(start))
    .filter(isTextCode)

type NamesIn<Prefix extends string> = TextCode extends infer Code
  ? Code extends `${Prefix}.${infer Name}`
    ? Name
    : never
  : never

const textsIn = (prefix: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, t(`${prefix}.${name}` as TextCode)]))

/** Texts of one group by their names: `textsOf('ui.critical-results.columns', 'since', 'patient')`. */
export const textsOf = <const Prefix extends string, const Name extends NamesIn<Prefix>>(
  prefix: Prefix,
  ...names: readonly Name[]
) => textsIn(prefix, names) as Readonly<Record<Name, string>>

/**
 * The same texts of each of several groups: `textGroups('ui.format.faults', PARTNER_FAULTS,
 * 'name', 'remedy')` has `{ name, remedy }` of every fault.
 */
export const textGroups = <
  const Prefix extends string,
  const Key extends string,
  const Name extends string,
>(
  prefix: Prefix & (`${Prefix}.${Key}.${Name}` extends TextCode ? unknown : never),
  keys: readonly Key[],
  ...names: readonly Name[]
) =>
  Object.fromEntries(keys.map((key) => [key, textsIn(`${prefix}.${key}`, names)])) as Readonly<
    Record<Key, Readonly<Record<Name, string>>>
  >
