import { z } from 'zod'
import { CalendarDay } from '../dicom-values.ts'
import { fault } from '../messages/issues.ts'
import { isMessage } from '../messages/message.ts'
import { Message } from '../messages/message-schema.ts'

/** An instant: RFC 3339 UTC with milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 })
export type Instant = z.infer<typeof Instant>

/** `YYYY-MM-DD`, a day of the clinic. */
export const Day = CalendarDay

/** Read by the window as a message, by partners as its English text. */
const Said = z
  .custom<string | Message>((value) => typeof value === 'string' || isMessage(value))
  .meta({ type: 'string' })

/** `{success, message}`. */
export const Outcome = z
  .object({ success: z.boolean(), message: Said.optional() })
  .meta({ id: 'Outcome' })
export type Outcome = z.infer<typeof Outcome>

/** As `Outcome`, for the window: with what it says in no language. */
export const WindowOutcome = z.object({ success: z.boolean(), message: Message.optional() })
export type WindowOutcome = z.infer<typeof WindowOutcome>

/** Clients may print a limit as a double: `20.0` is 20. */
const Limit = z.coerce
  .number({ error: fault('http.limit') })
  .refine((limit) => Number.isInteger(limit) && limit >= 1 && limit <= 100, {
    error: fault('http.limit'),
  })
  .default(20)
  .meta({ minimum: 1, maximum: 100 })

/** Query of every list call. */
export const Page = { cursor: z.string().optional(), limit: Limit }

/** The reply of every list call: `cursor` exactly when `hasMore`. */
export const pageOf = <K extends string, T extends z.ZodType>(key: K, item: T) =>
  z.object({ [key]: z.array(item), hasMore: z.boolean(), cursor: z.string().optional() } as {
    [P in K]: z.ZodArray<T>
  } & {
    hasMore: z.ZodBoolean
    cursor: z.ZodOptional<z.ZodString>
  })

/**
 * application/problem+json (RFC 9457) with the top-level `message` that published clients read.
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
    /** The header `x-request-id` too; absent where the request could not be read at all. */
    requestId: z.string().optional(),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>

/** A problem as the window receives it: with what it says in no language. */
export const ExplainedProblem = z.object({
  ...Problem.shape,
  explanation: Message,
  errors: z.array(z.object({ path: z.string(), message: z.string(), explanation: Message })),
})
export type ExplainedProblem = z.infer<typeof ExplainedProblem>
