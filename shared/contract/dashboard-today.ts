import { z } from 'zod'
import { PERMISSIONS } from '../lifecycle.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant } from './conventions.ts'

/** What may need somebody; the order in which it matters to who keeps the gateway running. */
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

/** Something that needs a person. Nothing about a patient is in it. */
export const TodayItem = z.object({
  kind: TodayKind,
  tone: z.enum(['danger', 'warning', 'info']),
  /** 1 where there is nothing to count. */
  count: z.int(),
  /** There are more than `count`: counting stopped. */
  isMore: z.boolean(),
  /** Since when the oldest of it is so; null where nobody knows. */
  since: Instant.nullable(),
  /**
   * A sentence of the gateway about it, such as a listener's fault or a line of advice; null where
   * the kind says all.
   */
  detail: Message.nullable(),
  /** What it takes to do something about it; null: everybody can. */
  needs: z.enum(PERMISSIONS).nullable(),
  /** Whether the person who asks can. */
  mayAct: z.boolean(),
})
export type TodayItem = z.infer<typeof TodayItem>

/** A number that leads to its list. */
const Numbers = z.object({
  exams: z.int(),
  examsBegun: z.int(),
  examsCompleted: z.int(),
  queries: z.int(),
  imagesToday: z.int(),
  receiving: z.int(),
  /** Studies of the reading list that nobody has signed; counting stops at 1,000. */
  unread: z.object({ count: z.int(), isMore: z.boolean() }),
  signedToday: z.int(),
  devicesConnected: z.int(),
})
export type TodayNumbers = z.infer<typeof Numbers>

export const Today = z.object({
  /** What the person can do something about first, the gravest first in each part. */
  items: z.array(TodayItem),
  numbers: Numbers,
  at: Instant,
})
export type Today = z.infer<typeof Today>

export const dashboardToday = {
  today: operation('GET /dashboard/today', {
    access: 'signed-in',
    background: true,
    summary: 'What needs attention now, and the numbers of the day',
    reply: Today,
  }),
} as const
