import { z } from 'zod'
import { CalendarDay } from '../dicom-values.ts'
import { fault } from '../messages/issues.ts'
import { isMessage } from '../messages/message.ts'
import { Message } from '../messages/message-schema.ts'

/** An instant: RFC 3339 in UTC with milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 })
export type Instant = z.infer<typeof Instant>

/** A day in the clinic's time zone, `YYYY-MM-DD`. */
export const Day = CalendarDay

/** A message for the window; partners receive its English text. */
const MessageText = z
  .custom<string | Message>((value) => typeof value === 'string' || isMessage(value))
  .meta({ type: 'string' })

/** The outcome of a call, `{success, message}`. */
export const Outcome = z
  .object({ success: z.boolean(), message: MessageText.optional() })
  .meta({ id: 'Outcome' })
export type Outcome = z.infer<typeof Outcome>

/** Like `Outcome`, for the window: the message is independent of the language. */
export const WindowOutcome = z.object({ success: z.boolean(), message: Message.optional() })
export type WindowOutcome = z.infer<typeof WindowOutcome>

/** Clients may serialize a limit as a floating-point number: `20.0` is 20. */
const Limit = z.coerce
  .number({ error: fault('http.limit') })
  .refine((limit) => Number.isInteger(limit) && limit >= 1 && limit <= 100, {
    error: fault('http.limit'),
  })
  .default(20)
  .meta({ type: 'integer', minimum: 1, maximum: 100 })

/** Query parameters of every list call. */
export const Page = { cursor: z.string().optional(), limit: Limit }

/** The reply of every list call; `cursor` is present exactly if `hasMore` is true. */
export const pageOf = <K extends string, T extends z.ZodType>(key: K, item: T) =>
  z.object({ [key]: z.array(item), hasMore: z.boolean(), cursor: z.string().optional() } as {
    [P in K]: z.ZodArray<T>
  } & {
    hasMore: z.ZodBoolean
    cursor: z.ZodOptional<z.ZodString>
  })

/**
 * application/problem+json (RFC 9457), with the top-level `message` that published clients read.
 */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    detail: z.string(),
    instance: z.string(),
    message: z.string(),
    code: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
    /** Also sent as the header `x-request-id`; absent if the request could not be read at all. */
    requestId: z.string().optional(),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>

/** A problem as the window receives it, with explanations that are independent of the language. */
export const ExplainedProblem = z.object({
  ...Problem.shape,
  explanation: Message,
  errors: z.array(z.object({ path: z.string(), message: z.string(), explanation: Message })),
})
export type ExplainedProblem = z.infer<typeof ExplainedProblem>
