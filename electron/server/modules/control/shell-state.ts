import { bannersOf, type Situation } from '#server/modules/dashboard/banner.ts'
import { situationOf } from '#server/modules/dashboard/status.ts'
import { type DashboardTodayDeps, todayOf } from '#server/modules/dashboard/today.ts'
import type { Parts } from '#server/parts.ts'
import type { TodayItem } from '#shared/contract/dashboard-today.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { ShellAttention, ShellStatus, TrayState } from '#shared/contract/shell.ts'
import { idFromUuid } from '#shared/ids.ts'

export type ShellStateDeps = Omit<DashboardTodayDeps, 'ports'> &
  Parameters<typeof situationOf>[0] & { readonly version: string }

/**
 * Nobody: the tray is everybody's, so it tells what an owner would be told, and nothing that is one
 * person's.
 */
const WATCH: SignedInUser = {
  ...{
    userId: idFromUuid('usr', '00000000-0000-4000-8000-000000000000'),
    email: '',
    firstName: '',
    lastName: '',
  },
  ...{ level: 'owner', clinicRole: 'Other', canManageStudies: true, canCreateReports: true },
  ...{ hasDashboardAccess: true, lastLoginAt: null },
}

/**
 * How the gateway stands, for the tray and notifications of the desktop app (control command
 * `status`).
 */
export function shellState(deps: ShellStateDeps): () => Promise<ShellStatus> {
  const look = todayOf(deps)
  return async () => {
    const situation = situationOf(deps)
    const { items, numbers } = await look(WATCH)
    const pressing = items.filter(({ tone }) => tone !== 'info')
    return {
      version: deps.version,
      isSafe: situation.isSafe === true,
      tray: trayOf(situation, pressing),
      lines: bannersOf(situation).map(({ text }) => text),
      attention: attentionOf(pressing),
      openAssociations: numbers.devicesConnected,
      update: updateOf(deps.settings, situation.timeZone),
    }
  }
}

const updateOf = (settings: Parts['settings'], timeZone: string): ShellStatus['update'] => ({
  isAutomatic: settings.get('update.isAutomatic'),
  at: settings.get('update.at'),
  timeZone,
})

/** The gravest thing: where no device is served, the rest is no longer the question. */
function trayOf(
  { isSafe, listeners, partner }: Situation,
  pressing: readonly TodayItem[],
): TrayState {
  if (isSafe || listeners.some(({ isUp }) => !isUp)) return 'listener-down'
  if (partner.state === 'down' || partner.state === 'refusing') return 'partner-away'
  return pressing.some(({ tone }) => tone === 'danger') ? 'attention' : 'ok'
}

/** One of each kind. */
function attentionOf(pressing: readonly TodayItem[]): ShellAttention[] {
  const kinds = Map.groupBy(pressing, ({ kind }) => kind)
  return [...kinds].map(([kind, items]) => ({
    kind,
    count: items.reduce((sum, { count }) => sum + count, 0),
    since: items
      .map(({ since }) => since)
      .reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null),
  }))
}
