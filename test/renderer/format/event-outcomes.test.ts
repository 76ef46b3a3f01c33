import { describe, expect, it } from 'vitest'
import { EVENT_OUTCOMES } from '#shared/contract/events.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { eventBadge, OUTCOMES } from '../../../renderer/src/format/event-outcomes.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../../renderer/src/format/event-types.ts'

const event = {
  state: 'done',
  outcome: 'accepted',
  attempts: 1,
  notes: 0,
  kind: 'asynchronous',
} as const

describe('how an event stands', () => {
  it('is told for every outcome by a sentence, and for every failure by a remedy', () => {
    for (const outcome of EVENT_OUTCOMES) {
      expect(OUTCOMES[outcome].sentence, outcome).toMatch(/\.$/)
      expect(OUTCOMES[outcome].remedy !== '', outcome).toBe(
        outcome !== 'none' && outcome !== 'accepted',
      )
    }
  })

  it('is good when it was accepted, and a warning when parts were left out', () => {
    expect(eventBadge(event)).toMatchObject({ tone: 'good', name: 'Accepted' })
    expect(eventBadge({ ...event, notes: 2 })).toMatchObject({
      tone: 'warning',
      name: 'Partly accepted',
    })
  })

  it('says of one that waits whether it was tried', () => {
    expect(eventBadge({ ...event, state: 'waiting', outcome: 'none', attempts: 0 })).toMatchObject({
      tone: 'info',
      name: 'Waiting',
    })
    expect(eventBadge({ ...event, state: 'waiting', outcome: 'timeout' })).toMatchObject({
      tone: 'warning',
      name: 'Timed out, retrying',
    })
    // Sent again by a person after it had been accepted.
    expect(eventBadge({ ...event, state: 'waiting' })).toMatchObject({
      tone: 'info',
      name: 'Waiting',
    })
  })

  it('is less grave where work went on without the answer', () => {
    expect(eventBadge({ ...event, state: 'failed', outcome: 'refused' }).tone).toBe('danger')
    expect(eventBadge({ ...event, state: 'failed', outcome: 'refused', kind: 'soft' }).tone).toBe(
      'warning',
    )
  })

  it('leaves what a person gave up without alarm', () => {
    expect(eventBadge({ ...event, state: 'dropped', outcome: 'status' })).toMatchObject({
      tone: 'plain',
      name: 'Stopped',
    })
  })
})

it('has a name for every event, each once in the order', () => {
  expect([...EVENT_ORDER].sort()).toEqual([...EVENT_TYPES].sort())
  expect(new Set(Object.values(EVENT_NAMES).map(({ name }) => name)).size).toBe(EVENT_TYPES.length)
})
