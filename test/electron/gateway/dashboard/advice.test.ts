import { expect, it } from 'vitest'
import { adviceFor, type Condition } from '#gateway/dashboard/advice.ts'

const fine: Condition = {
  settings: { 'http.publicUrl': 'https://gw.clinic.example', 'http.host': '127.0.0.1', 'dimse.allowUnknownDevices': false },
  unreadableSettings: [],
  hasPartner: true,
  devices: 2,
  enabledDevices: 2,
  unknownCallers: 0,
}

it('gives no advice where all is in order', () => {
  expect(adviceFor(fine)).toEqual([])
})

it('begins a new gateway with its partner, its first device and its public URL', () => {
  const fresh = { ...fine, hasPartner: false, devices: 0, enabledDevices: 0, settings: { ...fine.settings, 'http.publicUrl': null } }
  expect(adviceFor(fresh).map((text) => text.split('.')[0])).toEqual([
    'No partner is set, so every worklist is refused',
    'No device is known',
    'Links given to the partner point to this PC only',
  ])
})

it.each([
  [{ unknownCallers: 1 }, 'An unknown device has called. Approve or dismiss it under Devices.'],
  [{ unknownCallers: 3, devices: 0, enabledDevices: 0 }, '3 unknown devices have called. Approve or dismiss them under Devices.'],
  [{ enabledDevices: 0 }, 'Every device is switched off, so every device is rejected. Switch one on under Devices.'],
  [{ unreadableSettings: ['dimse.port'] }, 'These settings could not be read and have their first value; set them again: dimse.port.'],
])('names what is to mend: %o', (change: Partial<Condition>, text) => {
  expect(adviceFor({ ...fine, ...change })).toEqual([text])
})

it('warns of doors left open', () => {
  const open = { ...fine, settings: { ...fine.settings, 'http.host': '0.0.0.0', 'dimse.allowUnknownDevices': true } }
  expect(adviceFor(open).map((text) => text.split(' ').slice(0, 3).join(' '))).toEqual(['Any device on', 'The window is'])
})
