import { englishText } from './english.ts'
import { type Message, verbatim } from './message.ts'

/**
 * An error with an explanation for users that is independent of the language; `message` is its
 * English text.
 */
export class MessageError extends Error {
  override name = 'MessageError'
  readonly explanation: Message
  constructor(explanation: Message, options?: ErrorOptions) {
    super(englishText(explanation), options)
    this.explanation = explanation
  }
}

/** The explanation of an error; for errors of other libraries, their own text. */
export function explanationOf(error: unknown): Message {
  if (error instanceof MessageError) return error.explanation
  return verbatim(error instanceof Error ? error.message : String(error))
}
