import { expect, it } from 'vitest'
import { adviceFor, type Condition } from '#server/modules/dashboard/advice.ts'
import { englishText } from '#shared/messages/english.ts'

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
  expect(adviceFor(fresh).map((text) => englishText(text).split('.')[0])).toEqual([
    'No partner is configured, so all worklist queries fail',
    'There is no device in the device list',
    'Links sent to the partner open on this PC only',
  ])
})

const CASES: [change: Partial<Condition>, text: string][] = [
  [
    { unknownCallers: 1 },
    'An unknown device tried to connect. Approve or dismiss it under Devices.',
  ],
  [
    { unknownCallers: 3, devices: [] },
    '3 unknown devices tried to connect. Approve or dismiss them under Devices.',
  ],
  [
    { devices: [{ ...DEVICE, isEnabled: false }] },
    'All devices are disabled, so all devices are rejected. Enable one under Devices.',
  ],
  [
    { unreadableSettings: ['dimse.port'] },
    'These settings could not be read, so their default values are used; set them again: dimse.port.',
  ],
  [
    { devices: [{ ...DEVICE, tls: 'required' }], hasTlsListener: false },
    'A device can connect by TLS only, but DICOM TLS is disabled: set its TCP port under Settings and restart the gateway.',
  ],
  [
    { certificates: [{ use: 'dicom-tls', isInUse: true, daysLeft: 12 }] },
    'The certificate of DICOM TLS expires in 12 days. Renew it under Settings, and install the new one wherever the old one is trusted.',
  ],
  [
    { certificates: [{ use: 'https', isInUse: true, daysLeft: -1 }] },
    'The certificate of the web app and the API has expired. Renew it under Settings, and install the new one wherever the old one is trusted.',
  ],
  [
    { images: { quarantined: 2, mismatches: 0 } },
    '2 images are in quarantine and wait for a decision. Release or discard them under Images, Quarantine.',
  ],
  [
    { images: { quarantined: 0, mismatches: 3 } },
    'The patient or order in the images of 3 studies differs from their worklist entries or from the studies. Compare them under Images.',
  ],
  [
    { forwards: { failed: 1 } },
    'An image could not be forwarded to its destination and is no longer retried. Retry it or stop sending it under Destinations.',
  ],
  [
    {
      settings: { ...fine.settings, 'commitment.isOn': true },
      devices: [{ ...DEVICE, port: null }],
    },
    'Storage commitment is enabled, but no device has a port to send its results to. Enter the port that each device listens on under Devices.',
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
  expect(adviceFor(open).map((text) => englishText(text).split(' ').slice(0, 3).join(' '))).toEqual(
    ['Any device on', 'Isthmus is open'],
  )
})
