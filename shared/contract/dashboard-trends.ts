import { z } from 'zod'
import { operation } from '../operation.ts'
import { Day, Instant } from './conventions.ts'

/** What waits for a system or a person elsewhere, in the order in which the window shows it. */
export const WAITING_QUEUES = [
  'reports',
  'report-copies',
  'forwards',
  'commitments',
  'enrichment',
  'captures',
  'mail',
] as const

/** A disk that will be full in fewer days is a task: time to buy one and to put it in. */
export const DISK_SOON_DAYS = 30

/** Requests to partners; tests and events that were not tried yet are left out. */
const PartnerRequests = z.object({
  requests: z.int(),
  /** Of them, those that no partner accepted, those that were not sent at all included. */
  failed: z.int(),
  /** Milliseconds of those that were sent; null where none was. */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
})

const Hour = z.object({
  /** When this hour of the clinic's clock began. */
  from: Instant,
  /** Images that arrived, and studies whose last image so far did. */
  images: z.int(),
  studies: z.int(),
  /** Worklist queries; null for an hour whose queries are no longer kept. */
  queries: z
    .object({
      answered: z.int(),
      /** Answered from the last good answer, since the partner gave none. */
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
  /** Since when the job that waited longest does; null where none waits. */
  since: Instant.nullable(),
})

const Disk = z.object({
  freeBytes: z.int(),
  totalBytes: z.int(),
  /** So much stays free: below it no images are accepted. */
  stopBytes: z.int(),
  /** Bytes received on each of at most 14 days before today, whole days only, the earliest first. */
  days: z.array(z.object({ day: Day, bytes: z.int() })),
  /** Whole days until no more images are accepted, at the rate of these days. */
  fullInDays: z.int().nullable(),
  /**
   * Why it cannot be told. few-days: fewer than three days; no-growth: nothing was received;
   * no-disk: the disk cannot be read.
   */
  unknownBecause: z.enum(['few-days', 'no-growth', 'no-disk']).nullable(),
})

/** Counts and times only: nothing about a patient is in it. */
export const Trends = z.object({
  /** The last 24 hours of the clinic's clock, the earliest first; the last one is not over yet. */
  hours: z.array(Hour),
  /** All of these hours together. */
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
    summary: 'The last 24 hours by the hour, what waits now, and when the disk will be full',
    reply: Trends,
  }),
} as const
