import { expect, it } from 'vitest'
import type { AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import {
  associationDurationMs,
  connectionEvents,
  endOf,
} from '../../../../renderer/src/features/activity/story.ts'
import { filterOf } from '../../../../renderer/src/features/activity/use-associations.ts'

const NONE = {
  echoes: 0,
  queries: 0,
  exams: 0,
  instances: 0,
  bytes: 0,
  steps: 0,
  commitments: 0,
  failures: 0,
}
const of = (
  counts: Partial<AssociationSummary['counts']>,
  how: AssociationSummary['how'] = 'released',
) => ({
  counts: { ...NONE, ...counts },
  how,
})

it('tells what a device did, one thing after another', () => {
  expect(connectionEvents(of({ echoes: 1, queries: 1, exams: 6 }))).toEqual([
    'tested the connection',
    'queried its worklist and got 6 exams',
  ])
  expect(connectionEvents(of({ echoes: 3, queries: 2, exams: 1 }))).toEqual([
    'tested the connection 3 times',
    'queried its worklist 2 times and got 1 exam',
  ])
  expect(
    connectionEvents(of({ instances: 1, bytes: 524_288, steps: 2, commitments: 1, failures: 2 })),
  ).toEqual([
    'reported the progress of exams 2 times',
    'sent 1 object (524.3 kB)',
    'requested storage commitment',
    '2 requests failed',
  ])
  expect(connectionEvents(of({ queries: 1 }))).toEqual(['queried its worklist and got no exams'])
})

it('says of those that did nothing why', () => {
  expect([of({}), of({}, 'open'), of({}, 'rejected')].map(connectionEvents)).toEqual([
    ['connected without a request'],
    ['connected'],
    ['was rejected'],
  ])
})

it('warns of a connection that was closed as it should be, but not all that was asked on it was well', () => {
  expect(endOf(of({ failures: 1 }))).toMatchObject({
    tone: 'warning',
    name: 'Closed with errors',
  })
  expect(endOf(of({}))).toMatchObject({ tone: 'good', name: 'Closed normally' })
  expect(endOf(of({ failures: 1 }, 'aborted'))).toMatchObject({ name: 'Interrupted' })
})

it('knows how long it lasted where the end is known', () => {
  expect(
    associationDurationMs({
      openedAt: '2026-11-20T09:00:00.000Z',
      endedAt: '2026-11-20T09:00:00.412Z',
    }),
  ).toBe(412)
  expect(associationDurationMs({ openedAt: '2026-11-20T09:00:00.000Z', endedAt: null })).toBeNull()
})

it('reads the filter of an address, and leaves out what is none', () => {
  expect(filterOf({ show: 'rejected', aeTitle: 'CT1' })).toEqual({
    show: 'rejected',
    aeTitle: 'CT1',
  })
  expect(filterOf({ show: 'nonsense', address: 'x'.repeat(99) })).toEqual({
    show: 'all',
    address: 'x'.repeat(45),
  })
})
