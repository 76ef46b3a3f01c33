import { NewDevice } from '#shared/contract/devices.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import { english } from '#shared/messages/english.ts'
import { table } from './markdown.ts'

const shown = (value: unknown): string =>
  value === null
    ? 'none'
    : value === ''
      ? 'empty'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)

/** Settings of some groups with what they are at first. */
export const settingTable = (...groups: readonly string[]): string =>
  table(
    ['setting', 'default', 'what it does'],
    SETTING_KEYS.filter((key) => groups.some((group) => key.startsWith(group))).map((key) =>
      rowOf(key),
    ),
  )

function rowOf(key: SettingKey): string[] {
  const { initial, about, restart } = SETTINGS[key]
  const does = english(about)
  return [`\`${key}\``, shown(initial), restart ? `${does} At the next start.` : does]
}

/** What is set for each device; the compiler sees to it that none is left out. */
const DEVICE: Readonly<Record<keyof NewDevice, string>> = {
  aeTitle: 'Its calling AE title, compared without case.',
  address: 'Address or CIDR range it calls from; none is any.',
  name: 'What people call it.',
  modality: 'Modality (0008,0060) of rows that name none.',
  isEnabled: 'Off: it is not served.',
  characterSet: 'Specific Character Set of its answers; none: each row decides (section 5.6).',
  stationMode:
    '`echo`: a station that is asked for is taken as the device’s own; `strict`: another than its own matches nothing.',
  alwaysSendCharacterSet: 'Specific Character Set with rows in ASCII too.',
  daysBack: 'As `worklist.daysBack`, for this device.',
  daysForward: 'As `worklist.daysForward`, for this device.',
  maxRows: 'As `worklist.maxRows`, for this device.',
  port: 'TCP port the device itself listens at, for C-ECHO and the results of storage commitment.',
  profile: 'Whose published rules its rows are checked against (section 5.2.2).',
  hideStarted: 'Steps in progress are left out.',
  countsBytes: 'Lengths of PS3.5 Table 6.2-1 are bytes to it.',
  tls: '`optional`; `required`: only by TLS; `mutual`: and only with a certificate that is known.',
  certificate:
    'The certificate it shows; none: one that an authority of `dimse.tlsAuthorities` issued.',
  retrieval:
    '`none`; `query`: it may search studies (C-FIND); `retrieve`: it may also retrieve their images (C-MOVE, C-GET).',
}

export const deviceTable = (): string => {
  const initial = NewDevice.parse({ aeTitle: 'X' })
  return table(
    ['of a device', 'default', 'what it does'],
    (Object.keys(DEVICE) as (keyof NewDevice)[]).map((field) => [
      `\`${field}\``,
      field === 'aeTitle' ? '' : shown(initial[field]),
      DEVICE[field],
    ]),
  )
}

/** Ports an engineer has to let through. */
export const portTable = (): string =>
  table(
    ['port', 'for', 'setting'],
    [
      [String(SETTINGS['dimse.port'].initial), 'DICOM', '`dimse.port`'],
      [String(SETTINGS['dimse.tlsPort'].initial), 'DICOM TLS', '`dimse.tlsPort`'],
    ],
  )
