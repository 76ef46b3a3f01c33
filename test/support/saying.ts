import { englishText } from '#shared/messages/english.ts'
import { isMessage, type Message } from '#shared/messages/message.ts'

/** In an expectation: a message with this in its English text. */
export const saying = (wanted: RegExp | string) => ({
  asymmetricMatch: (given: unknown): boolean =>
    isMessage(given) &&
    (typeof wanted === 'string'
      ? englishText(given).includes(wanted)
      : wanted.test(englishText(given))),
  toString: () => `saying ${wanted}`,
})

/** The English text of a message; empty where there is none. */
export const textOf = (of: Message | null | undefined): string => (of ? englishText(of) : '')
