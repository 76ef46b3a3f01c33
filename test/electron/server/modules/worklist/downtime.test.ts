import { describe, expect, it } from 'vitest'
import { currentDowntime, endDowntime, startDowntime } from '#server/modules/worklist/downtime.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const EVA = { userId: 'usr_1', firstName: 'Eva', lastName: 'Kern' }
const OFF = { isOn: false, since: null, until: null, reason: '', userName: '' }

function clinic(timeZone: string, instant?: string) {
  const temp = tempStore(instant)
  temp.store.settings.set('clinic.timeZone', timeZone)
  const trail = () =>
    temp.store.audit
      .list({ limit: 10 })
      .items.map(({ actor, action, detail }) => [actor, action, detail])
  return Object.assign(temp, { store: temp.store, trail })
}

describe('downtime mode', () => {
  it('is on from a person’s word until midnight of the clinic', () => {
    using temp = clinic('Europe/Berlin')
    expect(currentDowntime(temp.store)).toEqual(OFF)
    const on = startDowntime(temp.store, 'the line is cut', EVA)
    expect(on).toEqual({
      isOn: true,
      since: '2026-03-10T09:00:00.000Z',
      until: '2026-03-10T23:00:00.000Z',
      reason: 'the line is cut',
      userName: 'Eva Kern',
    })
    temp.clock.now = Date.parse('2026-03-10T22:59:59.999Z')
    expect(currentDowntime(temp.store)).toEqual(on)
    temp.clock.pass(1)
    expect(currentDowntime(temp.store)).toEqual(OFF)
    expect(temp.trail()).toEqual([
      [
        'user:usr_1',
        'downtime.start',
        { reason: 'the line is cut', until: '2026-03-10T23:00:00.000Z' },
      ],
    ])
  })

  it('ends at midnight on the day the clocks change, too', () => {
    using temp = clinic('America/New_York', '2026-11-01T04:30:00.000Z')
    expect(startDowntime(temp.store, 'the line is cut', EVA).until).toBe('2026-11-02T05:00:00.000Z')
  })

  it('takes a new reason and keeps since when it is on', () => {
    using temp = clinic('UTC')
    startDowntime(temp.store, 'the line is cut', EVA)
    temp.clock.pass(1000)
    const again = startDowntime(temp.store, 'still cut', {
      ...EVA,
      userId: 'usr_2',
      firstName: 'Tom',
    })
    expect(again).toMatchObject({
      since: '2026-03-10T09:00:00.000Z',
      reason: 'still cut',
      userName: 'Tom Kern',
    })
  })

  it('ends by a person or by the gateway, once', () => {
    using temp = clinic('UTC')
    startDowntime(temp.store, 'the line is cut', EVA)
    expect(endDowntime(temp.store, 'gateway')).toEqual(OFF)
    expect(endDowntime(temp.store, 'user:usr_1')).toEqual(OFF)
    expect(currentDowntime(temp.store)).toEqual(OFF)
    expect(temp.trail()[0]).toEqual([
      'gateway',
      'downtime.end',
      { since: '2026-03-10T09:00:00.000Z' },
    ])
    expect(temp.trail()).toHaveLength(2)
  })

  it('outlives a restart of the gateway', () => {
    using temp = clinic('UTC')
    const on = startDowntime(temp.store, 'the line is cut', EVA)
    expect(currentDowntime(temp.store)).toEqual(on)
  })
})
