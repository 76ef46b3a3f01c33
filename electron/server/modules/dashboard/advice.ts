import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import type { SettingValues } from '#server/modules/settings/setting-queries.ts'
import { workstationsAsking } from '#server/modules/users/workstation-queries.ts'
import type { Certificate, Status } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { DashboardDeps } from './deps.ts'

/** What advice is drawn from. */
export interface Condition {
  readonly settings: Pick<
    SettingValues,
    'http.publicUrl' | 'http.host' | 'dimse.allowUnknownDevices' | 'commitment.isOn'
  >
  /** Settings whose stored value cannot be read; their initial value stands in. */
  readonly unreadableSettings: readonly string[]
  readonly hasPartner: boolean
  readonly devices: readonly Pick<Device, 'isEnabled' | 'port' | 'tls'>[]
  readonly unknownCallers: number
  /** PCs that ask to open the window. */
  readonly workstationsAsking?: number
  readonly hasTlsListener: boolean
  readonly images: Pick<Status['images'], 'quarantined' | 'mismatches'>
  readonly forwards: Pick<Status['forwards'], 'failed'>
  readonly certificates: readonly Pick<Certificate, 'use' | 'isInUse' | 'daysLeft'>[]
}

const EXPIRY_DAYS = 30
const enabled = ({ devices }: Condition) => devices.filter(({ isEnabled }) => isEnabled)
const onlyByTls = (condition: Condition) =>
  enabled(condition).filter(({ tls }) => tls !== 'optional')
const expiring = ({ certificates }: Condition) =>
  certificates.filter(({ isInUse, daysLeft }) => isInUse && daysLeft < EXPIRY_DAYS)

const CERTIFICATES = {
  https: 'of the window and the interface',
  'dicom-tls': 'of DICOM TLS',
} as const satisfies Record<Certificate['use'], string>
const counted = (count: number, one: string, many: string) =>
  count === 1 ? one : `${count} ${many}`

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

// Gravest first: what stops worklists, what opens a door, what is merely unset.
const ADVICE: readonly {
  readonly applies: (condition: Condition) => boolean
  readonly text: (condition: Condition) => string
  /** It has an item of its own on Today. */
  readonly isItem?: true
}[] = [
  {
    applies: ({ unreadableSettings }) => unreadableSettings.length > 0,
    text: ({ unreadableSettings }) =>
      `These settings could not be read and have their first value; set them again: ${unreadableSettings.join(', ')}.`,
  },
  {
    isItem: true,
    applies: ({ hasPartner }) => !hasPartner,
    text: () => 'No partner is set, so every worklist is refused. Enter its address under Partner.',
  },
  {
    applies: ({ devices, unknownCallers }) => devices.length === 0 && unknownCallers === 0,
    text: () =>
      'No device is known. Add one under Devices, or let it call once and approve it there.',
  },
  {
    applies: (condition) => condition.devices.length > 0 && enabled(condition).length === 0,
    text: () =>
      'Every device is switched off, so every device is rejected. Switch one on under Devices.',
  },
  {
    applies: (condition) => !condition.hasTlsListener && onlyByTls(condition).length > 0,
    text: (condition) =>
      `${counted(onlyByTls(condition).length, 'A device', 'devices')} may call by TLS only, but DICOM TLS is off: set dimse.tlsPort under Settings and start again.`,
  },
  {
    isItem: true,
    applies: (condition) => expiring(condition).length > 0,
    text: (condition) =>
      expiring(condition)
        .map(({ use, daysLeft }) => {
          const when =
            daysLeft < 0 ? 'has ended' : `ends in ${counted(daysLeft, 'one day', 'days')}`
          return `The certificate ${CERTIFICATES[use]} ${when}. Renew it under Settings, and give the new one to who trusts the old one.`
        })
        .join(' '),
  },
  {
    isItem: true,
    applies: ({ images }) => images.mismatches > 0,
    text: ({ images }) =>
      images.mismatches === 1
        ? 'The images of a study name another patient or order than its worklist row or the study. Compare them under Images.'
        : `The images of ${images.mismatches} studies name another patient or order than their worklist rows or the studies. Compare them under Images.`,
  },
  {
    isItem: true,
    applies: ({ images }) => images.quarantined > 0,
    text: ({ images }) =>
      images.quarantined === 1
        ? 'An image was set aside and waits for a decision. Release or discard it under Images.'
        : `${images.quarantined} images were set aside and wait for a decision. Release or discard them under Images.`,
  },
  {
    isItem: true,
    applies: ({ forwards }) => forwards.failed > 0,
    text: ({ forwards }) =>
      forwards.failed === 1
        ? 'An image could not be sent to its destination and was given up. Send it again or drop it under Destinations.'
        : `${forwards.failed} images could not be sent to their destinations and were given up. Send them again or drop them under Destinations.`,
  },
  {
    applies: (condition) =>
      condition.settings['commitment.isOn'] &&
      enabled(condition).every(({ port }) => port === null),
    text: () =>
      'Storage commitment is on, but no device has a port to send its results to. Enter the port each device listens at under Devices.',
  },
  {
    isItem: true,
    applies: ({ unknownCallers }) => unknownCallers > 0,
    text: ({ unknownCallers }) =>
      unknownCallers === 1
        ? 'An unknown device has called. Approve or dismiss it under Devices.'
        : `${unknownCallers} unknown devices have called. Approve or dismiss them under Devices.`,
  },
  {
    isItem: true,
    applies: ({ workstationsAsking = 0 }) => workstationsAsking > 0,
    text: ({ workstationsAsking = 0 }) =>
      workstationsAsking === 1
        ? 'A workstation asks to open the window. Approve or refuse it under Settings, Access from other PCs.'
        : `${workstationsAsking} workstations ask to open the window. Approve or refuse them under Settings, Access from other PCs.`,
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
    text: () =>
      'Links given to the partner point to this PC only. Set the public URL under Settings if the partner is to open them.',
  },
]

/**
 * What an administrator should mend, gravest first; `without-items` leaves out what Today tells by
 * itself.
 */
export const adviceFor = (condition: Condition, which: 'all' | 'without-items' = 'all'): string[] =>
  ADVICE.filter(({ applies, isItem }) => applies(condition) && (which === 'all' || !isItem)).map(
    ({ text }) => text(condition),
  )

/** The condition as it is now. */
export function conditionOf({
  store,
  settings,
  devices,
  listeners,
  ...found
}: Pick<DashboardDeps, 'store' | 'settings' | 'devices'> &
  Pick<Condition, 'images' | 'forwards' | 'certificates' | 'unknownCallers'> &
  Pick<Status, 'listeners'>): Condition {
  const { images, forwards, certificates, unknownCallers } = found
  return {
    settings: settings.all(),
    unreadableSettings: store.settings.unreadable(),
    hasPartner: defaultEndpoint(store.database) !== undefined,
    devices: devices.list(),
    workstationsAsking: workstationsAsking(store.database),
    hasTlsListener: listeners.some(({ name }) => name === 'dimse-tls'),
    ...{ images, forwards, certificates, unknownCallers },
  }
}
