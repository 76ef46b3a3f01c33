import { Notification } from 'electron'
import type { ShellAttention, ShellStatus } from '#shared/contract/shell.ts'
import { NOTIFICATION_KINDS, type NotificationKind, type ShellTexts } from './texts.ts'

interface Rule {
  /** The page that a click opens. */
  readonly pagePath: string
  /** Shown only after the condition has lasted this long. */
  readonly delayMs: number
}

/** A gateway that has not answered for this long is considered down. */
const UNRESPONSIVE_MS = 2 * 60_000

const RULES: Readonly<Record<NotificationKind, Rule>> = {
  'stat-unread': { pagePath: '/reading?view=stat', delayMs: 0 },
  'criticals-escalated': { pagePath: '/reading/criticals', delayMs: 0 },
  criticals: { pagePath: '/reading/criticals', delayMs: 0 },
  // A restart of the partner's server or a brief network outage is not shown.
  'partner-away': { pagePath: '/partner', delayMs: 2 * 60_000 },
  'safe-mode': { pagePath: '/settings/readiness', delayMs: 0 },
  'listener-down': { pagePath: '/settings', delayMs: 0 },
  disk: { pagePath: '/images', delayMs: 0 },
  backup: { pagePath: '/settings/backups', delayMs: 0 },
}

/**
 * System notifications. Each kind is shown once until its condition ends, and again when its count
 * increases. They contain counts but no patient data, because they also appear on the lock screen.
 */
export function openNotifier(
  words: ShellTexts,
  open: (pagePath: string) => void,
  clock: () => number,
): { update(status: ShellStatus | undefined): void } {
  /** Last count shown for each kind. */
  const counts = new Map<NotificationKind, number>()
  /** When a condition was first seen, if the gateway does not report since when it exists. */
  const firstSeen = new Map<NotificationKind, number>()
  /** Kept referenced, because clicks on a garbage-collected notification are lost. */
  const shown = new Map<NotificationKind, Notification>()

  /** Since when the gateway has not answered. */
  let unresponsiveSince: number | undefined

  const isDue = (kind: NotificationKind, { since }: ShellAttention) => {
    if (!firstSeen.has(kind)) firstSeen.set(kind, clock())
    const startedAt = since === null ? (firstSeen.get(kind) ?? clock()) : Date.parse(since)
    return clock() - startedAt >= RULES[kind].delayMs
  }

  const show = (kind: NotificationKind, count: number) => {
    const { title, body } = words.notifications[kind]
    const notification = new Notification({ title, body: body(count) })
    notification.on('click', () => open(RULES[kind].pagePath))
    notification.on('close', () => shown.get(kind) === notification && shown.delete(kind))
    shown.get(kind)?.close()
    shown.set(kind, notification)
    notification.show()
  }

  return {
    update(status) {
      if (!Notification.isSupported()) return
      if (!status) {
        // Until the gateway answers, it is unknown whether the conditions shown have ended.
        unresponsiveSince ??= clock()
        if (clock() - unresponsiveSince < UNRESPONSIVE_MS || counts.has('listener-down')) return
        counts.set('listener-down', 1)
        return show('listener-down', 1)
      }
      unresponsiveSince = undefined
      for (const kind of NOTIFICATION_KINDS) {
        const attention = status.attention.find((one) => one.kind === kind && one.count > 0)
        if (!attention) {
          counts.delete(kind)
          firstSeen.delete(kind)
        } else if (attention.count <= (counts.get(kind) ?? 0)) {
          counts.set(kind, attention.count)
        } else if (isDue(kind, attention)) {
          counts.set(kind, attention.count)
          show(kind, attention.count)
        }
      }
    },
  }
}
