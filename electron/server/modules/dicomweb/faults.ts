import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

export const notFoundError = () => new ApiError('not-found', message('dicomweb.not-found'))
/** No representation that the caller accepts is available. */
export const notAcceptableError = () =>
  new ApiError('not-acceptable', message('dicomweb.not-acceptable'))
export const malformedParameterError = (name: string) =>
  new ApiError('malformed', message('dicomweb.malformed-parameter', { name }))
