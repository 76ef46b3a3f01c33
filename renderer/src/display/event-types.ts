import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { words } from './event-words.ts'

/** The events as people know them. */
export const EVENT_NAMES: Record<EventType, { readonly name: string; readonly about: string }> =
  words.events

type EventKind = (typeof EVENTS)[EventType]['kind']

/** What a failure of an event means. */
export const EVENT_KINDS: Record<EventKind, { readonly name: string; readonly meaning: string }> =
  words.kinds

/** The events in the order in which a clinic meets them. */
export const EVENT_ORDER = Object.keys(EVENT_NAMES) as readonly EventType[]

export const kindOf = (type: EventType): EventKind => EVENTS[type].kind
