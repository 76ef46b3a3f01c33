import { note } from '#server/modules/audit/audit.ts'
import { findCustomer } from '#server/modules/customers/queries.ts'
import type {
  NewStudyRecord,
  StudyDetail,
  StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { idFromUuid } from '#shared/ids.ts'
import type { ImageHeader, ImageStudyRecord, Seed, SeedValues } from './image-study-queries.ts'
import type { Actor, IntakeDeps } from './ports.ts'
import { OWN_ADDRESS } from './study-identity.ts'
import {
  leadingModality,
  type MergedValues,
  mergedValues,
  type StudyValues,
} from './study-values.ts'

/** Studies that the gateway makes of images, each within the caller's transaction. */
export interface Seeds {
  /** A study of the area, of nobody and unassigned, with these values. */
  plant(area: StudyArea, studyInstanceUid: string, merged: MergedValues): void
  /**
   * Gives the seeded studies these values, where no person and no call of the interface has set
   * others. Names of the fields that changed.
   */
  fill(studyInstanceUid: string, merged: MergedValues): readonly string[]
  /**
   * The header of the images was corrected: what the seeded studies have from it follows it, where
   * no person and no call of the interface has set other values. What the partner said stays.
   */
  follow(
    study: Pick<ImageStudyRecord, 'studyInstanceUid' | 'header' | 'modalities'>,
    corrected: ImageHeader,
  ): void
  /**
   * After a correction, or when images arrive: a seeded study that corrections left without images
   * is cancelled, unless somebody works with it (it is assigned or was changed, or a report was
   * begun) or images of it are in quarantine; it is active again once there are images. What a
   * person cancelled stays cancelled, and what a person or a partner created stays as it is.
   */
  followImages(studyInstanceUid: string, at: string, actor: Actor): void
  /** The values with a customer that studies can have, or none; and what is to be said of that. */
  usable(merged: MergedValues): MergedValues
}

export function openSeeds(deps: Pick<IntakeDeps, 'store' | 'clock' | 'uuid'>): Seeds {
  const { store, clock, uuid } = deps
  const { studies, imageStudies, instances, corrections, reports } = store

  function fillOne(
    { area, studyId, seed, touched }: Seed,
    studyInstanceUid: string,
    { values, fromPartner }: MergedValues,
  ): readonly string[] {
    const before = studies.get(studyId)
    if (!before) return []
    const now = instantOf(clock())
    const { study, seeded, fields } = filled(before, valuesOf(seed), values, new Set(touched))
    imageStudies.keepSeed(studyInstanceUid, area, studyId, now, seedOf(seeded))
    if (fields.length === 0) return []
    studies.update({ ...study, updatedAt: now }, before)
    note(deps.store, 'gateway', 'study.enrich', studyId, {
      area,
      studyInstanceUid,
      fields: [...fields],
      fromPartner: [...fromPartner],
    })
    return fields
  }

  function setCancelled(
    study: StudyRecord,
    cancelledAt: string | null,
    at: string,
    actor: Actor,
  ): void {
    studies.update({ ...study, cancelledAt, updatedAt: at }, study)
    const { area, studyId, studyInstanceUid } = study
    const because = cancelledAt === null ? 'images' : 'no-images'
    note(deps.store, actor, cancelledAt === null ? 'study.uncancel' : 'study.cancel', studyId, {
      area,
      studyInstanceUid,
      because,
    })
  }

  return {
    plant(area, studyInstanceUid, { values, fromPartner }) {
      const now = instantOf(clock())
      const study = studies.insert(
        recordOf(area, studyInstanceUid, values, idFromUuid('stu', uuid()), now),
      )
      imageStudies.keepSeed(studyInstanceUid, area, study.studyId, now, seedOf(values))
      const { severity, expressCustomerId } = study
      const detail = {
        area,
        studyInstanceUid,
        severity,
        expressCustomerId,
        fromPartner: [...fromPartner],
      }
      note(deps.store, 'gateway', 'study.seed', study.studyId, detail)
    },
    fill: (studyInstanceUid, merged) => [
      ...new Set(
        imageStudies
          .seeds(studyInstanceUid)
          .flatMap((seed) => fillOne(seed, studyInstanceUid, merged)),
      ),
    ],
    follow({ studyInstanceUid, header, modalities }, corrected) {
      const modality = leadingModality([header.modality, ...modalities])
      const [was, is] = [header, corrected].map(
        (each) => mergedValues(each, modality, {}).values,
      ) as [StudyValues, StudyValues]
      for (const seed of imageStudies.seeds(studyInstanceUid)) {
        fillOne(seed, studyInstanceUid, {
          values: followed(valuesOf(seed.seed), was, is),
          fromPartner: [],
          warnings: [],
        })
      }
    },
    followImages(studyInstanceUid, at, actor) {
      const made = corrections.ofStudy(studyInstanceUid)
      if (made.length === 0) return
      const hasImages = instances
        .ofStudy(studyInstanceUid)
        .some(({ remoteAddress }) => remoteAddress !== OWN_ADDRESS)
      const isEmpty = !hasImages && (imageStudies.get(studyInstanceUid)?.quarantined ?? 0) === 0
      for (const { studyId, touched } of imageStudies.seeds(studyInstanceUid)) {
        const study = studies.get(studyId)
        if (!study || study.createdByApiKeyId !== null || study.createdByUserId !== null) continue
        const { cancelledAt, assignedTo } = study
        const isUnused =
          touched.length === 0 && assignedTo === null && reports.ofStudy(studyId).length === 0
        // It was cancelled here, at the moment of a correction, and by nobody since.
        const isOurs =
          cancelledAt !== null &&
          made.some((one) => one.at === cancelledAt || one.undoneAt === cancelledAt)
        if (hasImages && isOurs) setCancelled(study, null, at, actor)
        if (isEmpty && isUnused && cancelledAt === null) setCancelled(study, at, at, actor)
      }
    },
    // interface.md, Errors 4: an unusable one is ignored, the others are applied, and a warning is
    // kept.
    usable(merged) {
      const { expressCustomerId } = merged.values
      if (expressCustomerId === null) return merged
      const customer = findCustomer(store.database, expressCustomerId)
      if (customer?.isActive) return merged
      const warning = customer
        ? `The partner's customer ${expressCustomerId} is deactivated and was left out.`
        : "The partner's expressCustomerId names no customer here and was left out."
      return {
        values: { ...merged.values, expressCustomerId: null },
        fromPartner: merged.fromPartner.filter((name) => name !== 'expressCustomerId'),
        warnings: [...merged.warnings, warning],
      }
    },
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
  const nobody = {
    assignedTo: null,
    createdByApiKeyId: null,
    createdByUserId: null,
    cancelledAt: null,
  }
  const fields = {
    studyId,
    studyInstanceUid,
    studyDescription,
    severity,
    expressCustomerId,
    ...nobody,
    createdAt: now,
    updatedAt: now,
  }
  // A viewer study has no place for what is known of the patient.
  if (area === 'viewer') return { ...fields, area, status: 'incomplete', detail: {} }
  return {
    ...fields,
    area,
    status: 'unassigned',
    detail: { reportMetadata, ...(externalPatientId !== null && { externalPatientId }) },
  }
}

interface Filled {
  readonly study: StudyRecord
  /** What the gateway has written by now. */
  readonly seeded: StudyValues
  readonly fields: readonly string[]
}

/**
 * The study with fresh values where it still has those it was seeded with, in fields that nobody
 * has touched.
 */
export function filled(
  before: StudyRecord,
  seed: StudyValues,
  fresh: StudyValues,
  touched: ReadonlySet<string>,
): Filled {
  const fields: string[] = []
  /** The value after, and the gateway's own last value. */
  function fill<T>(name: string, now: T, seeded: T, next: T): readonly [after: T, seeded: T] {
    if (touched.has(name) || !isSame(now, seeded)) return [now, seeded]
    if (!isSame(now, next)) fields.push(name)
    return [next, next]
  }

  const [studyDescription, seededDescription] = fill(
    'studyDescription',
    before.studyDescription,
    seed.studyDescription,
    fresh.studyDescription,
  )
  const [severity, seededSeverity] = fill(
    'severity',
    before.severity,
    seed.severity,
    fresh.severity,
  )
  const [expressCustomerId, seededCustomer] = fill(
    'expressCustomerId',
    before.expressCustomerId,
    seed.expressCustomerId,
    fresh.expressCustomerId,
  )
  const open = { studyDescription, severity, expressCustomerId }
  const seeded = {
    studyDescription: seededDescription,
    severity: seededSeverity,
    expressCustomerId: seededCustomer,
  }
  if (before.area === 'viewer')
    return { study: { ...before, ...open }, seeded: { ...fresh, ...seeded }, fields }

  const sealed = fields.length
  const { detail } = before
  const [externalPatientId, seededPatient] = fill(
    'externalPatientId',
    detail.externalPatientId ?? null,
    seed.externalPatientId,
    fresh.externalPatientId,
  )
  const was: Record<string, unknown> = detail.reportMetadata ?? {}
  const had: Record<string, unknown> = seed.reportMetadata
  const next: Record<string, unknown> = fresh.reportMetadata
  const reportMetadata: Record<string, unknown> = {}
  const seededMetadata: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(was), ...Object.keys(had), ...Object.keys(next)])) {
    const [after, own] = fill(name, was[name], had[name], next[name])
    if (after !== undefined) reportMetadata[name] = after
    if (own !== undefined) seededMetadata[name] = own
  }
  const { externalPatientId: _, ...others } = detail
  const after: StudyDetail = {
    ...others,
    reportMetadata: reportMetadata as StudyReportMetadata,
    ...(externalPatientId !== null && { externalPatientId }),
  }
  return {
    study: { ...before, ...open, detail: fields.length > sealed ? after : detail },
    seeded: {
      ...seeded,
      externalPatientId: seededPatient,
      reportMetadata: seededMetadata as StudyReportMetadata,
    },
    fields,
  }
}

/**
 * The gateway's own values, those of them that are of the header replaced by the ones of the
 * corrected header.
 */
export function followed(own: StudyValues, was: StudyValues, is: StudyValues): StudyValues {
  const had: Record<string, unknown> = own.reportMetadata
  const before: Record<string, unknown> = was.reportMetadata
  const after: Record<string, unknown> = is.reportMetadata
  const reportMetadata: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(had), ...Object.keys(after)])) {
    const value = isSame(had[name], before[name]) ? after[name] : had[name]
    if (value !== undefined) reportMetadata[name] = value
  }
  return {
    ...own,
    studyDescription: isSame(own.studyDescription, was.studyDescription)
      ? is.studyDescription
      : own.studyDescription,
    reportMetadata: reportMetadata as StudyReportMetadata,
  }
}

// JSON has no undefined, and a measure is an object.
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || canonical(one) === canonical(other)
const canonical = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : JSON.stringify(value ?? null)

const seedOf = (values: StudyValues): SeedValues => ({ ...values })
const valuesOf = (seed: SeedValues): StudyValues => seed as unknown as StudyValues
