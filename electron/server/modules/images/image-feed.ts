import type { Context } from '#server/context.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import { english } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'

/** The window reads its lists of images and its status again. */
export function noteImagesChanged({ feed }: Context): void {
  feed.noteImages()
  feed.noteStatus()
}

/**
 * A line about files, without an association. It is in the log too: what becomes of files must be
 * found where the feed is not read any more.
 */
export function noteDisk({ feed, log }: Context, tone: FeedLine['tone'], text: Message): void {
  log.warn({ tone }, english(text))
  feed.append({ kind: 'disk', tone, text, aeTitle: '', address: '', associationId: '' })
}

interface Sender {
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly associationId?: string
}

/** A line about what a device sent; nothing about a patient is in it. */
export function noteSender(
  { feed }: Context,
  { callingAeTitle: aeTitle, remoteAddress: address, associationId = '' }: Sender,
  kind: FeedLine['kind'],
  tone: FeedLine['tone'],
  text: Message,
  studyInstanceUid: string | null = null,
): void {
  feed.append({ kind, tone, text, aeTitle, address, associationId, studyInstanceUid })
}

/** A line about a study with images, of whoever sent it. */
export const noteStudy = (
  context: Context,
  study: Sender & { readonly studyInstanceUid: string },
  kind: FeedLine['kind'],
  tone: FeedLine['tone'],
  text: Message,
): void => noteSender(context, study, kind, tone, text, study.studyInstanceUid)

/**
 * The answer to a normalized request whose Success would say that something is kept, where the
 * database does not take it: resource limitation (PS3.7 Annex C). The device sends it again.
 */
export function refusalOf(context: Context, error: unknown): DimseResult {
  const kind = diskFaultKind(error)
  if (kind === 'full') return { status: 0x0213, errorComment: 'Too little disk space' }
  if (kind !== undefined) return { status: 0x0213, errorComment: 'Disk cannot be written to' }
  return { status: 0x0110, errorComment: `Gateway internal error ${referenceTo(context, error)}` }
}

/** Logs an error of ours: the reference under which the log has it, for the answer. */
export function referenceTo(context: Context, error: unknown): string {
  const reference = context.uuid().slice(0, 8)
  reportError(context, error, reference)
  return reference
}

/** `1 object`, `2 objects`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
