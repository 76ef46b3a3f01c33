import type { SettingValues } from '#gateway/store/settings.ts'

/** What advice is drawn from. */
export interface Condition {
  readonly settings: Pick<SettingValues, 'http.publicUrl' | 'http.host' | 'dimse.allowUnknownDevices'>
  /** Settings whose stored value cannot be read; their initial value stands in. */
  readonly unreadableSettings: readonly string[]
  readonly hasPartner: boolean
  readonly devices: number
  readonly enabledDevices: number
  readonly unknownCallers: number
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

// Gravest first: what stops worklists, what opens a door, what is merely unset.
const ADVICE: readonly { readonly applies: (condition: Condition) => boolean; readonly text: (condition: Condition) => string }[] = [
  {
    applies: ({ unreadableSettings }) => unreadableSettings.length > 0,
    text: ({ unreadableSettings }) =>
      `These settings could not be read and have their first value; set them again: ${unreadableSettings.join(', ')}.`,
  },
  {
    applies: ({ hasPartner }) => !hasPartner,
    text: () => 'No partner is set, so every worklist is refused. Enter its address under Partner.',
  },
  {
    applies: ({ devices, unknownCallers }) => devices === 0 && unknownCallers === 0,
    text: () => 'No device is known. Add one under Devices, or let it call once and approve it there.',
  },
  {
    applies: ({ devices, enabledDevices }) => devices > 0 && enabledDevices === 0,
    text: () => 'Every device is switched off, so every device is rejected. Switch one on under Devices.',
  },
  {
    applies: ({ unknownCallers }) => unknownCallers > 0,
    text: ({ unknownCallers }) =>
      unknownCallers === 1
        ? 'An unknown device has called. Approve or dismiss it under Devices.'
        : `${unknownCallers} unknown devices have called. Approve or dismiss them under Devices.`,
  },
  {
    applies: ({ settings }) => settings['dimse.allowUnknownDevices'],
    text: () =>
      'Any device on the network may read the worklist. Switch off “Serve callers that are not in the device list” once yours are known.',
  },
  {
    applies: ({ settings }) => !LOOPBACK.includes(settings['http.host']),
    text: () =>
      'The window is open to the network without encryption: passwords and patient data can be read on the way. Put a TLS proxy before it.',
  },
  {
    applies: ({ settings }) => settings['http.publicUrl'] === null,
    text: () => 'Links given to the partner point to this PC only. Set the public URL under Settings if the partner is to open them.',
  },
]

/** What an administrator should mend, gravest first. */
export const adviceFor = (condition: Condition): string[] =>
  ADVICE.filter(({ applies }) => applies(condition)).map(({ text }) => text(condition))
