import { describe, expect, it } from 'vitest'
import * as workstationService from '#server/modules/users/workstations.ts'
import { englishText } from '#shared/messages/english.ts'
import { bound } from '../../../../support/bound.ts'
import { peopleFixture } from './people-fixture.ts'

const HOUR = 60 * 60_000
function stage() {
  const on = peopleFixture()
  const workstations = bound(workstationService, on.store)
  const ask = (name: string, address = '10.0.0.7', token?: string) =>
    workstations.requestWorkstationAccess({ name, address, browser: 'Edge on Windows', token })
  return { ...on, workstations, ask }
}

describe('a workstation', () => {
  it('is unknown, asks with a code, and is approved once by who manages', async () => {
    const on = stage()
    using _ = on
    const { userId } = await on.at('admin')
    const { token, record } = on.ask('Reading room 2')
    expect(record.code).toMatch(/^[2-9A-HJKMNP-Z]{3} [2-9A-HJKMNP-Z]{3}$/)
    expect([
      on.workstations.recogniseWorkstation('no such token').state,
      on.workstations.recogniseWorkstation(token).state,
    ]).toEqual(['unknown', 'asking'])
    const approved = on.workstations.approveWorkstation(
      record.workstationId,
      'Room 2',
      `user:${userId}`,
    )
    expect(approved).toMatchObject({
      name: 'Room 2',
      state: 'approved',
      approvedBy: 'Olga admin',
      lastSeenAt: null,
    })
    expect(on.workstations.recogniseWorkstation(token).state).toBe('approved')
    expect(on.workstations.listWorkstations()).toMatchObject([
      { lastSeenAt: '2026-03-10T09:00:00.000Z' },
    ])
    expect(on.trail().slice(0, 2)).toEqual([
      `user:${userId} workstation.approve ${record.workstationId}`,
      `gateway workstation.ask ${record.workstationId}`,
    ])
    // Who asks again is told so, and keeps its name.
    expect(on.ask('Another name', '10.0.0.7', token)).toMatchObject({
      token,
      record: { name: 'Room 2' },
    })
  })

  it('is asked for once by a browser, however often it presses the button', () => {
    const on = stage()
    using _ = on
    const { token, record } = on.ask('Room')
    const again = on.ask('Room 3', '10.0.0.7', token)
    expect([again.token, again.record.workstationId, again.record.name]).toEqual([
      token,
      record.workstationId,
      'Room 3',
    ])
    expect(on.workstations.listWorkstations()).toHaveLength(1)
  })

  it('is forgotten after an hour without an answer, and after a year', () => {
    const on = stage()
    using _ = on
    const [asking, approved] = [on.ask('A'), on.ask('B')]
    on.workstations.approveWorkstation(approved.record.workstationId, undefined, 'command-line')
    on.clock.pass(HOUR)
    expect([
      on.workstations.recogniseWorkstation(asking.token).state,
      on.workstations.recogniseWorkstation(approved.token).state,
    ]).toEqual(['unknown', 'approved'])
    expect(() =>
      on.workstations.approveWorkstation(asking.record.workstationId, undefined, 'command-line'),
    ).toThrow('The access request of this workstation has ended')
    on.clock.pass(364 * 24 * HOUR)
    expect(on.workstations.recogniseWorkstation(approved.token).state).toBe('approved')
    on.clock.pass(24 * HOUR)
    expect(on.workstations.recogniseWorkstation(approved.token).state).toBe('unknown')
  })

  it('asks five times an hour from an address, refused ones counted, and twenty ask at once', () => {
    const on = stage()
    using _ = on
    for (let i = 0; i < 5; i++) {
      const { record } = on.ask(`Room ${i}`)
      on.workstations.removeWorkstation(record.workstationId, 'command-line')
    }
    expect(() => on.ask('Room 6')).toThrow('Too many workstations are waiting for access.')
    for (let i = 0; i < 20; i++) on.ask(`PC ${i}`, `10.0.1.${i}`)
    expect(() => on.ask('One more', '10.0.2.1')).toThrow(
      'Too many workstations are waiting for access.',
    )
    on.clock.pass(HOUR)
    expect(on.ask('Room 7').record.name).toBe('Room 7')
    expect(on.workstations.listWorkstations()).toHaveLength(1)
  })

  it('takes its sessions along when it is removed', async () => {
    const on = stage()
    using _ = on
    const { email } = await on.at('member')
    const { record, token } = on.ask('Room')
    on.workstations.approveWorkstation(record.workstationId, undefined, 'command-line')
    const place = {
      browser: 'Edge on Windows',
      address: '10.0.0.7',
      workstationId: record.workstationId,
    }
    const there = await on.people.signIn(email, 'a long and quiet evening', {
      sessionOrigin: place,
    })
    const here = await on.people.signIn(email, 'a long and quiet evening')
    expect(
      on.people
        .listSessions(here.token, undefined)
        .map((session) => englishText(session.place))
        .sort(),
    ).toEqual(['Gateway PC', 'Room'])
    on.workstations.removeWorkstation(record.workstationId, 'command-line')
    expect(on.workstations.recogniseWorkstation(token).state).toBe('unknown')
    expect([on.people.sessionUser(there.token), on.people.sessionUser(here.token)?.email]).toEqual([
      undefined,
      email,
    ])
  })
})
