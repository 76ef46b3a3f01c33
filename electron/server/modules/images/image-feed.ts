import type { Context } from '#server/context.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import { englishText } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'

/** Makes open windows reload their lists of images and the status. */
export function notifyImagesChanged({ feed }: Context): void {
  feed.noteImages()
  feed.noteStatus()
}

/**
 * Appends a feed entry about files, without an association. It is also logged, because it must be
 * possible to trace files after the feed entry was deleted.
 */
export function appendDiskEntry(
  { feed, log }: Context,
  tone: FeedLine['tone'],
  text: Message,
): void {
  log.warn({ tone }, englishText(text))
  feed.append({ kind: 'disk', tone, text, aeTitle: '', address: '', associationId: '' })
}

interface Sender {
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly associationId?: string
}

/** Appends a feed entry about what a device sent. It must not contain patient data. */
export function appendSenderEntry(
  { feed }: Context,
  { callingAeTitle: aeTitle, remoteAddress: address, associationId = '' }: Sender,
  kind: FeedLine['kind'],
  tone: FeedLine['tone'],
  text: Message,
  studyInstanceUid: string | null = null,
): void {
  feed.append({ kind, tone, text, aeTitle, address, associationId, studyInstanceUid })
}

/** Appends a feed entry about a study, with its sender. */
export const appendStudyEntry = (
  context: Context,
  study: Sender & { readonly studyInstanceUid: string },
  kind: FeedLine['kind'],
  tone: FeedLine['tone'],
  text: Message,
): void => appendSenderEntry(context, study, kind, tone, text, study.studyInstanceUid)

/**
 * The response to a normalized request that cannot be recorded in the database: resource limitation
 * (PS3.7 Annex C), so that the device repeats the request.
 */
export function refusalOf(context: Context, error: unknown): DimseResult {
  const kind = diskFaultKind(error)
  if (kind === 'full') return { status: 0x0213, errorComment: 'Too little disk space' }
  if (kind !== undefined) return { status: 0x0213, errorComment: 'Disk cannot be written to' }
  return {
    status: 0x0110,
    errorComment: `Gateway internal error ${logInternalError(context, error)}`,
  }
}

/** Logs an internal error; returns the reference under which it is logged, for the response. */
export function logInternalError(context: Context, error: unknown): string {
  const reference = context.uuid().slice(0, 8)
  reportError(context, error, reference)
  return reference
}

/** `1 object`, `2 objects`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
