import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { identityOf } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import type { Schedule } from '#server/modules/worklist/schedule.ts'
import {
  addDays,
  clinicDay,
  daysBetween,
  startOfDay,
  timeZoneOf,
} from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import {
  MAX_RECONCILED_DAYS,
  MAX_RECONCILED_EXAMS,
  type OpenOrder,
  type OrderCandidate,
  type Reconciliation,
  type UnscheduledExam,
} from '#shared/contract/reconciliation.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { decisionOf } from './decisions.ts'
import { type MatchInput, matchInputOf, mostLikelyOrders } from './order-match.ts'
import { type Order, ordersOn, previewLink } from './orders.ts'
import {
  findLastWorklistFaultAt,
  hadWorklistFault,
  listReconciliations,
  listUnscheduledStudies,
  type ReconciliationRecord,
} from './reconciliation-queries.ts'

type IsVisible = (studyInstanceUid: string) => boolean

const MAX_CANDIDATES = 5
/** How many days back an outage is searched for; a longer one is truncated. */
const MAX_OUTAGE_DAYS = 7

const todayOf = ({ clock, settings }: Context) =>
  clinicDay(clock(), timeZoneOf(settings.get('clinic.timeZone')))
/** The instant at which a day starts in the clinic. */
const startOf = ({ settings }: Context, day: string) =>
  instantOf(startOfDay(day, timeZoneOf(settings.get('clinic.timeZone'))))

/**
 * The first day that `readReconciliation` covers by default: the first day of the last outage of
 * the partner, otherwise today.
 */
export const firstReconciledDay = (context: Context): string =>
  lastOutage(context)?.from ?? todayOf(context)

/** The last consecutive days on which a request to the partner failed. */
function lastOutage(context: Context): { readonly from: string; readonly to: string } | null {
  const hadFault = (day: string) =>
    hadWorklistFault(context.database, startOf(context, day), startOf(context, addDays(day, 1)))
  const today = todayOf(context)
  const earliest = addDays(today, 1 - MAX_OUTAGE_DAYS)
  let to = today
  while (to >= earliest && !hadFault(to)) to = addDays(to, -1)
  if (to < earliest) return null
  let from = to
  while (from > earliest && hadFault(addDays(from, -1))) from = addDays(from, -1)
  return { from, to }
}

/**
 * Compares the exams with the orders of a range of days, by default since the last outage of the
 * partner (decision 0032).
 * @throws ApiError refused: the range is too long, or ends before it starts
 */
export async function readReconciliation(
  context: Context,
  schedule: Pick<Schedule, 'scheduled'>,
  requested: { readonly from?: string | undefined; readonly to?: string | undefined },
  isVisible: IsVisible,
): Promise<Reconciliation> {
  const { database } = context
  const range = rangeOf(context, requested)
  const { orders, days } = await ordersBetween(context, schedule, range.from, range.to)
  const decisions = listReconciliations(database, range.from, range.to)
  const decisionsByOrder = new Map(
    decisions.flatMap((decision) =>
      decision.kind === 'not-done' && decision.order ? [[keyOf(decision.order), decision]] : [],
    ),
  )
  const open = orders.filter(({ exam }) => !decisionsByOrder.has(keyOf(exam)))
  const [from, until] = [startOf(context, range.from), startOf(context, addDays(range.to, 1))]
  const found = listUnscheduledStudies(database, from, until, MAX_RECONCILED_EXAMS + 1)
  const exams: UnscheduledExam[] = []
  for (const studyInstanceUid of found.slice(0, MAX_RECONCILED_EXAMS).filter(isVisible)) {
    const study = findImageStudy(database, studyInstanceUid)
    if (study) exams.push(examOf(context, study, open, undefined))
    await setImmediate()
  }
  for (const decision of decisions) {
    const { imageStudyUid } = decision
    const study = imageStudyUid === null ? undefined : findImageStudy(database, imageStudyUid)
    // Images that were corrected in the meantime are in another study.
    if (study && study.instances > 0 && isVisible(study.studyInstanceUid))
      exams.push(examOf(context, study, [], decision))
  }
  return {
    ...range,
    days,
    exams,
    isCut: found.length > MAX_RECONCILED_EXAMS,
    orders: orders.map((order) =>
      openOrderOf(context, order, decisionsByOrder.get(keyOf(order.exam))),
    ),
  }
}

function rangeOf(
  context: Context,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
) {
  const today = todayOf(context)
  const outage = lastOutage(context)
  const last = to ?? (from !== undefined && from > today ? from : today)
  const first = from ?? (outage && outage.from < last ? outage.from : last)
  const refusal = (path: string, fault: Message) =>
    new ApiError('refused', fault, { errors: [{ path, message: fault }] })
  if (first > last) throw refusal('query.to', message('reconciliation.days-reversed'))
  if (daysBetween(first, last) >= MAX_RECONCILED_DAYS)
    throw refusal('query.from', message('reconciliation.many-days', { most: MAX_RECONCILED_DAYS }))
  return { from: first, to: last, today, outage }
}

/** The orders of the days, both inclusive, that have no images. */
async function ordersBetween(
  context: Context,
  schedule: Pick<Schedule, 'scheduled'>,
  from: string,
  to: string,
) {
  const days: Reconciliation['days'] = []
  const all: Order[] = []
  const lastFaultAt = findLastWorklistFaultAt(context.database)
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const { orders, source, oldestAt } = await ordersOn(schedule, day)
    all.push(...orders)
    const isOld =
      source.fault === null &&
      lastFaultAt !== undefined &&
      (oldestAt === null || oldestAt < lastFaultAt)
    days.push({ day, source, isOld })
  }
  return { orders: all.filter(({ exam }) => isWithoutImages(exam)), days }
}

/** An order that the partner removed no longer counts. */
const isWithoutImages = ({ images, state }: Exam) =>
  images === 0 && state !== 'gone' && state !== 'closed'

const keyOf = ({
  studyInstanceUid,
  scheduledProcedureStepId,
}: Pick<Exam, 'studyInstanceUid' | 'scheduledProcedureStepId'>) =>
  `${studyInstanceUid} ${scheduledProcedureStepId}`

function examOf(
  context: Context,
  study: ImageStudyRecord,
  orders: readonly Order[],
  decision: ReconciliationRecord | undefined,
): UnscheduledExam {
  const { header, studyInstanceUid, modalities, instances, deviceName, callingAeTitle } = study
  const exam = matchInputOf(study)
  const day = clinicDay(msOf(study.createdAt), timeZoneOf(context.settings.get('clinic.timeZone')))
  const candidates = decision ? [] : orders.filter((order) => isCandidate(exam, order, day))
  const scribe = findStudyByUid(context.database, 'scribe', studyInstanceUid)
  return {
    studyInstanceUid,
    patientName: header.patientName,
    patientId: header.patientId,
    patientBirthDate: header.patientBirthDate,
    patientSex: header.patientSex,
    accessionNumber: header.accessionNumber,
    studyDescription: header.studyDescription,
    studyDate: header.studyDate,
    studyTime: header.studyTime,
    modalities: [...modalities],
    instances,
    deviceName,
    callingAeTitle,
    firstInstanceAt: study.createdAt,
    identity: identityOf(study, scribe).state,
    candidates: mostLikelyOrders(exam, candidates, ({ matched }) => matched, MAX_CANDIDATES).map(
      ({ order, matches }) => candidateOf(context, study, order, matches),
    ),
    decision: decision ? decisionOf(context, decision) : null,
  }
}

/**
 * Whether the order may match: it is of about the same day, or has the same patient ID or accession
 * number.
 */
function isCandidate(exam: MatchInput, { day, matched }: Order, examDay: string): boolean {
  const isSame = (a: string, b: string) => a !== '' && a === b
  return (
    isSame(exam.patientId, matched.patientId) ||
    isSame(exam.accessionNumber, matched.accessionNumber) ||
    Math.abs(daysBetween(day, examDay)) <= 1
  )
}

function candidateOf(
  context: Context,
  study: ImageStudyRecord,
  order: Order,
  matches: OrderCandidate['matches'],
): OrderCandidate {
  const { orderId, exam } = order
  if (exam.withheld) return { orderId, matches, action: 'none', obstacle: exam.withheld }
  const { isMatched } = previewLink(context, study, order)
  return { orderId, matches, action: isMatched ? 'link' : 'correct', obstacle: null }
}

const openOrderOf = (
  context: Context,
  { orderId, day, exam }: Order,
  decision: ReconciliationRecord | undefined,
): OpenOrder => ({
  orderId,
  day,
  studyInstanceUid: exam.studyInstanceUid,
  scheduledProcedureStepId: exam.scheduledProcedureStepId,
  patientName: exam.patientName,
  patientId: exam.patientId,
  patientBirthDate: exam.patientBirthDate,
  patientSex: exam.patientSex,
  accessionNumber: exam.accessionNumber,
  modality: exam.modality,
  description: exam.description,
  location: exam.location,
  startTime: exam.startTime,
  state: exam.state,
  withheld: exam.withheld,
  devices: exam.devices
    .filter(({ sentAt }) => sentAt !== null)
    .map(({ name, aeTitle }) => name || aeTitle),
  decision: decision ? decisionOf(context, decision) : null,
})
