import type { SettingValues } from '#server/configuration/setting-queries.ts'
import type { Context } from '#server/context.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import { countPendingWorkstations } from '#server/modules/users/workstation-queries.ts'
import type { Certificate, Status } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'

/** The state of the gateway from which advice is derived. */
export interface Condition {
  readonly settings: Pick<
    SettingValues,
    'http.publicUrl' | 'http.host' | 'dimse.allowUnknownDevices' | 'commitment.isOn'
  >
  /** Settings whose stored value is invalid, so that the default is used. */
  readonly unreadableSettings: readonly string[]
  readonly hasPartner: boolean
  readonly devices: readonly Pick<Device, 'isEnabled' | 'port' | 'tls'>[]
  readonly unknownCallers: number
  /** Number of PCs that have requested access to the window. */
  readonly pendingWorkstationCount?: number
  readonly hasTlsListener: boolean
  readonly images: Pick<Status['images'], 'quarantined' | 'mismatches'>
  readonly forwards: Pick<Status['forwards'], 'failed'>
  readonly certificates: readonly Pick<Certificate, 'use' | 'isInUse' | 'daysLeft'>[]
}

const EXPIRY_DAYS = 30
const enabledDevices = ({ devices }: Condition) => devices.filter(({ isEnabled }) => isEnabled)
const devicesRequiringTls = (condition: Condition) =>
  enabledDevices(condition).filter(({ tls }) => tls !== 'optional')
const expiringCertificates = ({ certificates }: Condition) =>
  certificates.filter(({ isInUse, daysLeft }) => isInUse && daysLeft < EXPIRY_DAYS)

const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost']

// Most severe first: what affects worklists, then what affects security, then what is not
// configured.
const ADVICE: readonly {
  readonly applies: (condition: Condition) => boolean
  readonly text: (condition: Condition) => Message
  /** Whether Today has a separate item for it. */
  readonly isItem?: true
}[] = [
  {
    applies: ({ unreadableSettings }) => unreadableSettings.length > 0,
    text: ({ unreadableSettings: settings }) =>
      message('dashboard.settings-unreadable', { settings }),
  },
  {
    isItem: true,
    applies: ({ hasPartner }) => !hasPartner,
    text: () => message('dashboard.no-partner'),
  },
  {
    applies: ({ devices, unknownCallers }) => devices.length === 0 && unknownCallers === 0,
    text: () => message('dashboard.no-device'),
  },
  {
    applies: (condition) => condition.devices.length > 0 && enabledDevices(condition).length === 0,
    text: () => message('dashboard.devices-off'),
  },
  {
    applies: (condition) => !condition.hasTlsListener && devicesRequiringTls(condition).length > 0,
    text: (condition) =>
      message('dashboard.tls-off', { count: devicesRequiringTls(condition).length }),
  },
  {
    isItem: true,
    applies: (condition) => expiringCertificates(condition).length > 0,
    text: (condition) =>
      expiringCertificates(condition)
        .map(({ use, daysLeft: days }) =>
          days < 0
            ? message('dashboard.certificate-ended', { use })
            : message('dashboard.certificate-ends', { use, days }),
        )
        .reduce((before, next) => sentences(before, next)),
  },
  {
    isItem: true,
    applies: ({ images }) => images.mismatches > 0,
    text: ({ images }) => message('dashboard.mismatches', { count: images.mismatches }),
  },
  {
    isItem: true,
    applies: ({ images }) => images.quarantined > 0,
    text: ({ images }) => message('dashboard.quarantined', { count: images.quarantined }),
  },
  {
    isItem: true,
    applies: ({ forwards }) => forwards.failed > 0,
    text: ({ forwards }) => message('dashboard.forwards-failed', { count: forwards.failed }),
  },
  {
    applies: (condition) =>
      condition.settings['commitment.isOn'] &&
      enabledDevices(condition).every(({ port }) => port === null),
    text: () => message('dashboard.no-commitment-port'),
  },
  {
    isItem: true,
    applies: ({ unknownCallers }) => unknownCallers > 0,
    text: ({ unknownCallers: count }) => message('dashboard.unknown-callers', { count }),
  },
  {
    isItem: true,
    applies: ({ pendingWorkstationCount: countPendingWorkstations = 0 }) =>
      countPendingWorkstations > 0,
    text: ({ pendingWorkstationCount: count = 0 }) =>
      message('dashboard.workstations-asking', { count }),
  },
  {
    applies: ({ settings }) => settings['dimse.allowUnknownDevices'],
    text: () => message('dashboard.any-device'),
  },
  {
    applies: ({ settings }) => !LOOPBACK_HOSTS.includes(settings['http.host']),
    text: () => message('dashboard.open-without-encryption'),
  },
  {
    applies: ({ settings }) => settings['http.publicUrl'] === null,
    text: () => message('dashboard.no-public-url'),
  },
]

/**
 * Advice for an administrator, most severe first. `without-items` omits advice that has an item of
 * its own on Today.
 */
export const adviceFor = (
  condition: Condition,
  which: 'all' | 'without-items' = 'all',
): Message[] =>
  ADVICE.filter(({ applies, isItem }) => applies(condition) && (which === 'all' || !isItem)).map(
    ({ text }) => text(condition),
  )

/** Reads the current state from the settings and the database. */
export function conditionOf(
  context: Context,
  {
    listeners,
    ...found
  }: Pick<Condition, 'images' | 'forwards' | 'certificates' | 'unknownCallers'> &
    Pick<Status, 'listeners'>,
): Condition {
  const { images, forwards, certificates, unknownCallers } = found
  return {
    settings: context.settings.all(),
    unreadableSettings: context.settings.unreadable(),
    hasPartner: defaultEndpoint(context.database) !== undefined,
    devices: listDevices(context.database),
    pendingWorkstationCount: countPendingWorkstations(context.database),
    hasTlsListener: listeners.some(({ name }) => name === 'dimse-tls'),
    ...{ images, forwards, certificates, unknownCallers },
  }
}
