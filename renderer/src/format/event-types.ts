import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { textGroups } from '../i18n/t.ts'

const EVENT_TYPE_ORDER = [
  'modality_worklist.requested',
  'patient_study.enrichment_requested',
  'clinical_context.enrichment_requested',
  'report.delivered',
  'study.access_requested',
  'ephemeral.access_requested',
  'secondary_capture.access_requested',
] as const satisfies readonly EventType[]

/** The events as people know them. */
export const EVENT_NAMES: Readonly<
  Record<EventType, { readonly name: string; readonly about: string }>
> = textGroups('ui.format.event.events', EVENT_TYPE_ORDER, 'name', 'about')

type EventKind = (typeof EVENTS)[EventType]['kind']

/** What a failure of an event means. */
export const EVENT_KINDS: Readonly<
  Record<EventKind, { readonly name: string; readonly meaning: string }>
> = textGroups('ui.format.event.kinds', ['synchronous', 'soft', 'asynchronous'], 'name', 'meaning')

/** The events in the order in which a clinic meets them. */
export const EVENT_ORDER: readonly EventType[] = EVENT_TYPE_ORDER

export const kindOf = (type: EventType): EventKind => EVENTS[type].kind
