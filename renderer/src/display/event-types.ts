import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'

/** The events as people know them. */
export const EVENT_NAMES: Record<EventType, { readonly name: string; readonly about: string }> = {
  'modality_worklist.requested': { name: 'Worklist', about: 'Asks which exams are planned, when a device asks for its list.' },
  'patient_study.enrichment_requested': {
    name: 'Patient and exam',
    about: 'Asks who the patient is and what the exam is, once the images of a study are here.',
  },
  'clinical_context.enrichment_requested': {
    name: 'Clinical context',
    about: 'Asks for the indication, earlier reports and documents, when a radiologist opens a study.',
  },
  'report.delivered': { name: 'Report', about: 'Hands over a signed report. It is sent until the partner says that it has it.' },
  'study.access_requested': { name: 'Images of a study', about: 'Asks where the images of a study are kept, when somebody opens it.' },
  'ephemeral.access_requested': {
    name: 'Images for a while',
    about: 'Asks where images are kept that are only looked at and belong to no study here.',
  },
  'secondary_capture.access_requested': { name: 'Place for captures', about: 'Asks where images made in the viewer may be put.' },
}

export type EventKind = (typeof EVENTS)[EventType]['kind']

/** What a failure of an event means. */
export const EVENT_KINDS: Record<EventKind, { readonly name: string; readonly meaning: string }> = {
  synchronous: { name: 'Awaited', meaning: 'Somebody waits for the answer. A failure is told at once and is not tried again by itself.' },
  soft: { name: 'Helpful', meaning: 'Work goes on without an answer. What is missing can be asked for again.' },
  asynchronous: { name: 'Delivered', meaning: 'It is kept and sent again until the partner has it, over days if need be.' },
}

/** The events in the order in which a clinic meets them. */
export const EVENT_ORDER = Object.keys(EVENT_NAMES) as readonly EventType[]

export const kindOf = (type: EventType): EventKind => EVENTS[type].kind
