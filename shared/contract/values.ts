import { z } from 'zod'
import { fault } from '../messages/issues.ts'

// Forms that the interface's own operations share.

/**
 * Metadata maps: at most 50 pairs, keys up to 100 characters, values up to 1000.
 */
export const Metadata = z
  .record(
    z.string().max(100, fault('values.keys-too-long')),
    z.string().max(1000, fault('values.values-too-long')),
  )
  .refine((map) => Object.keys(map).length <= 50, fault('values.too-many-pairs'))
  .meta({ id: 'Metadata', maxProperties: 50 })
export type Metadata = z.infer<typeof Metadata>

/**
 * A body that published clients leave out, send empty or send as `null`.
 */
export const orEmpty = <T extends z.ZodObject>(body: T) =>
  z.preprocess((given) => given ?? {}, body)

/** A query value where the empty text and the word `null` ask for rows that have none. */
export const nullable = <T extends z.ZodType>(value: T) =>
  z
    .preprocess((given) => (given === '' || given === 'null' ? null : given), value.nullable())
    .optional()

/**
 * A UID that a device sent: not every device keeps to PS3.5 §9.1, and what it sent is shown as it
 * is.
 */
export const ReceivedUid = z.string().min(1).max(64)

/** A boolean of a query; empty is no filter. */
export const Flag = z
  .preprocess(
    (given) => (given === '' || given === 'null' ? undefined : given),
    z.enum(['true', 'false'], fault('values.not-boolean')).optional(),
  )
  .transform((given) => (given === undefined ? undefined : given === 'true'))

/**
 * Several values of a query, joined by commas; repeats and `name[]` are tolerated, empty is no
 * filter, an unknown value is refused.
 */
export const choices = <const V extends readonly [string, ...string[]]>(values: V) =>
  z
    .preprocess(
      (given) =>
        [given ?? []]
          .flat()
          .flatMap((text) => (typeof text === 'string' ? text.split(',') : [text]))
          .filter((text) => text !== ''),
      z.array(z.enum(values)).max(50),
    )
    .transform((given) => (given.length === 0 ? undefined : [...new Set(given)]))
    .optional()

/** A contains-filter; empty is no filter. */
export const Contains = z
  .string()
  .max(200)
  .transform((text) => text || undefined)
  .optional()

export const SEVERITIES = ['normal', 'high', 'stat'] as const
export const Severity = z.enum(SEVERITIES)
export type Severity = z.infer<typeof Severity>

const INVITED_SOURCES = ['dashboard', 'api'] as const
export const InvitedSource = z.enum(INVITED_SOURCES)

/** 10 to 15 digits. */
export const PhoneNumber = z.string().regex(/^\d{10,15}$/, fault('values.phone-number'))
/** 10 digits. */
export const NpiNumber = z.string().regex(/^\d{10}$/, fault('values.npi-number'))

/** A certificate, or several, as text. */
export const Pem = z
  .string()
  .max(20_000)
  .regex(/^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/, fault('values.pem'))

/** Modality (0008,0060) as staff enter it. */
export const ModalityCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9_ ]{1,16}$/, fault('values.modality'))

/** Why somebody did it, for the audit trail. */
export const Reason = z.string().trim().min(3, fault('values.reason')).max(200)
