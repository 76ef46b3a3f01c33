import type { Context } from '#server/context.ts'
import { recoveryKeyState } from '#server/database/recovery-key.ts'
import { recentDevices } from '#server/modules/diagnostics/readiness.ts'
import { defaultEndpointStatus } from '#server/modules/events/meter.ts'
import { hasUser } from '#server/modules/users/people.ts'
import { timeZoneOf } from '#server/platform/clinic-day.ts'
import { isLoopback, lanAddresses } from '#server/platform/network-interfaces.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { BackupState, SetupState, SetupStep } from '#shared/contract/dashboard-setup.ts'

/**
 * Whether each step is done. This follows from the state of the gateway; users do not mark steps as
 * done.
 */
const STEP_DONE_CHECKS: Readonly<Record<SetupStep, (state: SetupFacts) => boolean>> = {
  clinic: ({ clinic }) => clinic.name !== '' && clinic.timeZone !== 'local',
  owner: ({ hasOwner }) => hasOwner,
  recovery: ({ recovery }) => recovery.state === 'ready',
  network: ({ isReachable }) => isReachable,
  device: ({ devices }) => devices.some(({ asked }) => asked?.status === '0000'),
  partner: ({ partner }) =>
    partner.events.some(
      ({ type, outcome }) => type === 'modality_worklist.requested' && outcome === 'accepted',
    ),
  backup: ({ backup }) => backup.backups.length > 0,
  readiness: ({ isDone }) => isDone,
}

type SetupFacts = Omit<SetupState, 'done'> & {
  readonly hasOwner: boolean
  /** Devices in the clinic's network can connect to a DICOM listener. */
  readonly isReachable: boolean
}

const completedSteps = (facts: SetupFacts): SetupStep[] =>
  (Object.keys(STEP_DONE_CHECKS) as SetupStep[]).filter((step) => STEP_DONE_CHECKS[step](facts))

/** The state that the first-run wizard shows. */
export function setupState(
  context: Context,
  listeners: Status['listeners'],
  backup: BackupState,
): SetupState {
  const timeZone = context.settings.get('clinic.timeZone')
  const activeListeners = listeners.filter(({ isUp }) => isUp)
  const portOf = (name: string) => {
    const address = activeListeners.find((one) => one.name === name)?.address
    return address === undefined ? undefined : Number(address.slice(address.lastIndexOf(':') + 1))
  }
  const host = context.settings.get('dimse.host')
  const state: Omit<SetupState, 'done'> = {
    isDone: context.settings.get('setup.isDone'),
    clinic: {
      name: context.settings.get('clinic.name'),
      timeZone,
      ofThisPc: timeZoneOf('local'),
    },
    recovery: recoveryKeyState(context.folder, context.database.seal),
    dicom: {
      aeTitle: context.settings.get('dimse.aeTitle'),
      port: portOf('dimse') ?? context.settings.get('dimse.port'),
      tlsPort: portOf('dimse-tls') ?? null,
      addresses: lanAddresses(host),
    },
    devices: recentDevices(context),
    partner: defaultEndpointStatus(context.database),
    backup,
  }
  const isReachable =
    portOf('dimse') !== undefined &&
    !isLoopback(host) &&
    state.dicom.addresses.some(({ kind }) => kind === 'network')
  return { ...state, done: completedSteps({ ...state, hasOwner: hasUser(context), isReachable }) }
}
