export const en = {
  title: 'Ask the worklist as a device',
  about:
    'Shows what a device would be given now, and why. The question goes the same way through the gateway as one of the device, to the same partner; only the network between device and gateway is left out.',
  noDevices: 'There is no device to ask as',
  noDevicesText: 'Add a device first, or approve one that has called.',
  toDevices: 'Go to devices',
  keys: 'What the console asks for',
  device: 'Ask as device',
  switchedOff: (device: string) => `${device}, switched off`,
  patientName: 'Patient name',
  patientNameAbout: 'Last^First; * for any letters',
  patientId: 'Patient ID',
  accessionNumber: 'Accession number',
  modality: 'Modality',
  stationAeTitle: 'Station AE title',
  startDate: 'From day',
  endDate: 'To day',
  anyValue: 'any',
  anyDay: 'any day',
  ask: 'Ask',
  again: 'Ask again',
  days: { today: 'Today', tomorrow: 'Tomorrow', none: 'No days' },
  noneAbout: 'Without days the gateway asks for those of its settings.',
  waiting: 'Asking the partner as the device would. This takes as long as the device would wait.',
  before: 'Choose a device and ask',
  beforeText:
    'The answer appears here as the console would list it, with the reason for every exam that is not in it.',
} as const

export type English = typeof en
