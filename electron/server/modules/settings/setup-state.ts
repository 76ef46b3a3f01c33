import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { Devices } from '#server/modules/devices/devices.ts'
import type { SetupState, SetupStep } from '#shared/contract/dashboard-setup.ts'

export type SetupDevice = SetupState['devices'][number]

/** Devices in the wizard; a clinic with more of them is past it. */
const MOST_DEVICES = 20
/** Queries looked through for one of the device itself. */
const LATEST = 20

/**
 * Known devices, the one last heard of first, each with the last worklist query that it made
 * itself.
 */
export function devicesHeard({
  store,
  devices,
}: Pick<DomainDeps, 'store'> & { readonly devices: Pick<Devices, 'list'> }): SetupDevice[] {
  const byLast = devices
    .list()
    .sort((a, b) => (b.lastSeenAt ?? '').localeCompare(a.lastSeenAt ?? ''))
  return byLast.slice(0, MOST_DEVICES).map(({ deviceId, aeTitle, name, lastSeenAt }) => {
    const { items } = store.inspections.list({ aeTitle, outcome: 'all', limit: LATEST })
    const found = items.find(({ origin }) => origin === 'device')
    const asked = found
      ? {
          at: found.at,
          exams: found.sent,
          status: found.status,
          sentence: found.sentence,
          inspectionId: found.inspectionId,
        }
      : null
    return { deviceId, aeTitle, name, lastSeenAt, asked }
  })
}

/** What a step is for, read off what is there: nothing is ticked by hand. */
const IS_DONE: Readonly<Record<SetupStep, (state: Facts) => boolean>> = {
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

type Facts = Omit<SetupState, 'done'> & {
  readonly hasOwner: boolean
  /** Devices of the clinic's network find a listener that is up. */
  readonly isReachable: boolean
}

export const stepsDone = (facts: Facts): SetupStep[] =>
  (Object.keys(IS_DONE) as SetupStep[]).filter((step) => IS_DONE[step](facts))
