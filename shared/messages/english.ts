import en from './en.json' with { type: 'json' }
import { type Message, openMessages } from './message.ts'

const inEnglish = openMessages(en, 'en-GB')

/**
 * Formats a message in English, for logs, partners, the command line and the `detail` of
 * problem+json.
 */
export const englishText = (of: Message): string => inEnglish(of)
