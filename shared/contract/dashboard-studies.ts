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
 * A study of either area as a row of the window's lists. The patient data is that of the study,
 * otherwise that of its images.
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
   * In the form of the partner or of DICOM; empty if unknown. Dates are in the clinic's time zone,
   * `YYYY-MM-DD`; times are `HH:MM`.
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
  /** The creator: a partner by its API key, a user of the window, or received images. */
  madeBy: z.object({ kind: z.enum(['partner', 'person', 'images']), name: z.string() }),
  /** The user who is writing its report now. */
  lock: ReportLock.nullable(),
  /** Null if no images were received here. */
  images: z
    .object({ instances: z.int(), expected: z.int().nullable(), isReceiving: z.boolean() })
    .nullable(),
  identity: z.enum(IDENTITY_STATES),
  /** Whether its images were made without an order. */
  isUnscheduled: z.boolean(),
  isCritical: z.boolean(),
  /**
   * When images were corrected after a report on them was signed; null if no addendum is needed.
   */
  needsAddendumSince: Instant.nullable(),
  priors: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type WindowStudy = z.infer<typeof WindowStudy>

/** Filters of a list of studies; each is a chip on the screen. Absent fields do not filter. */
export const StudyListFilter = z.object({
  /**
   * Search text: every word must occur in the name, MRN, accession number or description, or be the
   * start of a UID, ignoring case and accents.
   */
  search: z.string().trim().max(100).default(''),
  severity: one(Severity),
  status: one(StudyStatus),
  assignedTo: z.union([z.literal('me'), z.literal('nobody'), UserId]).optional(),
  expressCustomerId: z.union([z.literal('none'), ExpressCustomerId]).optional(),
  /** hide: exclude cancelled studies; only: only cancelled studies. */
  cancelled: z.enum(['hide', 'only', 'all']).default('hide'),
  /** needed: images were corrected after the report was signed. */
  addendum: z.literal('needed').optional(),
  /** Days in the clinic's time zone on which the study was created here, both inclusive. */
  from: Day.optional(),
  to: Day.optional(),
})
export type StudyListFilter = z.output<typeof StudyListFilter>

/** A count with an upper limit; `isMore` is set if the limit was reached. */
export const BoundedCount = z.object({ count: z.int(), isMore: z.boolean() })
export type BoundedCount = z.infer<typeof BoundedCount>

/** Lists for which views can be saved. */
export const VIEWED_LISTS = ['studies', 'reading'] as const
export const SavedView = z.object({
  savedViewId: z.uuid(),
  list: z.enum(VIEWED_LISTS),
  area: z.enum(STUDY_AREAS),
  name: z.string(),
  filter: StudyListFilter,
  order: z.enum(['newest', 'priority']),
  /** Whether everyone sees it; only its owner and users who manage the gateway can change it. */
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

/** An entry in the history of a study, from the audit log or the event log. */
export const StudyMoment = z.object({
  at: Instant,
  /** An audit action, such as `study.assign`, or the type of an event. */
  what: z.string(),
  who: z.string(),
  detail: z.json(),
  /** The effect of an event. */
  effect: Message.nullable(),
  /** ID of the event, if the user may open it. */
  eventId: z.string().nullable(),
})
export type StudyMoment = z.infer<typeof StudyMoment>

/** Users in one answer; those with other names are found by search. */
export const MAX_ASSIGNEES = 100

const area = z.object({ area: z.enum(STUDY_AREAS) })
const savedParams = z.object({ savedViewId: z.uuid() })

/**
 * Studies of both areas in the window. Changes use the calls of the interface (`viewer`, `scribe`),
 * with the session of the window. The handlers limit users to the studies of their customers.
 */
export const dashboardStudies = {
  list: operation('GET /dashboard/studies', {
    access: 'signed-in',
    background: true,
    summary: 'Studies of an area, by search text and filters',
    query: z.object({
      ...Page,
      ...area.shape,
      ...StudyListFilter.shape,
      /**
       * newest: newest first; priority: by severity (STAT, high, normal), and oldest first within
       * each.
       */
      order: z.enum(['newest', 'priority']).default('newest'),
    }),
    reply: pageOf('studies', WindowStudy),
  }),
  counts: operation('GET /dashboard/studies/counts', {
    access: 'signed-in',
    background: true,
    summary: 'Numbers of search results that a filter shows and hides',
    query: z.object({ ...area.shape, ...StudyListFilter.shape }),
    reply: z.object({ shown: BoundedCount, hidden: BoundedCount }),
  }),
  read: operation('GET /dashboard/studies/:studyId', {
    access: 'signed-in',
    background: true,
    summary: 'A study as a row, with its history',
    params: z.object({ studyId: StudyId }),
    reply: z.object({ study: WindowStudy, moments: z.array(StudyMoment) }),
  }),
  assignees: operation('GET /dashboard/studies/assignees', {
    access: 'signed-in',
    summary:
      'Users that a study of the area can be assigned to, by name; for users who manage studies',
    query: z.object({
      ...area.shape,
      /** Every word must occur in the name, ignoring case and accents. */
      search: z.string().trim().max(100).default(''),
    }),
    reply: z.object({ assignees: z.array(NamedUser).max(MAX_ASSIGNEES) }),
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
    summary: 'Save a filter under a name',
    body: NewSavedView,
    reply: SavedView,
    status: 201,
  }),
  changeView: operation('PATCH /dashboard/saved-views/:savedViewId', {
    access: 'signed-in',
    summary: 'Rename a view, or change its filter',
    params: savedParams,
    // Without the default, so that renaming a view does not change whether it is shared.
    body: NewSavedView.omit({ list: true, area: true }).extend({ isShared: z.boolean() }).partial(),
    reply: SavedView,
  }),
  removeView: operation('DELETE /dashboard/saved-views/:savedViewId', {
    access: 'signed-in',
    summary: 'Delete a saved view',
    params: savedParams,
    reply: Outcome,
  }),
} as const
