import { describe, expect, it } from 'vitest'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import { type Device, NewDevice } from '#shared/contract/devices.ts'

const device = (more: Partial<Device>): Device => ({
  ...NewDevice.parse({ aeTitle: 'CT1' }),
  deviceId: 'd',
  createdAt: '2026-03-10T09:00:00.000Z',
  updatedAt: '2026-03-10T09:00:00.000Z',
  lastSeenAt: null,
  lastAddress: null,
  ...more,
})

describe('where a device listens', () => {
  it('is its address, or where it last called from where it has a range of them or none', () => {
    expect(devicePeer(device({ address: '10.0.3.7', lastAddress: '10.0.3.9', port: 104 }))).toEqual(
      {
        aeTitle: 'CT1',
        host: '10.0.3.7',
        port: 104,
      },
    )
    expect(
      devicePeer(device({ address: '10.0.3.0/24', lastAddress: '10.0.3.9', port: 104 })),
    ).toMatchObject({ host: '10.0.3.9' })
    expect(devicePeer(device({ lastAddress: '10.0.3.9', port: 104 }))).toMatchObject({
      host: '10.0.3.9',
    })
  })

  it('is called by TLS where it comes by nothing else, and has to be who it shows itself to be', () => {
    const known = { address: '10.0.3.7', port: 2762 }
    expect(devicePeer(device(known))).not.toHaveProperty('tls')
    expect(devicePeer(device({ ...known, tls: 'required' }))).toMatchObject({ tls: {} })
    expect(devicePeer(device({ ...known, tls: 'mutual', certificate: 'PEM' }))).toMatchObject({
      tls: { ca: 'PEM' },
    })
  })

  it('is told apart from what is to be entered first', () => {
    expect(devicePeer(device({ address: '10.0.3.7' }))).toEqual(
      'No port is set for this device: enter the port that it listens on.',
    )
    expect(devicePeer(device({ port: 104 }))).toEqual(
      'This device’s address is not known: enter it, or let the device connect once.',
    )
  })
})
