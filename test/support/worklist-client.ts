import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import {
  ask,
  EXPLICIT,
  identifierOf,
  type Keys,
  text,
} from '../electron/server/modules/worklist/worklist-fixture.ts'
import { associated, associateRq, type Found, type Proposal, Requestor } from './requestor.ts'

/** A worklist answer as a console understands it. */
export interface Worklist {
  /** Four hex digits. */
  readonly status: string
  readonly comment: string
  readonly rows: readonly DataSet[]
  readonly accessionNumbers: readonly string[]
  /** Identifiers as they came. */
  readonly bytes: Buffer
}

/** Asks the worklist as a console does: an association, one query, release. */
export async function queryWorklist(
  port: number,
  { keys = ask(), ...proposal }: Proposal & { readonly keys?: Keys } = {},
): Promise<Worklist> {
  await using requestor = await associated(port, proposal)
  const worklist = await findWorklist(requestor, keys)
  await requestor.release()
  return worklist
}

/** One query on an association that is there. */
export const findWorklist = async (
  requestor: Requestor,
  keys: Keys = ask(),
  messageId = 1,
): Promise<Worklist> => worklistOf(await requestor.find(identifierOf(keys), messageId))

/** What was found, decoded. */
export function worklistOf({ identifiers, final }: Found): Worklist {
  const rows = identifiers.map((identifier) => readDataSet(identifier, EXPLICIT))
  return {
    status: (final.status ?? -1).toString(16).padStart(4, '0').toUpperCase(),
    comment: final.errorComment ?? '',
    rows,
    accessionNumbers: rows.map((row) => text(row, 'AccessionNumber') ?? ''),
    bytes: Buffer.concat(identifiers),
  }
}

/**
 * Result, source and reason of the rejection an association request got, such as `1/1/3`; else the
 * type of what came instead.
 */
export async function rejectionOf(port: number, proposal: Proposal): Promise<string> {
  await using requestor = await Requestor.connect(port, proposal.localAddress)
  requestor.sendPdu(associateRq(proposal))
  const pdu = await requestor.next()
  return pdu.type === 'A-ASSOCIATE-RJ' ? `${pdu.result}/${pdu.source}/${pdu.reason}` : pdu.type
}
