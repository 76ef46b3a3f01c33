import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { CFindRequest, CFindScp, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { batchOf, patients } from '../../../../support/dimse-server.ts'

export const ELE = TRANSFER_SYNTAX.explicitLittleEndian

export const QUERY = Buffer.from('query')

/** A worklist that answers always the same rows, as one batch. */
export function rows(count: number): {
  readonly find: CFindScp['find']
  readonly identifiers: Buffer[]
} {
  const identifiers = patients(count, ELE)
  const batch = batchOf(identifiers)
  return {
    identifiers,
    async *find() {
      yield batch
      return { status: 0x0000 }
    },
  }
}

/** Resolves when the request's signal is aborted, with its reason. */
export const aborted = ({ signal }: CFindRequest) =>
  new Promise<unknown>((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })

export type Answers = AsyncGenerator<EncodedIdentifiers, DimseResult, void>
