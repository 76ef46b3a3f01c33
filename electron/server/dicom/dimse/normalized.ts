import { TOO_LONG } from './message.ts'
import type { NormalizedRequest } from './service.ts'
import type { Operation } from './service-class.ts'
import { DimseError } from './status.ts'

/** @throws {DimseError} 0213 where the data set was longer than what is kept */
export function normalizedRequest(
  operation: Operation,
  sopInstanceUid: string | undefined,
): NormalizedRequest {
  const { association, messageId, context, dataSet, signal } = operation
  if (dataSet === TOO_LONG) throw new DimseError(0x0213, 'Data set longer than this gateway takes')
  return {
    association,
    messageId,
    transferSyntax: context.transferSyntax,
    sopInstanceUid: sopInstanceUid || undefined,
    dataSet,
    signal,
  }
}
