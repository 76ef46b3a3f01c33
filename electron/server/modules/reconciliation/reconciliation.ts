import { setImmediate } from 'node:timers/promises'
import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import type { HandedOutRow, ImageStudyRecord } from '#server/modules/images/image-study-queries.ts'
import { differencesOf, withRow } from '#server/modules/images/mismatch.ts'
import { identityOf, isUnscheduled } from '#server/modules/images/study-identity.ts'
import { actorOf, demand, type UserCaller } from '#server/modules/users/caller.ts'
import {
  addDays,
  clinicDay,
  daysBetween,
  startOfDay,
  timeZoneOf,
} from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Exam, ExamSource } from '#shared/contract/dashboard-exams.ts'
import {
  MOST_RECONCILED_DAYS,
  MOST_RECONCILED_EXAMS,
  type OpenOrder,
  type OrderCandidate,
  OrderId,
  orderIdOf,
  type Reconciliation as Reconciled,
  type ReconciliationDecision,
  type UnscheduledExam,
} from '#shared/contract/reconciliation.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { type Matched, matchedExam, mostProbable } from './order-match.ts'
import type { ReconciliationRecord } from './reconciliation-queries.ts'

/** What became of the order of a study: unlinked takes back what was known by it. */
export type OrderChange = 'linked' | 'kept' | 'unlinked'

/** An exam as the worklist has it scheduled. */
export interface Scheduled {
  readonly exam: Exam
  readonly requestedProcedureId: string
}

export interface ReconciliationDeps extends DomainDeps {
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
  /**
   * The exams that are scheduled for a day, `YYYY-MM-DD`, from the partner's answers that are kept.
   */
  readonly scheduled: (day: string) => Promise<{
    readonly exams: readonly Scheduled[]
    readonly source: ExamSource
    readonly oldestAt: string | null
  }>
  /** Within the transaction that decided on a study. */
  readonly orderChanged: (studyInstanceUid: string, change: OrderChange) => void
}

/** What was done beside what was ordered, after a time without the partner (decision 0032). */
export interface Reconciliation {
  /** @throws ApiError refused: the range is too long, or ends before it begins */
  read(
    range: { readonly from?: string | undefined; readonly to?: string | undefined },
    isVisible: IsVisible,
  ): Promise<Reconciled>
  /**
   * The first day of what `read` looks at by itself: the first of the last days without the
   * partner, else today.
   */
  firstDay(): string
  /**
   * Gives the exam its order. Nothing in the images changes.
   * @throws ApiError outdated: exam or order was decided on meanwhile; refused: the images name
   *   another patient
   */
  link(
    caller: UserCaller,
    studyInstanceUid: string,
    orderId: string,
  ): Promise<ReconciliationDecision>
  /** Keeps the exam as unscheduled. @throws ApiError outdated */
  keep(caller: UserCaller, studyInstanceUid: string, reason: string): ReconciliationDecision
  /** Notes that the order was not done. @throws ApiError outdated */
  notDone(caller: UserCaller, orderId: string, reason: string): Promise<ReconciliationDecision>
  /**
   * The images of a decision; null of one about an order. @throws ApiError not-found: it was
   * undone, or never made
   */
  imagesOf(decisionId: number): string | null
  /** @throws ApiError refused: a report was signed since; outdated: it was undone meanwhile */
  undo(caller: UserCaller, decisionId: number): void
}

export type IsVisible = (studyInstanceUid: string) => boolean

const MOST_CANDIDATES = 5
/** A time without the partner that began earlier than that is looked at from there on. */
const MOST_OUTAGE_DAYS = 7

/** An order with what is needed to compare it and to link it. */
interface Order {
  readonly orderId: string
  readonly day: string
  readonly scheduled: Scheduled
  readonly matched: Matched
}

export function openReconciliation(deps: ReconciliationDeps): Reconciliation {
  const { store, clock, setting, scheduled, orderChanged } = deps
  const { database, imageStudies, reconciliations, studies, reports, examFacts, corrections } =
    store
  const zone = () => timeZoneOf(setting('clinic.timeZone'))
  const began = (day: string) => instantOf(startOfDay(day, zone()))
  const hadFault = (day: string) => reconciliations.hadFault(began(day), began(addDays(day, 1)))

  /** The last days on which the partner did not answer, those that follow one another. */
  function lastOutage(): { readonly from: string; readonly to: string } | null {
    const today = clinicDay(clock(), zone())
    const earliest = addDays(today, 1 - MOST_OUTAGE_DAYS)
    let to = today
    while (to >= earliest && !hadFault(to)) to = addDays(to, -1)
    if (to < earliest) return null
    let from = to
    while (from > earliest && hadFault(addDays(from, -1))) from = addDays(from, -1)
    return { from, to }
  }

  async function ordersOn(day: string) {
    const { exams, source, oldestAt } = await scheduled(day)
    const orders = exams
      .map((one) => orderOf(day, one))
      .filter(({ orderId }) => OrderId.safeParse(orderId).success)
    return { orders, source, oldestAt }
  }

  async function existingOrder(orderId: string): Promise<Order> {
    const { orders } = await ordersOn(orderId.slice(0, 10))
    const order = orders.find((one) => one.orderId === orderId)
    if (!order) throw new ApiError('not-found', 'The order is no longer in the worklist.')
    return order
  }

  /** The row as it is kept with the images. */
  function rowOf(
    { scheduled: { exam, requestedProcedureId } }: Order,
    callingAeTitle: string,
  ): HandedOutRow {
    const { studyInstanceUid, scheduledProcedureStepId, accessionNumber, description } = exam
    const { patientName, patientId, patientBirthDate, patientSex } = exam
    return {
      ...{
        studyInstanceUid,
        scheduledProcedureStepId,
        requestedProcedureId,
        accessionNumber,
        description,
      },
      ...{
        patientName,
        patientId,
        patientBirthDate,
        patientSex,
        callingAeTitle,
        at: instantOf(clock()),
      },
    }
  }

  /** What the study would be with the order. */
  function linkedWith(study: ImageStudyRecord, row: HandedOutRow) {
    const differences = differencesOf(row, study.header, study.studyInstanceUid)
    const mismatch = withRow(study.mismatch, differences, instantOf(clock()))
    const { state } = identityOf(
      { ...study, handedOut: row, mismatch },
      studies.byUid('scribe', study.studyInstanceUid),
    )
    return { mismatch, isMatched: state === 'matched' || state === 'resolved' }
  }

  function candidateOf(
    study: ImageStudyRecord,
    order: Order,
    matches: OrderCandidate['matches'],
  ): OrderCandidate {
    const { withheld } = order.scheduled.exam
    if (withheld !== '')
      return { orderId: order.orderId, matches, action: 'none', obstacle: withheld }
    const { isMatched } = linkedWith(study, rowOf(order, study.callingAeTitle))
    return { orderId: order.orderId, matches, action: isMatched ? 'link' : 'correct', obstacle: '' }
  }

  const signedSince = (studyInstanceUid: string, at: string): boolean => {
    const study = studies.byUid('scribe', studyInstanceUid)
    return study !== undefined && reports.isSignedSince(study.studyId, at)
  }
  const undoObstacleOf = ({ kind, imageStudyUid, order, at }: ReconciliationRecord): string => {
    const uid = imageStudyUid ?? order?.studyInstanceUid ?? ''
    if (signedSince(uid, at)) return SIGNED_SINCE
    const stands = corrections.ofStudy(uid).some((one) => one.undoneAt === null && one.at >= at)
    // Undoing that correction would give the study its order again.
    return kind === 'link' && stands ? CORRECTED_SINCE : ''
  }
  const decisionOf = (record: ReconciliationRecord): ReconciliationDecision => ({
    ...{
      decisionId: record.decisionId,
      kind: record.kind,
      reason: record.reason,
      at: record.at,
      by: record.userName,
    },
    order: record.order && {
      ...{ accessionNumber: record.order.accessionNumber, patientName: record.order.patientName },
      description: record.order.description,
    },
    undoObstacle: undoObstacleOf(record),
  })

  function examOf(
    study: ImageStudyRecord,
    orders: readonly Order[],
    decision: ReconciliationRecord | undefined,
  ): UnscheduledExam {
    const {
      header,
      studyInstanceUid,
      modalities,
      instances,
      deviceName,
      callingAeTitle,
      createdAt,
    } = study
    const {
      patientName,
      patientId,
      patientBirthDate,
      patientSex,
      accessionNumber,
      studyDescription,
    } = header
    const exam = matchedExam(study)
    const near = decision ? [] : orders.filter((order) => isNear(exam, order, dayOf(study)))
    return {
      ...{
        studyInstanceUid,
        patientName,
        patientId,
        patientBirthDate,
        patientSex,
        accessionNumber,
        studyDescription,
      },
      ...{
        studyDate: header.studyDate,
        studyTime: header.studyTime,
        modalities: [...modalities],
        instances,
      },
      ...{ deviceName, callingAeTitle, firstInstanceAt: createdAt },
      identity: identityOf(study, studies.byUid('scribe', studyInstanceUid)).state,
      candidates: mostProbable(exam, near, ({ matched }) => matched, MOST_CANDIDATES).map(
        ({ order, matches }) => candidateOf(study, order, matches),
      ),
      decision: decision ? decisionOf(decision) : null,
    }
  }

  function rangeOf({
    from,
    to,
  }: {
    readonly from?: string | undefined
    readonly to?: string | undefined
  }) {
    const today = clinicDay(clock(), zone())
    const outage = lastOutage()
    const last = to ?? (from !== undefined && from > today ? from : today)
    const first = from ?? (outage && outage.from < last ? outage.from : last)
    const refuse = (path: string, message: string) =>
      new ApiError('refused', message, { errors: [{ path, message }] })
    if (first > last) throw refuse('query.to', 'The last day must not be before the first.')
    if (daysBetween(first, last) >= MOST_RECONCILED_DAYS)
      throw refuse('query.from', `Choose at most ${MOST_RECONCILED_DAYS} days.`)
    return { from: first, to: last, today, outage }
  }

  /** @throws ApiError not-found, outdated */
  function openExam(studyInstanceUid: string): ImageStudyRecord {
    const study = imageStudies.get(studyInstanceUid)
    if (!study) throw new ApiError('not-found', 'There are no images of such a study.')
    const decided = reconciliations.ofImages(studyInstanceUid)
    if (decided) throw new ApiError('outdated', happened(decided))
    if (!isUnscheduled(study, studies.byUid('scribe', studyInstanceUid)))
      throw new ApiError(
        'outdated',
        'This exam is no longer unscheduled: more images arrived, or an order was found for it.',
      )
    return study
  }

  /** @throws ApiError outdated */
  function demandOpen({ scheduled: { exam } }: Order): void {
    const { studyInstanceUid, scheduledProcedureStepId } = exam
    const decided = reconciliations.ofOrder(studyInstanceUid, scheduledProcedureStepId)
    if (decided) throw new ApiError('outdated', happened(decided))
    if (hasImages(studyInstanceUid, scheduledProcedureStepId))
      throw new ApiError('outdated', 'Images of this order have arrived in the meantime.')
  }
  const hasImages = (studyInstanceUid: string, step: string): boolean =>
    (examFacts.of([studyInstanceUid]).get(studyInstanceUid)?.images ?? null) !== null ||
    store.performedSteps
      .standing(studyInstanceUid)
      .some(
        ({ scheduledProcedureStepId, status }) =>
          scheduledProcedureStepId === step && status === 'RECEIVED',
      )

  function decide(
    { user }: UserCaller,
    what: Pick<ReconciliationRecord, 'kind' | 'day' | 'imageStudyUid' | 'order' | 'reason'>,
  ): ReconciliationRecord {
    const userName = `${user.firstName} ${user.lastName}`
    return reconciliations.insert({
      ...what,
      userId: user.userId,
      userName,
      at: instantOf(clock()),
    })
  }

  const dayOf = ({ createdAt }: ImageStudyRecord) => clinicDay(msOf(createdAt), zone())

  return {
    firstDay: () => lastOutage()?.from ?? clinicDay(clock(), zone()),

    async read(asked, isVisible) {
      const range = rangeOf(asked)
      const days: Reconciled['days'] = []
      const all: Order[] = []
      const lastFault = reconciliations.lastFault()
      for (let day = range.from; day <= range.to; day = addDays(day, 1)) {
        const { orders, source, oldestAt } = await ordersOn(day)
        all.push(...orders)
        const isOld =
          source.fault === null &&
          lastFault !== undefined &&
          (oldestAt === null || oldestAt < lastFault)
        days.push({ day, source, isOld })
      }
      const decisions = reconciliations.between(range.from, range.to)
      const ofOrder = new Map(
        decisions.flatMap((decision) =>
          decision.kind === 'not-done' && decision.order ? [[keyOf(decision.order), decision]] : [],
        ),
      )
      const orders = all.filter(({ scheduled: { exam } }) => isWithoutImages(exam))
      const open = orders.filter(({ scheduled: { exam } }) => !ofOrder.has(keyOf(exam)))

      const most = MOST_RECONCILED_EXAMS
      const found = reconciliations.unscheduled(
        began(range.from),
        began(addDays(range.to, 1)),
        most + 1,
      )
      const exams: UnscheduledExam[] = []
      for (const studyInstanceUid of found.slice(0, most)) {
        if (!isVisible(studyInstanceUid)) continue
        const study = imageStudies.get(studyInstanceUid)
        if (study) exams.push(examOf(study, open, undefined))
        await setImmediate()
      }
      for (const decision of decisions) {
        const study =
          decision.imageStudyUid === null ? undefined : imageStudies.get(decision.imageStudyUid)
        // Images that were corrected since are in another study.
        if (study && study.instances > 0 && isVisible(study.studyInstanceUid))
          exams.push(examOf(study, [], decision))
      }
      return {
        ...range,
        days,
        exams,
        isCut: found.length > most,
        orders: orders.map((order) =>
          openOrderOf(order, ofOrder.get(keyOf(order.scheduled.exam)), decisionOf),
        ),
      }
    },

    async link(caller, studyInstanceUid, orderId) {
      demand(caller, 'manageStudies')
      const order = await existingOrder(orderId)
      return database.transaction(() => {
        const study = openExam(studyInstanceUid)
        demandOpen(order)
        const { withheld } = order.scheduled.exam
        if (withheld !== '') throw new ApiError('refused', withheld)
        const linkedBy = `${caller.user.firstName} ${caller.user.lastName}`
        const row = { ...rowOf(order, study.callingAeTitle), linkedBy }
        const { mismatch, isMatched } = linkedWith(study, row)
        if (!isMatched)
          throw new ApiError(
            'refused',
            'The images name another patient or exam than this order: correct them instead.',
          )
        imageStudies.update(studyInstanceUid, { handedOut: row, mismatch })
        const { callingAeTitle: _, at: __, linkedBy: ___, ...kept } = row
        const made = decide(caller, {
          kind: 'link',
          day: dayOf(study),
          imageStudyUid: studyInstanceUid,
          order: kept,
          reason: '',
        })
        orderChanged(studyInstanceUid, 'linked')
        note(deps.store, actorOf(caller), 'reconcile.link', studyInstanceUid, { order: orderId })
        return decisionOf(made)
      })
    },

    keep: (caller, studyInstanceUid, reason) =>
      database.transaction(() => {
        demand(caller, 'manageStudies')
        const study = openExam(studyInstanceUid)
        const made = decide(caller, {
          kind: 'keep',
          day: dayOf(study),
          imageStudyUid: studyInstanceUid,
          order: null,
          reason,
        })
        orderChanged(studyInstanceUid, 'kept')
        note(deps.store, actorOf(caller), 'reconcile.keep', studyInstanceUid, { reason })
        return decisionOf(made)
      }),

    async notDone(caller, orderId, reason) {
      demand(caller, 'manageStudies')
      const order = await existingOrder(orderId)
      return database.transaction(() => {
        demandOpen(order)
        const { studyInstanceUid, withheld } = order.scheduled.exam
        if (studyInstanceUid === '') throw new ApiError('refused', withheld)
        const { callingAeTitle: _, at: __, ...kept } = rowOf(order, '')
        const made = decide(caller, {
          kind: 'not-done',
          day: order.day,
          imageStudyUid: null,
          order: kept,
          reason,
        })
        note(deps.store, actorOf(caller), 'reconcile.not-done', orderId, { reason })
        return decisionOf(made)
      })
    },

    imagesOf(decisionId) {
      const decision = reconciliations.get(decisionId)
      if (!decision) throw new ApiError('outdated', 'This decision was undone already.')
      return decision.imageStudyUid
    },

    undo: (caller, decisionId) =>
      database.transaction(() => {
        demand(caller, 'manageStudies')
        const decision = reconciliations.get(decisionId)
        if (!decision) throw new ApiError('outdated', 'This decision was undone already.')
        const obstacle = undoObstacleOf(decision)
        if (obstacle !== '') throw new ApiError('refused', obstacle)
        const { kind, imageStudyUid, order } = decision
        reconciliations.undo(decisionId, instantOf(clock()), caller.user.userId)
        if (kind === 'link' && imageStudyUid !== null) {
          const study = imageStudies.get(imageStudyUid)
          const mismatch = withRow(study?.mismatch ?? null, [], instantOf(clock()))
          imageStudies.update(imageStudyUid, { handedOut: null, mismatch })
          orderChanged(imageStudyUid, 'unlinked')
        }
        note(deps.store, actorOf(caller), 'reconcile.undo', imageStudyUid ?? keyOf(order as Step), {
          decision: kind,
        })
      }),
  }

  function orderOf(day: string, one: Scheduled): Order {
    const { exam } = one
    const {
      accessionNumber,
      patientId,
      patientName,
      patientBirthDate,
      patientSex,
      modality,
      location,
    } = exam
    // A time that the partner did not give is made up for devices (`modules/worklist/item.ts`).
    const isTimeKnown = !exam.remarks.some((remark) => remark.includes('start time'))
    const matched: Matched = {
      ...{ accessionNumber, patientId, patientName, patientBirthDate, patientSex },
      modalities: modality === '' ? [] : [modality],
      ...{ date: exam.startDate, time: isTimeKnown ? exam.startTime : '' },
      devices: [...exam.devices.flatMap(({ aeTitle, name }) => [aeTitle, name]), location].filter(
        (name) => name !== '',
      ),
    }
    return { orderId: nameOf(day, exam), day, scheduled: one, matched }
  }
}

interface Step {
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
}
const keyOf = ({ studyInstanceUid, scheduledProcedureStepId }: Step) =>
  `${studyInstanceUid} ${scheduledProcedureStepId}`

const SIGNED_SINCE = 'A report has since been signed: this can no longer be undone.'
const CORRECTED_SINCE = 'The images have since been corrected: undo the correction first.'

/**
 * As `modules/worklist/orders.ts` names it: a row without a Study Instance UID is told from others
 * by its patient.
 */
const nameOf = (day: string, exam: Exam): string =>
  exam.studyInstanceUid === ''
    ? `${day} ? ${exam.patientId} ${exam.accessionNumber}`
    : orderIdOf(day, exam.studyInstanceUid, exam.scheduledProcedureStepId)

/** An order that the partner took back is none any more. */
const isWithoutImages = ({ images, state }: Exam) =>
  images === 0 && state !== 'gone' && state !== 'closed'

/** Whether the order may be worth comparing: of about the same day, or with the same number. */
function isNear(exam: Matched, { day, matched }: Order, examDay: string): boolean {
  const isSame = (one: string, other: string) => one !== '' && one === other
  if (
    isSame(exam.patientId, matched.patientId) ||
    isSame(exam.accessionNumber, matched.accessionNumber)
  )
    return true
  return Math.abs(daysBetween(day, examDay)) <= 1
}

/** What somebody else did meanwhile. */
function happened({ kind, userName, order }: ReconciliationRecord): string {
  if (kind === 'keep') return `${userName} has kept this exam as unscheduled in the meantime.`
  if (kind === 'not-done') return `${userName} has marked this order as not done in the meantime.`
  return `${userName} has linked an exam to the order ${order?.accessionNumber || order?.scheduledProcedureStepId} in the meantime.`
}

function openOrderOf(
  { orderId, day, scheduled: { exam } }: Order,
  decision: ReconciliationRecord | undefined,
  decisionOf: (record: ReconciliationRecord) => ReconciliationDecision,
): OpenOrder {
  const {
    studyInstanceUid,
    scheduledProcedureStepId,
    patientName,
    patientId,
    patientBirthDate,
    patientSex,
  } = exam
  const { accessionNumber, modality, description, location, startTime, state, withheld, devices } =
    exam
  return {
    ...{
      orderId,
      day,
      studyInstanceUid,
      scheduledProcedureStepId,
      patientName,
      patientId,
      patientBirthDate,
      patientSex,
    },
    ...{ accessionNumber, modality, description, location, startTime, state, withheld },
    devices: devices
      .filter(({ sentAt }) => sentAt !== null)
      .map(({ name, aeTitle }) => name || aeTitle),
    decision: decision ? decisionOf(decision) : null,
  }
}
