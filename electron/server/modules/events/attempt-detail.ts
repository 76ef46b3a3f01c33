import { z } from 'zod'
import type { Seal } from '#server/database/encryption.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import type { Message } from '#shared/messages/message.ts'
import { MessageInJson } from '#shared/messages/message-schema.ts'

/**
 * Details of an attempt to send an event. They are encrypted, because a partner's response may
 * contain patient data.
 */
interface AttemptDetail {
  readonly detail: Message | null
  readonly notes: readonly AnswerNote[]
  /** Whether the stored response is truncated. */
  readonly isCut: boolean
}

const Stored = z.object({
  // Version 0.1 stored an empty string instead of null.
  detail: z.union([z.literal('').transform(() => null), z.null(), MessageInJson]),
  notes: z.array(z.object({ path: z.string(), sentence: MessageInJson })),
  isCut: z.boolean(),
})

const contextOf = (eventId: string, attempt: number) => `event ${eventId} detail ${attempt}`

export function openDetail(
  seal: Seal,
  eventId: string,
  attempt: number,
  sealed: Buffer,
): AttemptDetail {
  return Stored.parse(JSON.parse(seal.open(sealed, contextOf(eventId, attempt)).toString()))
}

export const sealedDetail = (
  seal: Seal,
  eventId: string,
  attempt: number,
  detail: AttemptDetail,
): Buffer => seal.seal(Buffer.from(JSON.stringify(detail)), contextOf(eventId, attempt))
