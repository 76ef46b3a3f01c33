import { z } from 'zod'
import { operation } from '../operation.ts'
import { Day, Instant } from './conventions.ts'

/** Queues for other systems or staff, in display order. */
export const WAITING_QUEUES = [
  'reports',
  'report-copies',
  'forwards',
  'commitments',
  'enrichment',
  'captures',
  'mail',
] as const

/**
 * If the disk is forecast to be full in fewer days, a task is shown, to leave time for a
 * replacement.
 */
export const DISK_WARNING_DAYS = 30

/** Requests to partners, without tests and without events that have not been attempted. */
const PartnerRequests = z.object({
  requests: z.int(),
  /** The requests that no partner accepted, including those that could not be sent. */
  failed: z.int(),
  /** Response time of the requests sent, in milliseconds; null if none was sent. */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
})

const Hour = z.object({
  /** Start of the hour in the clinic's time zone. */
  from: Instant,
  /** Images received, and studies whose most recent image was received in this hour. */
  images: z.int(),
  studies: z.int(),
  /** Worklist queries; null for an hour whose queries are no longer kept. */
  queries: z
    .object({
      answered: z.int(),
      /** Answered from the last valid answer, because the partner did not answer. */
      stored: z.int(),
      failed: z.int(),
    })
    .nullable(),
  partner: PartnerRequests,
})
export type TrendHour = z.infer<typeof Hour>

const Queue = z.object({
  queue: z.enum(WAITING_QUEUES),
  waiting: z.int(),
  /** Since when the oldest job has been waiting; null if none is. */
  since: Instant.nullable(),
})

const Disk = z.object({
  freeBytes: z.int(),
  totalBytes: z.int(),
  /** Reserved space in bytes; below it no images are accepted. */
  stopBytes: z.int(),
  /** Bytes received per day, for at most 14 full days before today, oldest first. */
  days: z.array(z.object({ day: Day, bytes: z.int() })),
  /** Full days until images are no longer accepted, at the current rate and with the active rules. */
  fullInDays: z.int().nullable(),
  /**
   * Why there is no forecast. few-days: fewer than three days; no-growth: nothing was received;
   * no-disk: the disk cannot be read.
   */
  unknownBecause: z.enum(['few-days', 'no-growth', 'no-disk']).nullable(),
})

/** Contains counts and times only, no patient data. */
export const Trends = z.object({
  /**
   * The last 24 hours in the clinic's time zone, oldest first; the last one is still in progress.
   */
  hours: z.array(Hour),
  /** Totals of these hours. */
  partner: PartnerRequests,
  queues: z.array(Queue),
  disk: Disk,
  at: Instant,
})
export type Trends = z.infer<typeof Trends>

export const dashboardTrends = {
  trends: operation('GET /dashboard/trends', {
    access: 'signed-in',
    background: true,
    summary: 'The last 24 hours by hour, the current queues, and when the disk will be full',
    reply: Trends,
  }),
} as const
