import { z } from 'zod'
import { CalendarDay } from '../dicom-values.ts'

/** An instant: RFC 3339 UTC with milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 })
export type Instant = z.infer<typeof Instant>

/** `YYYY-MM-DD`, a day of the clinic. */
export const Day = CalendarDay

/** `{success, message}`. */
export const Outcome = z
  .object({ success: z.boolean(), message: z.string().optional() })
  .meta({ id: 'Outcome' })
export type Outcome = z.infer<typeof Outcome>

/** Clients may print a limit as a double: `20.0` is 20. */
const Limit = z.coerce
  .number({ error: 'must be a whole number from 1 to 100' })
  .refine(
    (limit) => Number.isInteger(limit) && limit >= 1 && limit <= 100,
    'must be a whole number from 1 to 100',
  )
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
