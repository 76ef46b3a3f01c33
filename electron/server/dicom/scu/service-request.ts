import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { categoryOf, type DimseStatus, type StatusCategory } from '#server/dicom/dimse/status.ts'
import { type MessageCode, message } from '#shared/messages/message.ts'
import {
  type AssociationOptions,
  DEFAULT_TRANSFER_SYNTAXES,
  type RequestCommand,
  type RequestOptions,
} from './association-request.ts'
import { openAssociation, type Peer, RequestorError } from './requestor.ts'

/** The peer to call, and the calling AE title. */
export type Caller = Omit<AssociationOptions, 'contexts'>

/** A request to another application entity. */
interface ServiceRequest {
  readonly sopClass: string
  readonly command: Omit<RequestCommand, 'affectedSopClassUid'>
  readonly dataSet?: DataSet
  /** The message, with the peer's AE title, if the peer does not support the SOP class. */
  readonly notOfferedMessage: MessageCode
  readonly transferSyntaxes?: readonly string[]
}

export interface ServiceResponse {
  readonly command: CommandSet
  readonly status: DimseStatus
  readonly category: StatusCategory
  readonly dataSet: DataSet | undefined
}

/**
 * Sends one request over a separate association and yields the responses, the final one last.
 * `options.cancel` aborts the call until the association is open.
 * @throws {RequestorError} if the association fails or the SOP class is not accepted
 */
export async function* requestService(
  caller: Caller,
  request: ServiceRequest,
  options: RequestOptions = {},
): AsyncGenerator<ServiceResponse, void, void> {
  const { sopClass, dataSet, transferSyntaxes = DEFAULT_TRANSFER_SYNTAXES } = request
  const { cancel } = options
  // Once the association is open the request is cancelled rather than aborted.
  const openingController = new AbortController()
  const abort = () => openingController.abort()
  if (cancel?.aborted) abort()
  else cancel?.addEventListener('abort', abort)
  await using association = await openAssociation({
    ...caller,
    signal: caller.signal ?? openingController.signal,
    contexts: [{ abstractSyntax: sopClass, transferSyntaxes }],
  })
  cancel?.removeEventListener('abort', abort)
  const [context] = association.accepted
  // PS3.7 D.3.3.4: without a role response the requestor is the SCU. Some devices omit the response
  // but accept reports anyway.
  const isRoleRefused = association.roles.some((role) => role.sopClass === sopClass && !role.scp)
  if (!context || (caller.roles && isRoleRefused))
    throw new RequestorError(
      'not-accepted',
      message(request.notOfferedMessage, { aeTitle: caller.peer.aeTitle }),
    )
  // A request about an existing instance names its class as the requested one (PS3.7 §10.1).
  const isRequested = request.command.requestedSopClassUid !== undefined
  const command = isRequested
    ? request.command
    : { ...request.command, affectedSopClassUid: sopClass }
  const bytes = dataSet && writeDataSet(dataSet, context.transferSyntax)
  for await (const response of association.request(context.id, command, bytes, options)) {
    const status = response.command.status ?? 0x0110
    const isRead = categoryOf(status) === 'pending' && Buffer.isBuffer(response.dataSet)
    yield {
      command: response.command,
      status,
      category: categoryOf(status),
      dataSet: isRead ? readDataSet(response.dataSet as Buffer, context.transferSyntax) : undefined,
    }
  }
}

/**
 * Matches of a C-FIND (PS3.4 C.4.1), at most `maxMatches`.
 * @throws {RequestorError} if the association fails or the peer refuses; a failure is never
 * returned as an empty list
 */
export async function find(
  caller: Caller,
  sopClass: string,
  identifier: DataSet,
  notOfferedMessage: MessageCode,
  maxMatches = Number.POSITIVE_INFINITY,
): Promise<DataSet[]> {
  const matches: DataSet[] = []
  const stop = new AbortController()
  const command = { commandField: COMMAND_FIELD['C-FIND-RQ'], priority: 0 }
  const responses = requestService(
    caller,
    { sopClass, command, dataSet: identifier, notOfferedMessage: notOfferedMessage },
    { cancel: stop.signal },
  )
  for await (const { status, category, dataSet } of responses) {
    if (category === 'failure') throw refusedError(caller.peer, status)
    if (category !== 'pending') continue
    if (dataSet && matches.length < maxMatches) matches.push(dataSet)
    if (matches.length === maxMatches) stop.abort()
  }
  return matches
}

/** For example `A700`. */
export const statusCode = (status: DimseStatus): string =>
  status.toString(16).toUpperCase().padStart(4, '0')

/** The error for a refused C-ECHO or C-FIND. */
export const refusedError = (peer: Peer, status: DimseStatus): RequestorError =>
  new RequestorError(
    'not-accepted',
    message('dicom.cannot-answer', { aeTitle: peer.aeTitle, status: statusCode(status) }),
  )

const SPECIFIC_CHARACTER_SET = 0x00080005

/** The text of an element of a match, without padding; '' if it is missing. */
export function textOf(match: DataSet, tag: number, of: DataSet = match): string {
  const element = of.find((one) => one.tag === tag)
  const terms = withoutPadding(bytesOf(match, SPECIFIC_CHARACTER_SET).toString('latin1'))
  const { text } = decodeText(bytesOf(of, tag), terms.split('\\'), element?.vr ?? 'LO')
  return withoutPadding(text)
}

function bytesOf(dataSet: DataSet, tag: number): Buffer {
  const value = dataSet.find((element) => element.tag === tag)?.value
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}
