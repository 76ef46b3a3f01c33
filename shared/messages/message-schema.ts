import { z } from 'zod'
import { type MessageParam, type Message as MessageValue, verbatim } from './message.ts'

// Separate from `message.ts`, so that the first screen of the window does not load zod.

export type Message = MessageValue

/** Schema of a message. */
export const Message: z.ZodType<Message> = z.lazy(() =>
  z.object({ code: z.string(), params: z.record(z.string(), Param).optional() }),
)
const Param: z.ZodType<MessageParam> = z.union([
  z.string(),
  z.number(),
  Message,
  z.array(z.union([z.string(), Message])),
])

/** A message in stored JSON. Version 0.1 stored the English text instead. */
export const MessageInJson = z.union([z.string().transform((text) => verbatim(text)), Message])

const STORED_MESSAGE_PREFIX = '{"code":'

/** Reads a message from a database column. English text stored by version 0.1 is kept as it is. */
export function messageFromStored(text: string): Message {
  if (!text.startsWith(STORED_MESSAGE_PREFIX)) return verbatim(text)
  try {
    return Message.parse(JSON.parse(text))
  } catch {
    return verbatim(text)
  }
}

export const messageOrNull = (text: string | null | undefined): Message | null =>
  text ? messageFromStored(text) : null
