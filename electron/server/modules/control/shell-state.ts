import type { Context } from '#server/context.ts'
import { type BannerState, bannersOf } from '#server/modules/dashboard/banner.ts'
import { type LiveState, situationOf } from '#server/modules/dashboard/status.ts'
import { todayOf } from '#server/modules/dashboard/today.ts'
import type { TodayItem } from '#shared/contract/dashboard-today.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { ShellAttention, ShellStatus, TrayState } from '#shared/contract/shell.ts'
import { idFromUuid } from '#shared/ids.ts'
import { englishText } from '#shared/messages/english.ts'

/**
 * A placeholder user with the permissions of an owner. The tray shows what any owner would see, and
 * nothing that is specific to one user.
 */
const TRAY_USER: SignedInUser = {
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
 * The state of the gateway for the tray and the notifications of the desktop app (the control
 * command `status`).
 */
export function shellState(
  context: Context,
  live: LiveState,
  version: string,
): () => Promise<ShellStatus> {
  const today = todayOf(context, live)
  return async () => {
    const situation = situationOf(context, live)
    const { items, numbers } = await today(TRAY_USER)
    const urgent = items.filter(({ tone }) => tone !== 'info')
    return {
      version,
      isSafe: situation.isSafe === true,
      tray: trayOf(situation, urgent),
      lines: bannersOf(situation).map(({ text }) => englishText(text)),
      attention: attentionOf(urgent),
      openAssociations: numbers.devicesConnected,
      update: updateOf(context, situation.timeZone),
    }
  }
}

const updateOf = (context: Context, timeZone: string): ShellStatus['update'] => ({
  isAutomatic: context.settings.get('update.isAutomatic'),
  at: context.settings.get('update.at'),
  timeZone,
})

/** The most severe state. A listener that is down outranks everything else. */
function trayOf(
  { isSafe, listeners, partner }: BannerState,
  urgent: readonly TodayItem[],
): TrayState {
  if (isSafe || listeners.some(({ isUp }) => !isUp)) return 'listener-down'
  if (partner.state === 'down' || partner.state === 'refusing') return 'partner-away'
  return urgent.some(({ tone }) => tone === 'danger') ? 'attention' : 'ok'
}

/** Groups the items by kind. */
function attentionOf(urgent: readonly TodayItem[]): ShellAttention[] {
  const kinds = Map.groupBy(urgent, ({ kind }) => kind)
  return [...kinds].map(([kind, items]) => ({
    kind,
    count: items.reduce((sum, { count }) => sum + count, 0),
    since: items
      .map(({ since }) => since)
      .reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null),
  }))
}
