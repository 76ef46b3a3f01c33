import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { findCustomer } from '#server/modules/customers/queries.ts'
import {
  type CreatedStudy,
  listCreatedStudies,
  saveCreatedStudy,
} from '#server/modules/studies/created-study-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageHeader, ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import {
  findStudy,
  type NewStudyRecord,
  type StudyDetail,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { insertStudy, saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { idFromUuid } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import { hasReport, listCorrectionTimes } from './image-version-queries.ts'
import { listStudyInstances } from './instance-queries.ts'
import {
  leadingModality,
  type MergedValues,
  mergedValues,
  type StudyValues,
} from './study-values.ts'

// Studies that the gateway creates from images. Each function must be called within a transaction.

/** Creates an unassigned study of the area with these values. */
export function createStudyFromImages(
  context: Context,
  area: StudyArea,
  studyInstanceUid: string,
  { values, fromPartner }: MergedValues,
): void {
  const { database, uuid, clock } = context
  const now = instantOf(clock())
  const studyId = idFromUuid('stu', uuid())
  insertStudy(database, recordOf(area, studyInstanceUid, values, studyId, now))
  saveCreatedStudy(database, studyInstanceUid, area, studyId, now, values)
  const { severity, expressCustomerId } = values
  note(context, 'gateway', 'study.seed', studyId, {
    area,
    studyInstanceUid,
    severity,
    expressCustomerId,
    fromPartner: [...fromPartner],
  })
}

/**
 * Updates fields of the created studies that no user and no API call has changed. Returns the names
 * of the changed fields.
 */
export function updateCreatedStudies(
  context: Context,
  studyInstanceUid: string,
  merged: MergedValues,
): readonly string[] {
  const created = listCreatedStudies(context.database, studyInstanceUid)
  return [
    ...new Set(
      created.flatMap((one) => updateCreatedStudy(context, one, studyInstanceUid, merged)),
    ),
  ]
}

function updateCreatedStudy(
  context: Context,
  { area, studyId, values: own, touched }: CreatedStudy,
  studyInstanceUid: string,
  { values, fromPartner }: MergedValues,
): readonly string[] {
  const { database, clock } = context
  const before = findStudy(database, studyId)
  if (!before) return []
  const now = instantOf(clock())
  const { study, writtenValues, fields } = mergeUntouched(
    before,
    own as StudyValues,
    values,
    new Set(touched),
  )
  saveCreatedStudy(database, studyInstanceUid, area, studyId, now, writtenValues)
  if (fields.length === 0) return []
  saveStudy(database, { ...study, updatedAt: now }, before)
  note(context, 'gateway', 'study.enrich', studyId, {
    area,
    studyInstanceUid,
    fields: [...fields],
    fromPartner: [...fromPartner],
  })
  return fields
}

/**
 * Updates the created studies after the header of the images was corrected: fields that came from
 * the header get the corrected values, unless a user or an API call has changed them. Values from
 * the partner are kept.
 */
export function applyCorrectedHeader(
  context: Context,
  {
    studyInstanceUid,
    header,
    modalities,
  }: Pick<ImageStudyRecord, 'studyInstanceUid' | 'header' | 'modalities'>,
  corrected: ImageHeader,
): void {
  const modality = leadingModality([header.modality, ...modalities])
  const valuesBefore = mergedValues(header, modality, {}).values
  const is = mergedValues(corrected, modality, {}).values
  for (const created of listCreatedStudies(context.database, studyInstanceUid))
    updateCreatedStudy(context, created, studyInstanceUid, {
      values: mergeCorrected(created.values as StudyValues, valuesBefore, is),
      fromPartner: [],
      warnings: [],
    })
}

/**
 * Cancels or reactivates created studies after a correction or when images arrive. A study that a
 * correction left without images is cancelled, unless it is in use (assigned, changed, or with a
 * report) or has images in quarantine. It is reactivated when it has images again. A study that a
 * user cancelled, or that a user or partner created, is not changed.
 */
export function updateCancellation(
  context: Context,
  studyInstanceUid: string,
  at: string,
  actor: Actor,
): void {
  const { database } = context
  const corrections = listCorrectionTimes(database, studyInstanceUid)
  if (corrections.length === 0) return
  const hasImages = listStudyInstances(database, studyInstanceUid).some(
    ({ remoteAddress }) => remoteAddress !== OWN_ADDRESS,
  )
  const isEmpty = !hasImages && (findImageStudy(database, studyInstanceUid)?.quarantined ?? 0) === 0
  for (const { studyId, touched } of listCreatedStudies(database, studyInstanceUid)) {
    const study = findStudy(database, studyId)
    if (!study || study.createdByApiKeyId !== null || study.createdByUserId !== null) continue
    const { cancelledAt, assignedTo } = study
    const isUnused = touched.length === 0 && assignedTo === null && !hasReport(database, studyId)
    // It was cancelled by a correction, and not by a user since.
    const isCancelledByCorrection = cancelledAt !== null && corrections.includes(cancelledAt)
    if (hasImages && isCancelledByCorrection) setCancelled(context, study, null, at, actor)
    if (isEmpty && isUnused && cancelledAt === null) setCancelled(context, study, at, at, actor)
  }
}

function setCancelled(
  context: Context,
  study: StudyRecord,
  cancelledAt: string | null,
  at: string,
  actor: Actor,
): void {
  saveStudy(context.database, { ...study, cancelledAt, updatedAt: at }, study)
  const { area, studyId, studyInstanceUid } = study
  const [action, because] =
    cancelledAt === null ? ['study.uncancel', 'images'] : ['study.cancel', 'no-images']
  note(context, actor, action, studyId, { area, studyInstanceUid, because })
}

/**
 * Removes a customer that does not exist or is inactive, with a warning. An invalid field from the
 * partner does not invalidate the others.
 */
export function withCustomer(database: Database, merged: MergedValues): MergedValues {
  const { expressCustomerId } = merged.values
  if (expressCustomerId === null) return merged
  const customer = findCustomer(database, expressCustomerId)
  if (customer?.isActive) return merged
  const warning = customer
    ? message('images.customer-deactivated', { expressCustomerId })
    : message('images.customer-unknown')
  return {
    values: { ...merged.values, expressCustomerId: null },
    fromPartner: merged.fromPartner.filter((name) => name !== 'expressCustomerId'),
    warnings: [...merged.warnings, warning],
  }
}

function recordOf(
  area: StudyArea,
  studyInstanceUid: string,
  values: StudyValues,
  studyId: string,
  now: string,
): NewStudyRecord {
  const { studyDescription, severity, expressCustomerId, externalPatientId, reportMetadata } =
    values
  const fields = {
    studyId,
    studyInstanceUid,
    studyDescription,
    severity,
    expressCustomerId,
    assignedTo: null,
    createdByApiKeyId: null,
    createdByUserId: null,
    cancelledAt: null,
    createdAt: now,
    updatedAt: now,
  }
  // A viewer study has no fields for patient data.
  if (area === 'viewer') return { ...fields, area, status: 'incomplete', detail: {} }
  return {
    ...fields,
    area,
    status: 'unassigned',
    detail: { reportMetadata, ...(externalPatientId !== null && { externalPatientId }) },
  }
}

interface MergedStudy {
  readonly study: StudyRecord
  /** The values that the gateway has written so far. */
  readonly writtenValues: StudyValues
  readonly fields: readonly string[]
}

type Values = Record<string, unknown>

/** Fields outside the encrypted detail of a study. */
const PLAIN_FIELDS = ['studyDescription', 'severity', 'expressCustomerId'] as const

/**
 * Applies fresh values to fields that are untouched and still have the values with which the
 * gateway wrote them.
 */
export function mergeUntouched(
  before: StudyRecord,
  own: StudyValues,
  fresh: StudyValues,
  touched: ReadonlySet<string>,
): MergedStudy {
  const fields: string[] = []
  /** Returns the values after the update, and the gateway's own last values. */
  function fill(names: Iterable<string>, now: Values, ownValues: Values, next: Values) {
    const after: Values = {}
    const written: Values = {}
    for (const name of names) {
      const isUserValue = touched.has(name) || !isSame(now[name], ownValues[name])
      if (!isUserValue && !isSame(now[name], next[name])) fields.push(name)
      after[name] = isUserValue ? now[name] : next[name]
      written[name] = isUserValue ? ownValues[name] : next[name]
    }
    return { after, written }
  }
  const open = fill(PLAIN_FIELDS, { ...before }, { ...own }, { ...fresh })
  if (before.area === 'viewer')
    return {
      study: { ...before, ...open.after },
      writtenValues: { ...fresh, ...open.written },
      fields,
    }

  const openFields = fields.length
  const { externalPatientId = null, reportMetadata = {}, ...others } = before.detail
  const patient = fill(['externalPatientId'], { externalPatientId }, { ...own }, { ...fresh })
  const currentMetadata: Values = { ...reportMetadata }
  const ownMetadata: Values = { ...own.reportMetadata }
  const next: Values = { ...fresh.reportMetadata }
  const metadata = fill(
    namesOf(currentMetadata, ownMetadata, next),
    currentMetadata,
    ownMetadata,
    next,
  )
  const detail: StudyDetail = {
    ...others,
    reportMetadata: given(metadata.after),
    ...(patient.after.externalPatientId !== null && patient.after),
  }
  return {
    study: {
      ...before,
      ...open.after,
      detail: fields.length > openFields ? detail : before.detail,
    },
    writtenValues: {
      ...fresh,
      ...open.written,
      ...patient.written,
      reportMetadata: given(metadata.written),
    },
    fields,
  }
}

const namesOf = (...all: readonly Values[]) => new Set(all.flatMap((values) => Object.keys(values)))

/** Removes undefined values. */
const given = (values: Values): StudyReportMetadata =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Replaces those of the gateway's own values that came from the header with the corrected ones. */
export function mergeCorrected(
  own: StudyValues,
  headerValuesBefore: StudyValues,
  headerValuesAfter: StudyValues,
): StudyValues {
  const had: Values = { ...own.reportMetadata }
  const before: Values = { ...headerValuesBefore.reportMetadata }
  const after: Values = { ...headerValuesAfter.reportMetadata }
  const reportMetadata: Values = {}
  for (const name of namesOf(had, after))
    reportMetadata[name] = isSame(had[name], before[name]) ? after[name] : had[name]
  const { studyDescription } = isSame(own.studyDescription, headerValuesBefore.studyDescription)
    ? headerValuesAfter
    : own
  return { ...own, studyDescription, reportMetadata: given(reportMetadata) }
}

// JSON has no undefined, and measurements are objects.
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || canonical(one) === canonical(other)
const canonical = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : JSON.stringify(value ?? null)
