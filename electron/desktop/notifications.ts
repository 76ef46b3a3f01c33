import { Notification } from 'electron'
import type { ShellAttention, ShellStatus } from '#shared/contract/shell.ts'
import { NOTIFIED, type Notified, type ShellWords } from './words.ts'

interface Rule {
  /** Where a click leads. */
  readonly place: string
  /** It is shown when it has been so for this long. */
  readonly afterMs: number
}

/** A gateway that has not answered for this long is taken to be down. */
const SILENT_MS = 2 * 60_000

const RULES: Readonly<Record<Notified, Rule>> = {
  'stat-unread': { place: '/reading?view=stat', afterMs: 0 },
  'criticals-escalated': { place: '/reading/criticals', afterMs: 0 },
  criticals: { place: '/reading/criticals', afterMs: 0 },
  // A restart of the partner's server or a short loss of the line is not shown.
  'partner-away': { place: '/partner', afterMs: 2 * 60_000 },
  'safe-mode': { place: '/settings/readiness', afterMs: 0 },
  'listener-down': { place: '/settings', afterMs: 0 },
  disk: { place: '/images', afterMs: 0 },
  backup: { place: '/settings/backups', afterMs: 0 },
}

/**
 * Notifications of the system: each kind once until it has gone away, and again where there is more
 * of it. They name counts and never a patient, since they also appear on a locked screen.
 */
export function openNotifier(
  words: ShellWords,
  open: (place: string) => void,
  clock: () => number,
): { update(status: ShellStatus | undefined): void } {
  /** The count of each kind that was shown last. */
  const counts = new Map<Notified, number>()
  /** When it was first seen, where the gateway does not know since when it is. */
  const seen = new Map<Notified, number>()
  /** Kept: one that nothing refers to is collected, and a click on it is lost. */
  const shown = new Map<Notified, Notification>()

  /** Since when the gateway does not answer. */
  let silentSince: number | undefined

  const isDue = (kind: Notified, { since }: ShellAttention) => {
    if (!seen.has(kind)) seen.set(kind, clock())
    const began = since === null ? (seen.get(kind) ?? clock()) : Date.parse(since)
    return clock() - began >= RULES[kind].afterMs
  }

  const show = (kind: Notified, count: number) => {
    const { title, body } = words.notifications[kind]
    const notification = new Notification({ title, body: body(count) })
    notification.on('click', () => open(RULES[kind].place))
    notification.on('close', () => shown.get(kind) === notification && shown.delete(kind))
    shown.get(kind)?.close()
    shown.set(kind, notification)
    notification.show()
  }

  return {
    update(status) {
      if (!Notification.isSupported()) return
      if (!status) {
        // Whether what was shown has gone away is not known.
        silentSince ??= clock()
        if (clock() - silentSince < SILENT_MS || counts.has('listener-down')) return
        counts.set('listener-down', 1)
        return show('listener-down', 1)
      }
      silentSince = undefined
      for (const kind of NOTIFIED) {
        const attention = status.attention.find((one) => one.kind === kind && one.count > 0)
        if (!attention) {
          counts.delete(kind)
          seen.delete(kind)
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
