import type { Context } from '#server/context.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { findDestination } from './destination-queries.ts'

/** A change of a destination's queue, without patient data. */
export type QueueChange =
  | { readonly kind: 'down'; readonly reason: Message; readonly waiting: number }
  | { readonly kind: 'up' }
  | { readonly kind: 'sent'; readonly instances: number; readonly studies: readonly string[] }
  | {
      readonly kind: 'failed'
      readonly instances: number
      readonly studies: readonly string[]
      readonly reason: Message
    }

/** Appends the change to the activity feed, unless the destination was deleted. */
export function appendQueueChange(
  { database, feed }: Context,
  destinationId: string,
  change: QueueChange,
): void {
  const destination = findDestination(database, destinationId)
  if (!destination) return
  const { name, aeTitle, host } = destination
  const studies = 'studies' in change ? change.studies : []
  feed.append({
    kind: 'forward',
    tone: change.kind === 'up' || change.kind === 'sent' ? 'good' : 'danger',
    text: sentenceFor(name, change),
    aeTitle,
    address: host,
    associationId: '',
    studyInstanceUid: studies.length === 1 ? (studies[0] ?? null) : null,
  })
}

function sentenceFor(name: string, change: QueueChange): Message {
  switch (change.kind) {
    case 'down': {
      const { reason, waiting } = change
      return message('forwarding.down', { name, reason, waiting })
    }
    case 'up':
      return message('forwarding.up', { name })
    case 'sent':
      return message('forwarding.sent', { count: change.instances, name })
    case 'failed': {
      const { reason, instances: count } = change
      return message('forwarding.failed', { count, name, reason })
    }
  }
}
