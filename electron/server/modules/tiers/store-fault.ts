import type { S3ServiceException } from '@aws-sdk/client-s3'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { networkFault } from '#server/webhooks/network-fault.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/** What is wrong, by the error codes of object stores. */
const CAUSES: Readonly<Record<string, MessageCode>> = {
  InvalidAccessKeyId: 'tiers.access-key-unknown',
  SignatureDoesNotMatch: 'tiers.secret-wrong',
  AccessDenied: 'tiers.access-denied',
  Forbidden: 'tiers.access-denied',
  AllAccessDisabled: 'tiers.access-denied',
  NoSuchBucket: 'tiers.no-bucket',
  NoSuchKey: 'tiers.object-missing',
  NotFound: 'tiers.object-missing',
  PermanentRedirect: 'tiers.region-wrong',
  AuthorizationHeaderMalformed: 'tiers.region-wrong',
  IllegalLocationConstraintException: 'tiers.region-wrong',
  RequestTimeTooSkewed: 'tiers.clock-skew',
  QuotaExceeded: 'tiers.store-full',
  InsufficientStorage: 'tiers.store-full',
  XMinioStorageFull: 'tiers.store-full',
  SlowDown: 'tiers.store-busy',
  ServiceUnavailable: 'tiers.store-busy',
  ServerSideEncryptionConfigurationNotFoundError: 'tiers.encryption-refused',
  KMSNotConfigured: 'tiers.encryption-refused',
}

/** Whether a store has answered with an error. By its form, so that the SDK need not be loaded. */
const isServiceError = (error: unknown): error is S3ServiceException =>
  error instanceof Error && '$metadata' in error && '$fault' in error

/**
 * Codes of errors that the connection test of the SDK's own retries may end with. The gateway's own
 * errors have codes too, and concern one image.
 */
const isNetworkError = (error: unknown) =>
  error instanceof WebhookError ||
  (error instanceof Error &&
    'code' in error &&
    !isServiceError(error) &&
    !(error instanceof MessageError))

/** Why an object store, or a PACS, did not do what was asked: a clause without addresses or keys. */
export function storeFault(error: unknown): Message {
  if (error instanceof MessageError) return error.explanation
  if (isServiceError(error)) {
    const cause = CAUSES[error.name]
    if (cause !== undefined) return message(cause)
    const status = error.$metadata.httpStatusCode ?? 0
    if (status === 403) return message('tiers.access-denied')
    if (status === 404) return message('tiers.object-missing')
    if (status === 507) return message('tiers.store-full')
    return message('tiers.store-error', { code: error.name.slice(0, 64), status })
  }
  if (isNetworkError(error)) return networkFault(error).detail
  const name = error instanceof Error ? error.name : ''
  return name === 'TimeoutError' ? message('tiers.no-answer') : message('tiers.internal-error')
}

/** Whether the store does not have the object. */
export const isMissingObject = (error: unknown) =>
  isServiceError(error) && ['NoSuchKey', 'NotFound'].includes(error.name)

/**
 * Whether an error concerns the store as a whole, so that no other object needs to be tried now.
 */
export const isStoreWideFault = (error: unknown) =>
  isServiceError(error)
    ? !isMissingObject(error)
    : isNetworkError(error) && diskFaultKind(error) === undefined
