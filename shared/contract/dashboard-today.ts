import { z } from 'zod'
import { PERMISSIONS } from '../lifecycle.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant } from './conventions.ts'

/** Kinds of items that may need attention, in order of their importance for running the gateway. */
export const TODAY_KINDS = [
  'safe-mode',
  'listener-down',
  'disk',
  'partner-away',
  'partner-unset',
  'audit-broken',
  'audit-anchor',
  'audit-collector',
  'backup',
  'rehearsal',
  'standby',
  'setup',
  'recovered',
  'mismatches',
  'correction-notices',
  'images-replaced',
  'criticals-escalated',
  'criticals',
  'addenda-needed',
  'stat-unread',
  'reports-undelivered',
  'endpoints-off',
  'downtime',
  'quarantined',
  'forwards-failed',
  'unknown-callers',
  'workstations',
  'exams-overdue',
  'images-unplanned',
  'exams-withheld',
  'my-drafts',
  'addenda',
  'studies-waiting',
  'events-failed',
  'second-factor',
  'escalation-mail-failing',
  'mail-failing',
  'invitations-pending',
  'certificate',
  'advice',
] as const
export const TodayKind = z.enum(TODAY_KINDS)
export type TodayKind = z.infer<typeof TodayKind>

/** An item that needs attention, without patient data. */
export const TodayItem = z.object({
  kind: TodayKind,
  tone: z.enum(['danger', 'warning', 'info']),
  /** 1 if there is nothing to count. */
  count: z.int(),
  /** Whether there are more than `count`, because counting stopped. */
  isMore: z.boolean(),
  /** Since when the oldest item exists; null if unknown. */
  since: Instant.nullable(),
  /** A detail, such as the error of a listener; null if the kind is sufficient. */
  detail: Message.nullable(),
  /** The permission needed to act on it; null if every user can. */
  needs: z.enum(PERMISSIONS).nullable(),
  /** Whether the current user has that permission. */
  mayAct: z.boolean(),
})
export type TodayItem = z.infer<typeof TodayItem>

/** Numbers, each of which links to a list. */
const Numbers = z.object({
  exams: z.int(),
  examsBegun: z.int(),
  examsCompleted: z.int(),
  queries: z.int(),
  imagesToday: z.int(),
  receiving: z.int(),
  /** Unsigned studies in the reading list; counting stops at 1,000. */
  unread: z.object({ count: z.int(), isMore: z.boolean() }),
  signedToday: z.int(),
  devicesConnected: z.int(),
})
export type TodayNumbers = z.infer<typeof Numbers>

export const Today = z.object({
  /** Items that the user can act on first, most serious first in each group. */
  items: z.array(TodayItem),
  numbers: Numbers,
  at: Instant,
})
export type Today = z.infer<typeof Today>

export const dashboardToday = {
  today: operation('GET /dashboard/today', {
    access: 'signed-in',
    background: true,
    summary: 'Items that need attention now, and the numbers of the day',
    reply: Today,
  }),
} as const
