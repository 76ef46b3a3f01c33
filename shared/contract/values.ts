import { z } from 'zod'
import { fault } from '../messages/issues.ts'

// Value types that operations of the interface share.

/** Metadata: at most 50 pairs, with keys of up to 100 and values of up to 1000 characters. */
export const Metadata = z
  .record(
    z.string().max(100, fault('values.keys-too-long')),
    z.string().max(1000, fault('values.values-too-long')),
  )
  .refine((map) => Object.keys(map).length <= 50, fault('values.too-many-pairs'))
  .meta({ id: 'Metadata', maxProperties: 50 })
export type Metadata = z.infer<typeof Metadata>

/** A body that published clients may omit, send empty or send as `null`. */
export const orEmpty = <T extends z.ZodObject>(body: T) =>
  z.preprocess((given) => given ?? {}, body)

/** A field that a client may leave out or send as null. */
export const orNull = <T extends z.ZodType>(field: T) =>
  field
    .nullable()
    .transform((given) => given ?? undefined)
    .optional()

/** A query value for which an empty text and the word `null` match rows without a value. */
export const nullableQueryValue = <T extends z.ZodType>(value: T) =>
  z
    .preprocess((given) => (given === '' || given === 'null' ? null : given), value.nullable())
    .optional()

/**
 * A UID received from a device. Not every device conforms to PS3.5 §9.1, and the UID is shown as
 * received.
 */
export const ReceivedUid = z.string().min(1).max(64)

/** A boolean query value; an empty one does not filter. */
export const Flag = z
  .preprocess(
    (given) => (given === '' || given === 'null' ? undefined : given),
    z.enum(['true', 'false'], fault('values.not-boolean')).optional(),
  )
  .transform((given) => (given === undefined ? undefined : given === 'true'))

/**
 * Several values of a query, separated by commas. Duplicates and `name[]` are accepted, an empty
 * value does not filter, and an unknown value is refused.
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

/** A substring filter; an empty one does not filter. */
export const SubstringFilter = z
  .string()
  .max(200)
  .transform((text) => text || undefined)
  .optional()

export const SEVERITIES = ['normal', 'high', 'stat'] as const
export const Severity = z.enum(SEVERITIES)
export type Severity = z.infer<typeof Severity>

const INVITATION_SOURCES = ['dashboard', 'api'] as const
export const InvitationSource = z.enum(INVITATION_SOURCES)

/** 10 to 15 digits. */
export const PhoneNumber = z.string().regex(/^\d{10,15}$/, fault('values.phone-number'))
/** 10 digits. */
export const NpiNumber = z.string().regex(/^\d{10}$/, fault('values.npi-number'))

/** One or several certificates in PEM format. */
export const Pem = z
  .string()
  .max(20_000)
  .regex(/^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/, fault('values.pem'))

/** Modality (0008,0060) as entered by a user. */
export const ModalityCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9_ ]{1,16}$/, fault('values.modality'))

/** The reason for an action, for the audit log. */
export const Reason = z.string().trim().min(3, fault('values.reason')).max(200)
