import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { Devices } from '#server/modules/devices/devices.ts'
import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import type { SetupState, SetupStep } from '#shared/contract/dashboard-setup.ts'

export type SetupDevice = SetupState['devices'][number]
export type PartnerEvent = SetupState['partner']['events'][number]

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

/**
 * The events that the clinic's default endpoint gets, each with how its newest call ended: a test,
 * or in earnest.
 */
export function partnerHeard({ store }: Pick<DomainDeps, 'store'>): SetupState['partner'] {
  const endpoint = defaultEndpoint(store.database)
  if (!endpoint) return { url: null, endpointId: null, events: [] }
  const { url, endpointId } = endpoint
  return {
    url,
    endpointId,
    events: endpoint.events.map((type): PartnerEvent => {
      const newest = store.events.list({ type, show: 'all', endpointId, limit: 1 }).items[0]
      return {
        type,
        outcome: newest?.outcome ?? 'none',
        at: newest && newest.attempts > 0 ? newest.updatedAt : null,
      }
    }),
  }
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
