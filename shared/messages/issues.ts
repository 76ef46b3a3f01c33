import type { z } from 'zod'
import { type Message, type MessageCode, type MessageParam, message, verbatim } from './message.ts'

const MESSAGE_CODE = /^[a-z][a-z-]*\.[a-z0-9-]+$/

/** The message code of a validation error, for use as the `error` of a schema. */
export const fault = (code: MessageCode): MessageCode => code

/**
 * Converts a validation issue to a message. A schema specifies the message code with `fault`; its
 * arguments are those of the issue: `minimum`, `maximum`, `values`, and the `params` of a custom
 * check. Zod's own messages are mapped to codes of the area `input`.
 */
export function issueMessage(issue: z.core.$ZodIssue): Message {
  if (MESSAGE_CODE.test(issue.message)) return { code: issue.message, params: paramsOf(issue) }
  switch (issue.code) {
    case 'invalid_type':
      return message('input.type', { expected: issue.expected })
    case 'too_small':
      return message(issue.origin === 'number' ? 'input.number-too-small' : 'input.too-short', {
        minimum: Number(issue.minimum),
      })
    case 'too_big':
      return message(issue.origin === 'number' ? 'input.number-too-large' : 'input.too-long', {
        maximum: Number(issue.maximum),
      })
    case 'invalid_value':
      return message('input.value', { values: issue.values.map(String).join(', ') })
    case 'unrecognized_keys':
      return message('input.unknown-keys', { keys: issue.keys.join(', ') })
    case 'invalid_format':
      return message('input.format', { format: issue.format })
    case 'invalid_union':
      return message('input.union')
    case 'invalid_key':
      // The issue of the key itself is more specific.
      return issue.issues[0] ? issueMessage(issue.issues[0]) : verbatim(issue.message)
    default:
      return verbatim(issue.message)
  }
}

function paramsOf(issue: z.core.$ZodIssue): Record<string, MessageParam> {
  const values = Object.entries({ ...issue, ...('params' in issue ? issue.params : {}) })
  return Object.fromEntries(
    values.flatMap(([name, value]): [string, MessageParam][] => {
      if (name === 'code' || name === 'message' || name === 'path') return []
      if (typeof value === 'string' || typeof value === 'number') return [[name, value]]
      if (typeof value === 'bigint') return [[name, Number(value)]]
      if (Array.isArray(value)) return [[name, value.map(String).join(', ')]]
      return []
    }),
  )
}
