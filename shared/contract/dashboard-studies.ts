import { z } from 'zod'
import { ExpressCustomerId, StudyId, UserId } from '../ids.ts'
import { REPORT_STUDY_STATUSES, VIEWER_STATUSES } from '../lifecycle.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Day, Instant, Outcome, Page, pageOf } from './conventions.ts'
import { IDENTITY_STATES } from './images.ts'
import { NamedUser } from './people.ts'
import { ExpressCustomerReference } from './references.ts'
import { ReportLock } from './reports.ts'
import { STUDY_AREAS } from './settings.ts'
import { Severity } from './values.ts'

const StudyStatus = z.enum([...VIEWER_STATUSES, ...REPORT_STUDY_STATUSES])
const one = <T extends z.ZodType>(item: T) =>
  z.preprocess(
    (given) => (given === undefined || Array.isArray(given) ? given : [given]),
    z.array(item).max(10).optional(),
  )

/**
 * A study of either area as a row of the window's lists. Who the patient is comes from the study,
 * else from its images.
 */
export const WindowStudy = z.object({
  area: z.enum(STUDY_AREAS),
  studyId: StudyId,
  studyInstanceUid: z.string(),
  studyDescription: z.string(),
  severity: Severity,
  status: StudyStatus,
  isCancelled: z.boolean(),
  /**
   * As the partner or DICOM has them; empty where nobody said. Days are of the clinic,
   * `YYYY-MM-DD`; times `HH:MM`.
   */
  patientName: z.string(),
  mrn: z.string(),
  dateOfBirth: z.string(),
  sex: z.enum(['', 'male', 'female', 'other']),
  age: z.string(),
  accessionNumber: z.string(),
  modalities: z.array(z.string()),
  scanDate: z.string(),
  scanTime: z.string(),
  facilityName: z.string(),
  assignedTo: NamedUser.nullable(),
  expressCustomer: ExpressCustomerReference.nullable(),
  /** Who made it: a partner by its key, a person at the window, or images that arrived. */
  madeBy: z.object({ kind: z.enum(['partner', 'person', 'images']), name: z.string() }),
  /** Who writes its report now. */
  lock: ReportLock.nullable(),
  /** Null: nothing of it was received here. */
  images: z
    .object({ instances: z.int(), expected: z.int().nullable(), isReceiving: z.boolean() })
    .nullable(),
  identity: z.enum(IDENTITY_STATES),
  /** Its images were made without an order. */
  isUnscheduled: z.boolean(),
  isCritical: z.boolean(),
  /**
   * When images that a signed report was read from were corrected; null where no addendum is
   * needed.
   */
  needsAddendumSince: Instant.nullable(),
  priors: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type WindowStudy = z.infer<typeof WindowStudy>

/** What narrows a list of studies; each is a chip of the screen. Absent does not narrow. */
export const StudyListFilter = z.object({
  /**
   * Contained in name, MRN, accession number, description, or what a UID begins with; each word for
   * itself, without case and accents.
   */
  search: z.string().trim().max(100).default(''),
  severity: one(Severity),
  status: one(StudyStatus),
  assignedTo: z.union([z.literal('me'), z.literal('nobody'), UserId]).optional(),
  expressCustomerId: z.union([z.literal('none'), ExpressCustomerId]).optional(),
  /** hide: those that are not cancelled; only: those that are. */
  cancelled: z.enum(['hide', 'only', 'all']).default('hide'),
  /** needed: images were corrected after the report was signed. */
  addendum: z.literal('needed').optional(),
  /** Days of the clinic on which the study came to be here, both included. */
  from: Day.optional(),
  to: Day.optional(),
})
export type StudyListFilter = z.output<typeof StudyListFilter>

/** A number of rows; counting stops where a person stops caring. */
export const BoundedCount = z.object({ count: z.int(), isMore: z.boolean() })
export type BoundedCount = z.infer<typeof BoundedCount>

/** Lists that views can be saved of. */
export const VIEWED_LISTS = ['studies', 'reading'] as const
export const SavedView = z.object({
  savedViewId: z.uuid(),
  list: z.enum(VIEWED_LISTS),
  area: z.enum(STUDY_AREAS),
  name: z.string(),
  filter: StudyListFilter,
  order: z.enum(['newest', 'priority']),
  /** Everybody sees it; only its owner and those who manage the gateway change it. */
  isShared: z.boolean(),
  owner: NamedUser,
})
export type SavedView = z.infer<typeof SavedView>
export const NewSavedView = SavedView.omit({ savedViewId: true, owner: true }).extend({
  name: z
    .string()
    .trim()
    .min(1, { error: fault('values.empty') })
    .max(40),
  isShared: z.boolean().default(false),
})
export type NewSavedView = z.output<typeof NewSavedView>

/** One thing that happened to a study, from the audit trail and the events. */
export const StudyMoment = z.object({
  at: Instant,
  /** Of the audit trail, such as `study.assign`, or the type of an event. */
  what: z.string(),
  who: z.string(),
  detail: z.json(),
  /** What an event led to. */
  effect: Message.nullable(),
  /** An event that can be opened, for who may. */
  eventId: z.string().nullable(),
})
export type StudyMoment = z.infer<typeof StudyMoment>

const area = z.object({ area: z.enum(STUDY_AREAS) })
const savedParams = z.object({ savedViewId: z.uuid() })

/**
 * Studies of both areas, as staff find them. What changes a study is the interface's own call
 * (`viewer`, `scribe`), made with the session of the window. The handlers limit a person to the
 * studies of their customers.
 */
export const dashboardStudies = {
  list: operation('GET /dashboard/studies', {
    access: 'signed-in',
    background: true,
    summary: 'Studies of an area, by what is typed and chosen',
    query: z.object({
      ...Page,
      ...area.shape,
      ...StudyListFilter.shape,
      /**
       * newest: the last made first; priority: stat, high, normal, and in each the oldest first.
       */
      order: z.enum(['newest', 'priority']).default('newest'),
    }),
    reply: pageOf('studies', WindowStudy),
  }),
  counts: operation('GET /dashboard/studies/counts', {
    access: 'signed-in',
    background: true,
    summary: 'How many studies a filter shows, and how many of what is searched for it hides',
    query: z.object({ ...area.shape, ...StudyListFilter.shape }),
    reply: z.object({ shown: BoundedCount, hidden: BoundedCount }),
  }),
  read: operation('GET /dashboard/studies/:studyId', {
    access: 'signed-in',
    background: true,
    summary: 'One study as a row, with what happened to it',
    params: z.object({ studyId: StudyId }),
    reply: z.object({ study: WindowStudy, moments: z.array(StudyMoment) }),
  }),
  savedViews: operation('GET /dashboard/saved-views', {
    access: 'signed-in',
    background: true,
    summary: 'My views and shared ones, each with its count',
    query: z.object({ list: z.enum(VIEWED_LISTS) }),
    reply: z.object({ savedViews: z.array(SavedView.extend({ shown: BoundedCount })) }),
  }),
  saveView: operation('POST /dashboard/saved-views', {
    access: 'signed-in',
    summary: 'Keep a filter under a name',
    body: NewSavedView,
    reply: SavedView,
    status: 201,
  }),
  changeView: operation('PATCH /dashboard/saved-views/:savedViewId', {
    access: 'signed-in',
    summary: 'Rename a view, or keep another filter under its name',
    params: savedParams,
    // Without the default: a view that is renamed stays shared.
    body: NewSavedView.omit({ list: true, area: true }).extend({ isShared: z.boolean() }).partial(),
    reply: SavedView,
  }),
  removeView: operation('DELETE /dashboard/saved-views/:savedViewId', {
    access: 'signed-in',
    summary: 'Forget a view',
    params: savedParams,
    reply: Outcome,
  }),
} as const
