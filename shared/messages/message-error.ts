import { english } from './english.ts'
import { type Message, verbatim } from './message.ts'

/** An error that says to a person what is wrong, in any language; `message` is the English text. */
export class MessageError extends Error {
  override name = 'MessageError'
  readonly explanation: Message
  constructor(explanation: Message, options?: ErrorOptions) {
    super(english(explanation), options)
    this.explanation = explanation
  }
}

/** What an error says to a person; of an error of another program, its own text. */
export function explanationOf(error: unknown): Message {
  if (error instanceof MessageError) return error.explanation
  return verbatim(error instanceof Error ? error.message : String(error))
}
