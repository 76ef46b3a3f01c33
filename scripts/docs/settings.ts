import { NewDevice } from '#shared/contract/devices.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import en from '#shared/messages/en.json' with { type: 'json' }
import { englishText } from '#shared/messages/english.ts'
import { schemaOptions } from '../../electron/server/modules/control/schema-options.ts'
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
  const does = englishText(about)
  return [`\`${key}\``, shown(initial), restart ? `${does} At the next start.` : does]
}

/** What is set for each device; the compiler sees to it that none is left out. */
const DEVICE: Readonly<Record<keyof NewDevice, string>> = {
  aeTitle: 'Calling AE title of the device, compared without regard to case.',
  address: 'Address or CIDR range from which the device connects; none: any address.',
  name: 'Name shown to the staff.',
  modality: 'Modality (0008,0060) sent in rows that have none.',
  isEnabled: 'Whether the device may connect.',
  characterSet:
    'Specific Character Set of its responses, one of those in section 5.6; none: chosen for each row.',
  stationMode:
    '`echo`, “Always this device’s own exams, whatever station it asks for”: any Scheduled Station AE Title in the query matches every row; `strict`, “Nothing for a station other than its own”: one other than the device’s own AE title matches nothing.',
  alwaysSendCharacterSet:
    'Whether Specific Character Set is also sent in rows that are entirely ASCII.',
  daysBack: 'As `worklist.daysBack`, for this device.',
  daysForward: 'As `worklist.daysForward`, for this device.',
  maxRows: 'As `worklist.maxRows`, for this device.',
  port: 'TCP port on which the device listens, for C-ECHO, C-MOVE and the results of storage commitment; none: it does not listen.',
  profile:
    '`standard`, `ge` or `philips`: console model whose published rules its rows are checked against (section 5.2.2).',
  hideStarted: 'Whether steps in progress are left out of responses.',
  countsBytes:
    'Whether the device counts the maximum lengths of PS3.5 Table 6.2-1 in bytes instead of characters.',
  tls: '`optional`, “Encrypted or unencrypted”; `required`, “Encrypted only”: only with TLS; `mutual`, “Encrypted, with the device’s certificate”: only with TLS and a known certificate.',
  certificate:
    'Its certificate; none: any certificate issued by an authority in `dimse.tlsAuthorities`.',
  retrieval:
    '`none`; `query`, “Search only (C-FIND)”; `retrieve`, “Search and retrieve images (C-FIND, C-MOVE, C-GET)”.',
}

export const deviceTable = (): string => {
  const initial = NewDevice.parse({ aeTitle: 'X' })
  // The options are derived from the schema, in its order.
  const { options } = schemaOptions(NewDevice)
  const fields = Object.keys(NewDevice.shape)
  const optionNames = Object.keys(options)
  const optionOf = (field: string): string => `--${optionNames[fields.indexOf(field)]}`
  const labels: Readonly<Record<string, string>> = en
  return table(
    ['property', 'field of the form', 'option', 'default', 'what it does'],
    (Object.keys(DEVICE) as (keyof NewDevice)[]).map((field) => [
      `\`${field}\``,
      labels[`ui.devices.form.${field}.label`] ?? '',
      `\`${optionOf(field)}\``,
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
