import { expect, it } from 'vitest'
import { adviceFor, type Condition } from '#server/modules/dashboard/advice.ts'
import { english } from '#shared/messages/english.ts'

const DEVICE: Condition['devices'][number] = { isEnabled: true, port: 104, tls: 'optional' }
const fine: Condition = {
  settings: {
    'http.publicUrl': 'https://gw.clinic.example',
    'http.host': '127.0.0.1',
    'dimse.allowUnknownDevices': false,
    'commitment.isOn': false,
  },
  unreadableSettings: [],
  hasPartner: true,
  devices: [DEVICE, { ...DEVICE, isEnabled: false }],
  unknownCallers: 0,
  hasTlsListener: true,
  images: { quarantined: 0, mismatches: 0 },
  forwards: { failed: 0 },
  certificates: [
    { use: 'https', isInUse: true, daysLeft: 30 },
    { use: 'dicom-tls', isInUse: false, daysLeft: 2 },
  ],
}

it('gives no advice where all is in order', () => {
  expect(adviceFor(fine)).toEqual([])
})

it('begins a new gateway with its partner, its first device and its public URL', () => {
  const fresh = {
    ...fine,
    hasPartner: false,
    devices: [],
    settings: { ...fine.settings, 'http.publicUrl': null },
  }
  expect(adviceFor(fresh).map((text) => english(text).split('.')[0])).toEqual([
    'No partner is set, so every worklist is refused',
    'There is no device in the device list',
    'Links given to the partner point to this PC only',
  ])
})

const CASES: [change: Partial<Condition>, text: string][] = [
  [{ unknownCallers: 1 }, 'An unknown device has called. Approve or dismiss it under Devices.'],
  [
    { unknownCallers: 3, devices: [] },
    '3 unknown devices have called. Approve or dismiss them under Devices.',
  ],
  [
    { devices: [{ ...DEVICE, isEnabled: false }] },
    'Every device is switched off, so every device is rejected. Switch one on under Devices.',
  ],
  [
    { unreadableSettings: ['dimse.port'] },
    'These settings could not be read and have their first value; set them again: dimse.port.',
  ],
  [
    { devices: [{ ...DEVICE, tls: 'required' }], hasTlsListener: false },
    'A device may call by TLS only, but DICOM TLS is off: set dimse.tlsPort under Settings and start again.',
  ],
  [
    { certificates: [{ use: 'dicom-tls', isInUse: true, daysLeft: 12 }] },
    'The certificate of DICOM TLS ends in 12 days. Renew it under Settings, and give the new one to who trusts the old one.',
  ],
  [
    { certificates: [{ use: 'https', isInUse: true, daysLeft: -1 }] },
    'The certificate of the window and the interface has ended. Renew it under Settings, and give the new one to who trusts the old one.',
  ],
  [
    { images: { quarantined: 2, mismatches: 0 } },
    '2 images were set aside and wait for a decision. Release or discard them under Images.',
  ],
  [
    { images: { quarantined: 0, mismatches: 3 } },
    'The images of 3 studies name another patient or order than their worklist rows or the studies. Compare them under Images.',
  ],
  [
    { forwards: { failed: 1 } },
    'An image could not be sent to its destination and was given up. Send it again or drop it under Destinations.',
  ],
  [
    {
      settings: { ...fine.settings, 'commitment.isOn': true },
      devices: [{ ...DEVICE, port: null }],
    },
    'Storage commitment is on, but no device has a port to send its results to. Enter the port each device listens at under Devices.',
  ],
]

it.each(CASES)('names what is to mend: %o', (change, text) => {
  expect(adviceFor({ ...fine, ...change })).toEqual([text])
})

it('warns of doors left open', () => {
  const open = {
    ...fine,
    settings: { ...fine.settings, 'http.host': '0.0.0.0', 'dimse.allowUnknownDevices': true },
  }
  expect(adviceFor(open).map((text) => english(text).split(' ').slice(0, 3).join(' '))).toEqual([
    'Any device on',
    'The window is',
  ])
})
