import type { Device, NewDevice } from '#shared/contract/devices.ts'

/** A device as the window adds one. */
export const DEVICE: Omit<NewDevice, 'aeTitle'> = {
  address: null,
  name: '',
  modality: null,
  isEnabled: true,
  characterSet: null,
  stationMode: 'echo',
  alwaysSendCharacterSet: false,
  daysBack: null,
  daysForward: null,
  maxRows: null,
  port: null,
  profile: 'standard',
  hideStarted: false,
  countsBytes: false,
  tls: 'optional',
  certificate: null,
  retrieval: 'none',
}

/** CT1 as the gateway knows it, with other values where they are given. */
export const knownDevice = (changes: Partial<Device> = {}): Device => ({
  ...DEVICE,
  ...{
    deviceId: '3f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c3d',
    aeTitle: 'CT1',
    name: 'CT room 1',
    modality: 'CT',
  },
  ...{
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    lastSeenAt: null,
    lastAddress: null,
  },
  ...changes,
})
