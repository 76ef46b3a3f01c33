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
  aeTitle: 'Its calling AE title, compared without regard to case.',
  address: 'Address or CIDR range that it connects from; none: any address.',
  name: 'Name for the staff.',
  modality: 'Modality (0008,0060) of rows without one.',
  isEnabled: 'Whether the device may connect.',
  characterSet: 'Specific Character Set of its responses; none: chosen for each row (section 5.6).',
  stationMode:
    '`echo`: a requested station AE title is treated as the device’s own; `strict`: any other than its own matches nothing.',
  alwaysSendCharacterSet: 'Whether rows in ASCII also have Specific Character Set.',
  daysBack: 'As `worklist.daysBack`, for this device.',
  daysForward: 'As `worklist.daysForward`, for this device.',
  maxRows: 'As `worklist.maxRows`, for this device.',
  port: 'TCP port on which the device listens, for C-ECHO and the results of storage commitment.',
  profile: 'Console model whose published rules its rows are checked against (section 5.2.2).',
  hideStarted: 'Whether steps in progress are hidden.',
  countsBytes: 'Whether the lengths of PS3.5 Table 6.2-1 count bytes.',
  tls: '`optional`; `required`: only with TLS; `mutual`: only with TLS and a known certificate.',
  certificate:
    'Its certificate; none: any certificate issued by an authority in `dimse.tlsAuthorities`.',
  retrieval:
    '`none`; `query`: may search studies (C-FIND); `retrieve`: may also retrieve images (C-MOVE, C-GET).',
}

export const deviceTable = (): string => {
  const initial = NewDevice.parse({ aeTitle: 'X' })
  return table(
    ['property', 'default', 'what it does'],
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
