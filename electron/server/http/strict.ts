import type { z } from 'zod'
import { malformedFields } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

/** Whether the request has `Prefer: handling=strict` (RFC 7240 §4.4). */
export function isStrict(prefer: string | string[] | undefined): boolean {
  return [prefer ?? []]
    .flat()
    .join(',')
    .split(',')
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;.*)?$/i.test(preference))
}

/**
 * Rejects a body with fields unknown to the contract. @throws ApiError malformed, naming each of
 * them
 */
export function requireKnownFields(schema: z.ZodType, body: unknown): void {
  const errors = unknownFields(schema, body, 'body').map((path) => ({
    path,
    message: message('http.unknown-field'),
  }))
  const [first, ...others] = errors
  if (first) throw malformedFields(first, others, STRICT_APPLIED)
}

export const STRICT_APPLIED = { 'preference-applied': 'handling=strict' } as const

/** Dotted paths of the fields in `value` that `schema` does not define, at any depth. */
export function unknownFields(schema: z.core.$ZodType, value: unknown, at: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      if (!isRecord(value)) return []
      return Object.entries(value).flatMap(([name, inner]) => {
        const field = Object.hasOwn(def.shape, name) ? def.shape[name] : def.catchall
        if (!field || field._zod.def.type === 'never') return [`${at}.${name}`]
        return unknownFields(field, inner, `${at}.${name}`)
      })
    case 'record':
      return isRecord(value)
        ? Object.entries(value).flatMap(([name, inner]) =>
            unknownFields(def.valueType, inner, `${at}.${name}`),
          )
        : []
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((inner, index) => unknownFields(def.element, inner, `${at}.${index}`))
        : []
    case 'union': {
      // A field known to one of the alternatives is known.
      const [first = [], ...others] = def.options.map((option) => unknownFields(option, value, at))
      return first.filter((path) => others.every((paths) => paths.includes(path)))
    }
    case 'pipe':
      return unknownFields(def.in._zod.def.type === 'transform' ? def.out : def.in, value, at)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unknownFields(def.innerType, value, at)
    case 'lazy':
      return unknownFields(def.getter(), value, at)
    default:
      return []
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
