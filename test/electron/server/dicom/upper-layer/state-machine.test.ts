import { describe, expect, it } from 'vitest'
import {
  ACTIONS,
  EVENTS,
  type Event,
  STATES,
  type State,
  transition,
} from '#server/dicom/upper-layer/state-machine.ts'

// PS3.8 Table 9-10 once more, transcribed row by row: columns Sta1 to Sta13, a dot for an empty
// cell.
const TABLE = `
Evt1   AE-1 .    .    .    .    .    .    .    .    .     .    .    .
Evt2   .    .    .    AE-2 .    .    .    .    .    .     .    .    .
Evt3   .    AA-1 AA-8 .    AE-3 AA-8 AA-8 AA-8 AA-8 AA-8  AA-8 AA-8 AA-6
Evt4   .    AA-1 AA-8 .    AE-4 AA-8 AA-8 AA-8 AA-8 AA-8  AA-8 AA-8 AA-6
Evt5   AE-5 .    .    .    .    .    .    .    .    .     .    .    .
Evt6   .    AE-6 AA-8 .    AA-8 AA-8 AA-8 AA-8 AA-8 AA-8  AA-8 AA-8 AA-7
Evt7   .    .    AE-7 .    .    .    .    .    .    .     .    .    .
Evt8   .    .    AE-8 .    .    .    .    .    .    .     .    .    .
Evt9   .    .    .    .    .    DT-1 .    AR-7 .    .     .    .    .
Evt10  .    AA-1 AA-8 .    AA-8 DT-2 AR-6 AA-8 AA-8 AA-8  AA-8 AA-8 AA-6
Evt11  .    .    .    .    .    AR-1 .    .    .    .     .    .    .
Evt12  .    AA-1 AA-8 .    AA-8 AR-2 AR-8 AA-8 AA-8 AA-8  AA-8 AA-8 AA-6
Evt13  .    AA-1 AA-8 .    AA-8 AA-8 AR-3 AA-8 AA-8 AR-10 AR-3 AA-8 AA-6
Evt14  .    .    .    .    .    .    .    AR-4 AR-9 .     .    AR-4 .
Evt15  .    .    AA-1 AA-2 AA-1 AA-1 AA-1 AA-1 AA-1 AA-1  AA-1 AA-1 .
Evt16  .    AA-2 AA-3 .    AA-3 AA-3 AA-3 AA-3 AA-3 AA-3  AA-3 AA-3 AA-2
Evt17  .    AA-5 AA-4 AA-4 AA-4 AA-4 AA-4 AA-4 AA-4 AA-4  AA-4 AA-4 AR-5
Evt18  .    AA-2 .    .    .    .    .    .    .    .     .    .    AA-2
Evt19  .    AA-1 AA-8 .    AA-8 AA-8 AA-8 AA-8 AA-8 AA-8  AA-8 AA-8 AA-7
`
const CELLS = TABLE.trim()
  .split('\n')
  .flatMap((line) => {
    const [event, ...actions] = line.trim().split(/\s+/)
    return actions.map((action, column) => ({
      event: event as Event,
      state: `Sta${column + 1}` as State,
      action,
    }))
  })

// PS3.8 Tables 9-6 to 9-9: the next states.
const NEXT: Readonly<Record<string, string>> = {
  'AE-1': 'Sta4',
  'AE-2': 'Sta5',
  'AE-3': 'Sta6',
  'AE-4': 'Sta1',
  'AE-5': 'Sta2',
  'AE-6': 'Sta3',
  'AE-7': 'Sta6',
  'AE-8': 'Sta13',
  'DT-1': 'Sta6',
  'DT-2': 'Sta6',
  'AR-1': 'Sta7',
  'AR-2': 'Sta8',
  'AR-3': 'Sta1',
  'AR-4': 'Sta13',
  'AR-5': 'Sta1',
  'AR-6': 'Sta7',
  'AR-7': 'Sta8',
  'AR-8': 'Sta9',
  'AR-9': 'Sta11',
  'AR-10': 'Sta12',
  'AA-1': 'Sta13',
  'AA-2': 'Sta1',
  'AA-3': 'Sta1',
  'AA-4': 'Sta1',
  'AA-5': 'Sta1',
  'AA-6': 'Sta13',
  'AA-7': 'Sta13',
  'AA-8': 'Sta13',
}

describe('the state machine of PS3.8 Table 9-10', () => {
  it('has every event, every state and every action', () => {
    expect(CELLS).toHaveLength(Object.keys(EVENTS).length * Object.keys(STATES).length)
    expect(new Set(CELLS.map(({ action }) => action).filter((action) => action !== '.'))).toEqual(
      new Set(Object.keys(ACTIONS)),
    )
    expect(Object.keys(NEXT).sort()).toEqual(Object.keys(ACTIONS).sort())
  })

  it.each(CELLS.filter(({ action }) => action !== '.'))(
    'answers $event in $state with $action',
    ({ event, state, action }) => {
      const onWritten = transition(state, event)
      expect(onWritten.action).toBe(action)
      expect(onWritten.next).toBe(NEXT[onWritten.action])
    },
  )

  it.each(CELLS.filter(({ action }) => action === '.'))(
    'knows that $event cannot happen in $state',
    ({ event, state }) => {
      expect(() => transition(state, event)).toThrow(RangeError)
    },
  )

  it('rejects a request the provider cannot accept, and waits for the close under ARTIM', () => {
    expect(transition('Sta2', 'Evt6', true)).toEqual({
      action: 'AE-6',
      effects: ['stopArtim', 'sendReject', 'startArtim'],
      next: 'Sta13',
    })
  })

  it('tells the acceptor from the requestor where both release at once', () => {
    expect(transition('Sta7', 'Evt12').next).toBe('Sta9')
    expect(transition('Sta7', 'Evt12', true).next).toBe('Sta10')
  })

  it('runs ARTIM in Sta2 and Sta13 and in no other state', () => {
    const started = CELLS.filter(({ action }) => action !== '.')
      .map(({ event, state }) => transition(state, event))
      .filter(({ effects }) => effects.includes('startArtim'))
    expect(new Set(started.map(({ next }) => next))).toEqual(new Set(['Sta2', 'Sta13']))
  })
})
