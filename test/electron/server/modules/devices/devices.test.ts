import { describe, expect, it } from 'vitest'
import { userActor } from '#server/modules/audit/audit.ts'
import { openDevices } from '#server/modules/devices/devices.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const ACTOR = userActor('usr_1')
const device = (fields: Partial<NewDevice> & { aeTitle: string }) => NewDevice.parse(fields)

function clinic() {
  const temp = tempStore()
  return Object.assign(temp, {
    devices: openDevices(temp),
    trail: () => temp.store.audit.list({ limit: 100 }).items,
  })
}

describe('the device list', () => {
  it('adds, changes and removes devices, each with its row in the audit trail', () => {
    using temp = clinic()
    const added = temp.devices.add(
      device({ aeTitle: 'CT1', address: '10.0.3.7/24', name: 'CT 1' }),
      ACTOR,
    )
    expect(added).toMatchObject({
      aeTitle: 'CT1',
      address: '10.0.3.0/24',
      createdAt: '2026-03-10T09:00:00.000Z',
      lastSeenAt: null,
    })
    expect(temp.devices.find(added.deviceId)).toEqual(added)

    temp.clock.pass(1000)
    const changed = temp.devices.update(
      added.deviceId,
      { modality: 'CT', stationMode: 'strict' },
      ACTOR,
    )
    expect(changed).toEqual({
      ...added,
      modality: 'CT',
      stationMode: 'strict',
      updatedAt: '2026-03-10T09:00:01.000Z',
    })
    expect(temp.devices.list()).toEqual([changed])
    expect(temp.devices.update(added.deviceId, { modality: 'CT' }, ACTOR)).toEqual(changed)

    temp.devices.remove(added.deviceId, ACTOR)
    expect(temp.devices.list()).toEqual([])
    expect(temp.trail().map(({ actor, action, target }) => [actor, action, target])).toEqual([
      ['user:usr_1', 'device.remove', added.deviceId],
      ['user:usr_1', 'device.update', added.deviceId],
      ['user:usr_1', 'device.add', added.deviceId],
    ])
    expect(temp.trail()[1]?.detail).toEqual({
      modality: { before: null, after: 'CT' },
      stationMode: { before: 'echo', after: 'strict' },
    })
  })

  it('refuses a second device with the AE title and address of another, naming the field, and notes nothing', () => {
    using temp = clinic()
    temp.devices.add(device({ aeTitle: 'CT1', address: '10.0.3.0/24' }), ACTOR)
    temp.devices.add(device({ aeTitle: 'CT1' }), ACTOR)
    const other = temp.devices.add(device({ aeTitle: 'CT1', address: '10.0.4.7' }), ACTOR)
    const twin = { code: 'refused', errors: [expect.objectContaining({ path: 'body.aeTitle' })] }
    expect(() =>
      temp.devices.add(device({ aeTitle: 'ct1', address: '10.0.3.99/24' }), ACTOR),
    ).toThrow(expect.objectContaining(twin))
    expect(() => temp.devices.add(device({ aeTitle: 'CT1' }), ACTOR)).toThrow(
      expect.objectContaining(twin),
    )
    expect(() => temp.devices.update(other.deviceId, { address: null }, ACTOR)).toThrow(
      expect.objectContaining(twin),
    )
    expect(temp.devices.list()).toHaveLength(3)
    expect(temp.trail()).toHaveLength(3)
  })

  it('refuses an address that is none, and a device that is not there', () => {
    using temp = clinic()
    const wrong = { code: 'malformed', errors: [expect.objectContaining({ path: 'body.address' })] }
    expect(() =>
      temp.devices.add(device({ aeTitle: 'CT1', address: '10.0.3.0/99' }), ACTOR),
    ).toThrow(expect.objectContaining(wrong))
    expect(() => temp.devices.update('nobody', {}, ACTOR)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    expect(() => temp.devices.remove('nobody', ACTOR)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  })
})

describe('a caller', () => {
  it('is recognised by its AE title, without padding and in any case', () => {
    using temp = clinic()
    const ct = temp.devices.add(device({ aeTitle: 'Ct1' }), ACTOR)
    expect(temp.devices.recogniseDevice(' CT1 ', '10.0.3.7')).toEqual(ct)
    expect(temp.devices.recogniseDevice('CT1', 'fe80::1')).toEqual(ct)
    expect(temp.devices.recogniseDevice('CT', '10.0.3.7')).toBeUndefined()
  })

  it('is the device with the narrowest address that holds its own', () => {
    using temp = clinic()
    const add = (name: string, address: string | null) =>
      temp.devices.add(device({ aeTitle: 'CT1', address, name }), ACTOR)
    add('anywhere', null)
    add('floor', '10.0.0.0/16')
    add('room', '10.0.3.0/24')
    const one = add('one', '10.0.3.7')
    const named = (address: string) => temp.devices.recogniseDevice('CT1', address)?.name
    expect([
      named('10.0.3.7'),
      named('10.0.3.8'),
      named('10.0.4.8'),
      named('10.1.0.1'),
      named('::1'),
    ]).toEqual(['one', 'room', 'floor', 'anywhere', 'anywhere'])
    temp.devices.update(one.deviceId, { isEnabled: false }, ACTOR)
    expect(named('10.0.3.7')).toBeUndefined()
    const off = (address: string) => temp.devices.isSwitchedOff('ct1', address)
    expect([
      off('10.0.3.7'),
      off('10.0.3.8'),
      temp.devices.isSwitchedOff('MR1', '10.0.3.7'),
    ]).toEqual([true, false, false])
    temp.devices.remove(one.deviceId, ACTOR)
    expect(named('10.0.3.7')).toBe('room')
  })

  it('keeps its AE title to itself while it comes by TLS, and not once it is switched off', () => {
    using temp = clinic()
    const { deviceId } = temp.devices.add(
      device({ aeTitle: 'CT1', address: '10.0.3.7', tls: 'required' }),
      ACTOR,
    )
    expect(temp.devices.isTitleOfTls('ct1 ')).toBe(true)
    temp.devices.update(deviceId, { isEnabled: false }, ACTOR)
    expect(temp.devices.isTitleOfTls('CT1')).toBe(false)
  })

  it('is not recognised from a change that was rolled back', () => {
    using temp = clinic()
    expect(() =>
      temp.store.database.transaction(() => {
        temp.devices.add(device({ aeTitle: 'CT1' }), ACTOR)
        expect(temp.devices.recogniseDevice('CT1', '10.0.3.7')?.aeTitle).toBe('CT1')
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(temp.devices.recogniseDevice('CT1', '10.0.3.7')).toBeUndefined()
  })

  it('is expected at its address, or where it last called from, once it has', async () => {
    using temp = clinic()
    const { devices, clock } = temp
    const { deviceId } = devices.add(device({ aeTitle: 'CT1' }), ACTOR)
    const at = () =>
      ['10.0.3.7', '10.0.3.8'].map((host) => [
        devices.isDeviceHost(host),
        devices.isKnownDeviceHost(host),
      ])
    const [yes, no] = [
      [true, true],
      [false, false],
    ]
    expect(at()).toEqual([no, no])
    await devices.noteSeen(deviceId, '10.0.3.7')
    expect(at()).toEqual([yes, no])
    clock.pass(60_000)
    await devices.noteSeen(deviceId, '10.0.3.8')
    expect(at()).toEqual([no, yes])
    devices.update(deviceId, { address: '10.0.3.7' }, ACTOR)
    expect(at()).toEqual([yes, no])
    devices.update(deviceId, { isEnabled: false }, ACTOR)
    expect(at()).toEqual([no, no])
  })

  it('that has a range is expected in all of it, and known only where it last called from', async () => {
    using temp = clinic()
    const { devices } = temp
    const { deviceId } = devices.add(device({ aeTitle: 'CT1', address: '10.0.3.0/24' }), ACTOR)
    const among = (is: (host: string) => boolean) => ['10.0.3.7', '10.0.3.8', '10.0.4.7'].map(is)
    expect([among(devices.isDeviceHost), among(devices.isKnownDeviceHost)]).toEqual([
      [true, true, false],
      [false, false, false],
    ])
    await devices.noteSeen(deviceId, '10.0.3.8')
    expect([among(devices.isDeviceHost), among(devices.isKnownDeviceHost)]).toEqual([
      [true, true, false],
      [false, true, false],
    ])
  })

  it.each([
    '2001:db8:1:2::5',
    '2001:db8:1:2::/64',
    '2001:db8:1:2:8000::/65',
    '2001:db8:1:2::8/127',
  ])('at %s is expected at its network of 64 bits, which counts as one host', (address) => {
    using temp = clinic()
    temp.devices.add(device({ aeTitle: 'CT1', address }), ACTOR)
    const hosts = ['2001:db8:1:2', '2001:db8:1:3']
    expect(hosts.map(temp.devices.isDeviceHost)).toEqual([true, false])
    expect(hosts.map(temp.devices.isKnownDeviceHost)).toEqual([true, false])
  })

  it('is expected after a change at a host that was asked about before', () => {
    using temp = clinic()
    const { deviceId } = temp.devices.add(device({ aeTitle: 'CT1', address: '10.0.3.7' }), ACTOR)
    const asked = Array.from({ length: 1001 }, (_, n) => `10.1.${n >> 8}.${n & 255}`)
    expect([...asked, '10.0.3.66'].filter(temp.devices.isDeviceHost)).toEqual([])
    temp.devices.update(deviceId, { address: '10.0.3.66' }, ACTOR)
    expect(temp.devices.isDeviceHost('10.0.3.66')).toBe(true)
  })

  it('is noted as seen, at most once a minute', async () => {
    using temp = clinic()
    const { deviceId } = temp.devices.add(device({ aeTitle: 'CT1' }), ACTOR)
    const seen = () => temp.devices.find(deviceId)
    await temp.devices.noteSeen(deviceId, '10.0.3.7')
    temp.clock.pass(59_999)
    await temp.devices.noteSeen(deviceId, '10.0.3.8')
    expect(seen()).toMatchObject({
      lastSeenAt: '2026-03-10T09:00:00.000Z',
      lastAddress: '10.0.3.7',
    })
    temp.clock.pass(1)
    await temp.devices.noteSeen(deviceId, '10.0.3.8')
    expect(seen()).toMatchObject({
      lastSeenAt: '2026-03-10T09:01:00.000Z',
      lastAddress: '10.0.3.8',
    })
  })
})

describe('the inbox of unknown callers', () => {
  const CALL = {
    aeTitle: 'MR9',
    address: '10.0.3.9',
    calledAeTitle: 'ISTHMUS',
    services: ['Verification'],
  }

  it('makes a device of a caller, at its address or at any, and forgets it', async () => {
    using temp = clinic()
    await temp.devices.noteCaller(CALL)
    await temp.devices.noteCaller({ ...CALL, address: '10.0.3.10' })
    expect(temp.devices.callers()).toHaveLength(2)
    const approved = temp.devices.approveCaller(
      { ...CALL, name: 'MR 9', modality: 'MR', anyAddress: false },
      ACTOR,
    )
    expect(approved).toMatchObject({
      aeTitle: 'MR9',
      address: '10.0.3.9',
      name: 'MR 9',
      modality: 'MR',
      isEnabled: true,
    })
    expect(temp.devices.recogniseDevice('MR9', '10.0.3.9')).toEqual(approved)
    temp.devices.approveCaller(
      { ...CALL, address: '10.0.3.10', name: '', modality: null, anyAddress: true },
      ACTOR,
    )
    expect(temp.devices.recogniseDevice('MR9', '192.0.2.1')?.address).toBeNull()
    expect(temp.devices.callers()).toEqual([])
    expect(temp.trail().map(({ action }) => action)).toEqual(['device.add', 'device.add'])
  })

  it('forgets a caller that a device lets in by its new AE title, or that was added by hand', async () => {
    using temp = clinic()
    await temp.devices.noteCaller(CALL)
    await temp.devices.noteCaller({ ...CALL, aeTitle: 'CT7' })
    const { deviceId } = temp.devices.add(
      device({ aeTitle: 'MR', address: '10.0.3.9', isEnabled: false }),
      ACTOR,
    )
    temp.devices.update(deviceId, { aeTitle: 'mr9' }, ACTOR)
    expect(temp.devices.callers()).toHaveLength(2)
    temp.devices.update(deviceId, { isEnabled: true }, ACTOR)
    expect(temp.devices.callers().map(({ aeTitle }) => aeTitle)).toEqual(['CT7'])
    temp.devices.add(device({ aeTitle: 'CT7', address: '10.0.3.0/24' }), ACTOR)
    expect(temp.devices.callers()).toEqual([])
  })

  it('keeps a caller that could not be approved', async () => {
    using temp = clinic()
    temp.devices.add(device({ aeTitle: 'MR9', address: '10.0.3.9' }), ACTOR)
    await temp.devices.noteCaller(CALL)
    const approve = () =>
      temp.devices.approveCaller({ ...CALL, name: '', modality: null, anyAddress: false }, ACTOR)
    expect(approve).toThrow(expect.objectContaining({ code: 'refused' }))
    expect(temp.devices.callers()).toHaveLength(1)
  })

  it('makes no device of a caller whose AE title is none', async () => {
    using temp = clinic()
    await temp.devices.noteCaller({ ...CALL, aeTitle: 'M\u00dcLLER' })
    const approve = () =>
      temp.devices.approveCaller(
        { ...CALL, aeTitle: 'M\u00dcLLER', name: '', modality: null, anyAddress: true },
        ACTOR,
      )
    expect(approve).toThrow(
      expect.objectContaining({
        code: 'malformed',
        errors: [expect.objectContaining({ path: 'body.aeTitle' })],
      }),
    )
    expect(temp.devices.callers()).toHaveLength(1)
  })

  it('lets a caller be dismissed until it calls again', async () => {
    using temp = clinic()
    await temp.devices.noteCaller(CALL)
    temp.devices.dismissCaller(CALL, ACTOR)
    expect(temp.devices.callers()).toEqual([])
    expect(temp.trail()[0]).toMatchObject({ action: 'caller.dismiss', target: 'MR9 10.0.3.9' })
    expect(() => temp.devices.dismissCaller(CALL, ACTOR)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    await temp.devices.noteCaller(CALL)
    expect(temp.devices.callers()[0]?.attempts).toBe(1)
  })
})
