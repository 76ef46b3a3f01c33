import { z } from 'zod'
import { type MessageParam, type Message as MessageValue, verbatim } from './message.ts'

// Apart from `message.ts`, so that the first screen of the window does not load zod.

export type Message = MessageValue

/** A message as it is sent. */
export const Message: z.ZodType<Message> = z.lazy(() =>
  z.object({ code: z.string(), params: z.record(z.string(), Param).optional() }),
)
const Param: z.ZodType<MessageParam> = z.union([
  z.string(),
  z.number(),
  Message,
  z.array(z.union([z.string(), Message])),
])

/** A message within stored JSON, where version 0.1 stored its English text. */
export const MessageInJson = z.union([z.string().transform((text) => verbatim(text)), Message])

const STORED = '{"code":'

/** Of a column of the database. Version 0.1 stored English text, which stays as it is. */
export function messageFromStored(text: string): Message {
  if (!text.startsWith(STORED)) return verbatim(text)
  try {
    return Message.parse(JSON.parse(text))
  } catch {
    return verbatim(text)
  }
}

export const messageOrNull = (text: string | null | undefined): Message | null =>
  text ? messageFromStored(text) : null
