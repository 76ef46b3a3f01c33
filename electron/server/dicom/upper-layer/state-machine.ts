import type { Pdu } from './pdu.ts'

/** PS3.8 §9.2: the upper layer state machine as data. The association performs the effects. */

/** PS3.8 Tables 9-1 to 9-5. */
export const STATES = {
  Sta1: 'Idle',
  Sta2: 'Transport connection open, awaiting A-ASSOCIATE-RQ PDU',
  Sta3: 'Awaiting local A-ASSOCIATE response primitive',
  Sta4: 'Awaiting transport connection opening to complete',
  Sta5: 'Awaiting A-ASSOCIATE-AC or A-ASSOCIATE-RJ PDU',
  Sta6: 'Association established and ready for data transfer',
  Sta7: 'Awaiting A-RELEASE-RP PDU',
  Sta8: 'Awaiting local A-RELEASE response primitive',
  Sta9: 'Release collision requestor side, awaiting A-RELEASE response primitive',
  Sta10: 'Release collision acceptor side, awaiting A-RELEASE-RP PDU',
  Sta11: 'Release collision requestor side, awaiting A-RELEASE-RP PDU',
  Sta12: 'Release collision acceptor side, awaiting A-RELEASE response primitive',
  Sta13: 'Awaiting transport connection close indication',
} as const
export type State = keyof typeof STATES

/** PS3.8 Table 9-10, first column. */
export const EVENTS = {
  Evt1: 'A-ASSOCIATE request primitive',
  Evt2: 'Transport connect confirmation',
  Evt3: 'A-ASSOCIATE-AC PDU received',
  Evt4: 'A-ASSOCIATE-RJ PDU received',
  Evt5: 'Transport connection indication',
  Evt6: 'A-ASSOCIATE-RQ PDU received',
  Evt7: 'A-ASSOCIATE response primitive (accept)',
  Evt8: 'A-ASSOCIATE response primitive (reject)',
  Evt9: 'P-DATA request primitive',
  Evt10: 'P-DATA-TF PDU received',
  Evt11: 'A-RELEASE request primitive',
  Evt12: 'A-RELEASE-RQ PDU received',
  Evt13: 'A-RELEASE-RP PDU received',
  Evt14: 'A-RELEASE response primitive',
  Evt15: 'A-ABORT request primitive',
  Evt16: 'A-ABORT PDU received',
  Evt17: 'Transport connection closed indication',
  Evt18: 'ARTIM timer expired',
  Evt19: 'Unrecognized or invalid PDU received',
} as const
export type Event = keyof typeof EVENTS

/** PS3.8 Table 9-10: the event of a received PDU. */
export const EVENT_OF_PDU: Readonly<Record<Pdu['type'], Event>> = {
  'A-ASSOCIATE-AC': 'Evt3',
  'A-ASSOCIATE-RJ': 'Evt4',
  'A-ASSOCIATE-RQ': 'Evt6',
  'P-DATA-TF': 'Evt10',
  'A-RELEASE-RQ': 'Evt12',
  'A-RELEASE-RP': 'Evt13',
  'A-ABORT': 'Evt16',
}

/** The parameters of an event. */
export interface EventParameters {
  readonly bytes?: readonly Buffer[]
  /** Called when the network has accepted `bytes`, or never will. */
  readonly onWritten?: (error?: Error | null) => void
  readonly abort?: { readonly source: number; readonly reason: number }
  readonly pdu?: Pdu
}

/** An effect that an action has on the association. */
export type Effect =
  | 'connect'
  | 'close'
  | 'startArtim'
  | 'stopArtim'
  | 'send'
  | 'sendReject'
  | 'sendAbort'
  | 'indicateAssociate'
  | 'confirmAssociate'
  | 'indicateData'
  | 'indicateRelease'
  | 'confirmRelease'
  | 'indicateAbort'

interface ActionRow {
  readonly effects: readonly Effect[]
  readonly next: State
  /**
   * The other outcome, if the table has two, chosen by the role of the association or by its
   * assessment of the request.
   */
  readonly alternative?: { readonly effects: readonly Effect[]; readonly next: State }
}

/** PS3.8 Tables 9-6 to 9-9. */
export const ACTIONS = {
  'AE-1': { effects: ['connect'], next: 'Sta4' },
  'AE-2': { effects: ['send'], next: 'Sta5' },
  'AE-3': { effects: ['confirmAssociate'], next: 'Sta6' },
  'AE-4': { effects: ['confirmAssociate', 'close'], next: 'Sta1' },
  'AE-5': { effects: ['startArtim'], next: 'Sta2' },
  // Otherwise: the request is not acceptable to the service provider.
  'AE-6': {
    effects: ['stopArtim', 'indicateAssociate'],
    next: 'Sta3',
    alternative: { effects: ['stopArtim', 'sendReject', 'startArtim'], next: 'Sta13' },
  },
  'AE-7': { effects: ['send'], next: 'Sta6' },
  'AE-8': { effects: ['sendReject', 'startArtim'], next: 'Sta13' },
  'DT-1': { effects: ['send'], next: 'Sta6' },
  'DT-2': { effects: ['indicateData'], next: 'Sta6' },
  'AR-1': { effects: ['send'], next: 'Sta7' },
  'AR-2': { effects: ['indicateRelease'], next: 'Sta8' },
  'AR-3': { effects: ['confirmRelease', 'close'], next: 'Sta1' },
  'AR-4': { effects: ['send', 'startArtim'], next: 'Sta13' },
  'AR-5': { effects: ['stopArtim'], next: 'Sta1' },
  'AR-6': { effects: ['indicateData'], next: 'Sta7' },
  'AR-7': { effects: ['send'], next: 'Sta8' },
  // Otherwise: the association acceptor.
  'AR-8': {
    effects: ['indicateRelease'],
    next: 'Sta9',
    alternative: { effects: ['indicateRelease'], next: 'Sta10' },
  },
  'AR-9': { effects: ['send'], next: 'Sta11' },
  'AR-10': { effects: ['confirmRelease'], next: 'Sta12' },
  'AA-1': { effects: ['sendAbort', 'startArtim'], next: 'Sta13' },
  'AA-2': { effects: ['stopArtim', 'close'], next: 'Sta1' },
  'AA-3': { effects: ['indicateAbort', 'close'], next: 'Sta1' },
  'AA-4': { effects: ['indicateAbort'], next: 'Sta1' },
  'AA-5': { effects: ['stopArtim'], next: 'Sta1' },
  'AA-6': { effects: [], next: 'Sta13' },
  'AA-7': { effects: ['sendAbort'], next: 'Sta13' },
  'AA-8': { effects: ['sendAbort', 'indicateAbort', 'startArtim'], next: 'Sta13' },
} as const satisfies Record<string, ActionRow>
export type Action = keyof typeof ACTIONS

/**
 * The states in which an association is being established, is established, or is being released.
 */
const ASSOCIATION_STATES = [
  'Sta3',
  'Sta5',
  'Sta6',
  'Sta7',
  'Sta8',
  'Sta9',
  'Sta10',
  'Sta11',
  'Sta12',
] as const
const each = (action: Action): Partial<Record<State, Action>> =>
  Object.fromEntries(ASSOCIATION_STATES.map((state) => [state, action]))
/** An unexpected PDU; the rows below override the cells that differ. */
const UNEXPECTED_PDU_ACTIONS: Partial<Record<State, Action>> = {
  Sta2: 'AA-1',
  ...each('AA-8'),
  Sta13: 'AA-6',
}

/** PS3.8 Table 9-10: event → state → action. An empty cell cannot occur. */
const TRANSITIONS: Readonly<Record<Event, Readonly<Partial<Record<State, Action>>>>> = {
  Evt1: { Sta1: 'AE-1' },
  Evt2: { Sta4: 'AE-2' },
  Evt3: { ...UNEXPECTED_PDU_ACTIONS, Sta5: 'AE-3' },
  Evt4: { ...UNEXPECTED_PDU_ACTIONS, Sta5: 'AE-4' },
  Evt5: { Sta1: 'AE-5' },
  Evt6: { ...UNEXPECTED_PDU_ACTIONS, Sta2: 'AE-6', Sta13: 'AA-7' },
  Evt7: { Sta3: 'AE-7' },
  Evt8: { Sta3: 'AE-8' },
  Evt9: { Sta6: 'DT-1', Sta8: 'AR-7' },
  Evt10: { ...UNEXPECTED_PDU_ACTIONS, Sta6: 'DT-2', Sta7: 'AR-6' },
  Evt11: { Sta6: 'AR-1' },
  Evt12: { ...UNEXPECTED_PDU_ACTIONS, Sta6: 'AR-2', Sta7: 'AR-8' },
  Evt13: { ...UNEXPECTED_PDU_ACTIONS, Sta7: 'AR-3', Sta10: 'AR-10', Sta11: 'AR-3' },
  Evt14: { Sta8: 'AR-4', Sta9: 'AR-9', Sta12: 'AR-4' },
  Evt15: { ...each('AA-1'), Sta4: 'AA-2' },
  Evt16: { ...each('AA-3'), Sta2: 'AA-2', Sta13: 'AA-2' },
  Evt17: { ...each('AA-4'), Sta2: 'AA-5', Sta4: 'AA-4', Sta13: 'AR-5' },
  Evt18: { Sta2: 'AA-2', Sta13: 'AA-2' },
  Evt19: { ...UNEXPECTED_PDU_ACTIONS, Sta13: 'AA-7' },
}

export interface Transition {
  readonly action: Action
  readonly effects: readonly Effect[]
  readonly next: State
}

/**
 * The transition for an event. `otherwise` selects the second outcome of AE-6 (not acceptable) and
 * AR-8 (acceptor).
 * @throws {RangeError} if the cell of the table is empty
 */
export function transition(state: State, event: Event, otherwise = false): Transition {
  const action = TRANSITIONS[event][state]
  if (!action)
    throw new RangeError(`${event} (${EVENTS[event]}) cannot happen in ${state} (${STATES[state]})`)
  const row: ActionRow = ACTIONS[action]
  const outcome = otherwise && row.alternative ? row.alternative : row
  return { action, effects: outcome.effects, next: outcome.next }
}
