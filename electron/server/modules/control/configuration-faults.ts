import type { z } from 'zod'
import { ApiError, type FieldFault } from '#shared/errors.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { verbatim } from '#shared/messages/message.ts'

// What is wrong with a configuration file, with the place in it.

export const NOT_APPLIED_MESSAGE = verbatim('The file was not applied, and nothing was changed.')

export const faultsOf = ({ issues }: z.ZodError): FieldFault[] =>
  issues.map((issue) => ({
    path: pathOf(issue.path),
    message:
      issue.code === 'unrecognized_keys'
        ? verbatim(`has no field ${issue.keys.join(', ')}`)
        : issue.code === 'invalid_type' && issue.input === undefined
          ? verbatim('is missing')
          : issueMessage(issue),
  }))

/** `devices[2].aeTitle`, counted from 1. */
const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) =>
      typeof part === 'number' ? `[${part + 1}]` : `${at > 0 ? '.' : ''}${String(part)}`,
    )
    .join('')

/** Runs `work`; errors that it throws name the place in the file. */
export function withPath<R>(place: string, work: () => R): R {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const errors =
      error.errors.length === 0
        ? [{ path: place, message: error.explanation }]
        : error.errors.map(({ path, message }) => ({
            path: `${place}.${path.replace(/^body\.(settings\.)?/, '')}`,
            message,
          }))
    throw new ApiError(error.code, NOT_APPLIED_MESSAGE, { errors })
  }
}
