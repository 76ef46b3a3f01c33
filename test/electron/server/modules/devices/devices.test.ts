import { describe, expect, it } from 'vitest'
import { userActor } from '#server/audit-log/audit.ts'
import { findDevice, listDevices } from '#server/modules/devices/device-queries.ts'
import {
  addDevice,
  approveCaller,
  changeDevice,
  dismissCaller,
  isDeviceDisabled,
  isDeviceHost,
  isKnownDeviceHost,
  recogniseDevice,
  recordDeviceSeen,
  recordUnknownCall,
  removeDevice,
  requiresTls,
} from '#server/modules/devices/devices.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const ACTOR = userActor('usr_1')
const device = (fields: Partial<NewDevice> & { aeTitle: string }) => NewDevice.parse(fields)

function clinic() {
  const temp = tempStore()
  return Object.assign(temp, {
    store: temp.store,
    trail: () => temp.store.audit.list({ limit: 100 }).items,
  })
}

describe('the device list', () => {
  it('adds, changes and removes devices, each with its row in the audit trail', () => {
    using temp = clinic()
    const added = addDevice(
      temp.store,
      device({ aeTitle: 'CT1', address: '10.0.3.7/24', name: 'CT 1' }),
      ACTOR,
    )
    expect(added).toMatchObject({
      aeTitle: 'CT1',
      address: '10.0.3.0/24',
      createdAt: '2026-03-10T09:00:00.000Z',
      lastSeenAt: null,
    })
    expect(findDevice(temp.store.database, added.deviceId)).toEqual(added)

    temp.clock.pass(1000)
    const changed = changeDevice(
      temp.store,
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
    expect(listDevices(temp.store.database)).toEqual([changed])
    expect(changeDevice(temp.store, added.deviceId, { modality: 'CT' }, ACTOR)).toEqual(changed)

    removeDevice(temp.store, added.deviceId, ACTOR)
    expect(listDevices(temp.store.database)).toEqual([])
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
    addDevice(temp.store, device({ aeTitle: 'CT1', address: '10.0.3.0/24' }), ACTOR)
    addDevice(temp.store, device({ aeTitle: 'CT1' }), ACTOR)
    const other = addDevice(temp.store, device({ aeTitle: 'CT1', address: '10.0.4.7' }), ACTOR)
    const twin = { code: 'refused', errors: [expect.objectContaining({ path: 'body.aeTitle' })] }
    expect(() =>
      addDevice(temp.store, device({ aeTitle: 'ct1', address: '10.0.3.99/24' }), ACTOR),
    ).toThrow(expect.objectContaining(twin))
    expect(() => addDevice(temp.store, device({ aeTitle: 'CT1' }), ACTOR)).toThrow(
      expect.objectContaining(twin),
    )
    expect(() => changeDevice(temp.store, other.deviceId, { address: null }, ACTOR)).toThrow(
      expect.objectContaining(twin),
    )
    expect(listDevices(temp.store.database)).toHaveLength(3)
    expect(temp.trail()).toHaveLength(3)
  })

  it('refuses an address that is none, and a device that is not there', () => {
    using temp = clinic()
    const wrong = { code: 'malformed', errors: [expect.objectContaining({ path: 'body.address' })] }
    expect(() =>
      addDevice(temp.store, device({ aeTitle: 'CT1', address: '10.0.3.0/99' }), ACTOR),
    ).toThrow(expect.objectContaining(wrong))
    expect(() => changeDevice(temp.store, 'nobody', {}, ACTOR)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    expect(() => removeDevice(temp.store, 'nobody', ACTOR)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  })
})

describe('a caller', () => {
  it('is recognised by its AE title, without padding and in any case', () => {
    using temp = clinic()
    const ct = addDevice(temp.store, device({ aeTitle: 'Ct1' }), ACTOR)
    expect(recogniseDevice(temp.store, ' CT1 ', '10.0.3.7')).toEqual(ct)
    expect(recogniseDevice(temp.store, 'CT1', 'fe80::1')).toEqual(ct)
    expect(recogniseDevice(temp.store, 'CT', '10.0.3.7')).toBeUndefined()
  })

  it('is the device with the narrowest address that holds its own', () => {
    using temp = clinic()
    const add = (name: string, address: string | null) =>
      addDevice(temp.store, device({ aeTitle: 'CT1', address, name }), ACTOR)
    add('anywhere', null)
    add('floor', '10.0.0.0/16')
    add('room', '10.0.3.0/24')
    const one = add('one', '10.0.3.7')
    const named = (address: string) => recogniseDevice(temp.store, 'CT1', address)?.name
    expect([
      named('10.0.3.7'),
      named('10.0.3.8'),
      named('10.0.4.8'),
      named('10.1.0.1'),
      named('::1'),
    ]).toEqual(['one', 'room', 'floor', 'anywhere', 'anywhere'])
    changeDevice(temp.store, one.deviceId, { isEnabled: false }, ACTOR)
    expect(named('10.0.3.7')).toBeUndefined()
    const off = (address: string) => isDeviceDisabled(temp.store, 'ct1', address)
    expect([
      off('10.0.3.7'),
      off('10.0.3.8'),
      isDeviceDisabled(temp.store, 'MR1', '10.0.3.7'),
    ]).toEqual([true, false, false])
    removeDevice(temp.store, one.deviceId, ACTOR)
    expect(named('10.0.3.7')).toBe('room')
  })

  it('keeps its AE title to itself while it comes by TLS, and not once it is switched off', () => {
    using temp = clinic()
    const { deviceId } = addDevice(
      temp.store,
      device({ aeTitle: 'CT1', address: '10.0.3.7', tls: 'required' }),
      ACTOR,
    )
    expect(requiresTls(temp.store, 'ct1 ')).toBe(true)
    changeDevice(temp.store, deviceId, { isEnabled: false }, ACTOR)
    expect(requiresTls(temp.store, 'CT1')).toBe(false)
  })

  it('is not recognised from a change that was rolled back', () => {
    using temp = clinic()
    expect(() =>
      temp.store.database.transaction(() => {
        addDevice(temp.store, device({ aeTitle: 'CT1' }), ACTOR)
        expect(recogniseDevice(temp.store, 'CT1', '10.0.3.7')?.aeTitle).toBe('CT1')
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(recogniseDevice(temp.store, 'CT1', '10.0.3.7')).toBeUndefined()
  })

  it('is expected at its address, or where it last called from, once it has', async () => {
    using temp = clinic()
    const { store, clock } = temp
    const { deviceId } = addDevice(store, device({ aeTitle: 'CT1' }), ACTOR)
    const at = () =>
      ['10.0.3.7', '10.0.3.8'].map((host) => [
        isDeviceHost(store, host),
        isKnownDeviceHost(store, host),
      ])
    const [yes, no] = [
      [true, true],
      [false, false],
    ]
    expect(at()).toEqual([no, no])
    await recordDeviceSeen(store, deviceId, '10.0.3.7')
    expect(at()).toEqual([yes, no])
    clock.pass(60_000)
    await recordDeviceSeen(store, deviceId, '10.0.3.8')
    expect(at()).toEqual([no, yes])
    changeDevice(store, deviceId, { address: '10.0.3.7' }, ACTOR)
    expect(at()).toEqual([yes, no])
    changeDevice(store, deviceId, { isEnabled: false }, ACTOR)
    expect(at()).toEqual([no, no])
  })

  it('that has a range is expected in all of it, and known only where it last called from', async () => {
    using temp = clinic()
    const { store } = temp
    const { deviceId } = addDevice(store, device({ aeTitle: 'CT1', address: '10.0.3.0/24' }), ACTOR)
    const among = (is: (host: string) => boolean) => ['10.0.3.7', '10.0.3.8', '10.0.4.7'].map(is)
    expect([
      among((host) => isDeviceHost(store, host)),
      among((host) => isKnownDeviceHost(store, host)),
    ]).toEqual([
      [true, true, false],
      [false, false, false],
    ])
    await recordDeviceSeen(store, deviceId, '10.0.3.8')
    expect([
      among((host) => isDeviceHost(store, host)),
      among((host) => isKnownDeviceHost(store, host)),
    ]).toEqual([
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
    addDevice(temp.store, device({ aeTitle: 'CT1', address }), ACTOR)
    const hosts = ['2001:db8:1:2', '2001:db8:1:3']
    expect(hosts.map((host) => isDeviceHost(temp.store, host))).toEqual([true, false])
    expect(hosts.map((host) => isKnownDeviceHost(temp.store, host))).toEqual([true, false])
  })

  it('is expected after a change at a host that was asked about before', () => {
    using temp = clinic()
    const { deviceId } = addDevice(
      temp.store,
      device({ aeTitle: 'CT1', address: '10.0.3.7' }),
      ACTOR,
    )
    const asked = Array.from({ length: 1001 }, (_, n) => `10.1.${n >> 8}.${n & 255}`)
    expect([...asked, '10.0.3.66'].filter((host) => isDeviceHost(temp.store, host))).toEqual([])
    changeDevice(temp.store, deviceId, { address: '10.0.3.66' }, ACTOR)
    expect(isDeviceHost(temp.store, '10.0.3.66')).toBe(true)
  })

  it('is noted as seen, at most once a minute', async () => {
    using temp = clinic()
    const { deviceId } = addDevice(temp.store, device({ aeTitle: 'CT1' }), ACTOR)
    const seen = () => findDevice(temp.store.database, deviceId)
    await recordDeviceSeen(temp.store, deviceId, '10.0.3.7')
    temp.clock.pass(59_999)
    await recordDeviceSeen(temp.store, deviceId, '10.0.3.8')
    expect(seen()).toMatchObject({
      lastSeenAt: '2026-03-10T09:00:00.000Z',
      lastAddress: '10.0.3.7',
    })
    temp.clock.pass(1)
    await recordDeviceSeen(temp.store, deviceId, '10.0.3.8')
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
    await recordUnknownCall(temp.store, CALL)
    await recordUnknownCall(temp.store, { ...CALL, address: '10.0.3.10' })
    expect(listUnknownCallers(temp.store.database)).toHaveLength(2)
    const approved = approveCaller(
      temp.store,
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
    expect(recogniseDevice(temp.store, 'MR9', '10.0.3.9')).toEqual(approved)
    approveCaller(
      temp.store,
      { ...CALL, address: '10.0.3.10', name: '', modality: null, anyAddress: true },
      ACTOR,
    )
    expect(recogniseDevice(temp.store, 'MR9', '192.0.2.1')?.address).toBeNull()
    expect(listUnknownCallers(temp.store.database)).toEqual([])
    expect(temp.trail().map(({ action }) => action)).toEqual(['device.add', 'device.add'])
  })

  it('forgets a caller that a device lets in by its new AE title, or that was added by hand', async () => {
    using temp = clinic()
    await recordUnknownCall(temp.store, CALL)
    await recordUnknownCall(temp.store, { ...CALL, aeTitle: 'CT7' })
    const { deviceId } = addDevice(
      temp.store,
      device({ aeTitle: 'MR', address: '10.0.3.9', isEnabled: false }),
      ACTOR,
    )
    changeDevice(temp.store, deviceId, { aeTitle: 'mr9' }, ACTOR)
    expect(listUnknownCallers(temp.store.database)).toHaveLength(2)
    changeDevice(temp.store, deviceId, { isEnabled: true }, ACTOR)
    expect(listUnknownCallers(temp.store.database).map(({ aeTitle }) => aeTitle)).toEqual(['CT7'])
    addDevice(temp.store, device({ aeTitle: 'CT7', address: '10.0.3.0/24' }), ACTOR)
    expect(listUnknownCallers(temp.store.database)).toEqual([])
  })

  it('keeps a caller that could not be approved', async () => {
    using temp = clinic()
    addDevice(temp.store, device({ aeTitle: 'MR9', address: '10.0.3.9' }), ACTOR)
    await recordUnknownCall(temp.store, CALL)
    const approve = () =>
      approveCaller(temp.store, { ...CALL, name: '', modality: null, anyAddress: false }, ACTOR)
    expect(approve).toThrow(expect.objectContaining({ code: 'refused' }))
    expect(listUnknownCallers(temp.store.database)).toHaveLength(1)
  })

  it('makes no device of a caller whose AE title is none', async () => {
    using temp = clinic()
    await recordUnknownCall(temp.store, { ...CALL, aeTitle: 'M\u00dcLLER' })
    const approve = () =>
      approveCaller(
        temp.store,
        { ...CALL, aeTitle: 'M\u00dcLLER', name: '', modality: null, anyAddress: true },
        ACTOR,
      )
    expect(approve).toThrow(
      expect.objectContaining({
        code: 'malformed',
        errors: [expect.objectContaining({ path: 'body.aeTitle' })],
      }),
    )
    expect(listUnknownCallers(temp.store.database)).toHaveLength(1)
  })

  it('lets a caller be dismissed until it calls again', async () => {
    using temp = clinic()
    await recordUnknownCall(temp.store, CALL)
    dismissCaller(temp.store, CALL, ACTOR)
    expect(listUnknownCallers(temp.store.database)).toEqual([])
    expect(temp.trail()[0]).toMatchObject({ action: 'caller.dismiss', target: 'MR9 10.0.3.9' })
    expect(() => dismissCaller(temp.store, CALL, ACTOR)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    await recordUnknownCall(temp.store, CALL)
    expect(listUnknownCallers(temp.store.database)[0]?.attempts).toBe(1)
  })
})
