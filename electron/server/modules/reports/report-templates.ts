import { differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { requireVisibleStudy } from '#server/modules/studies/study-access.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import { refused } from '#server/modules/studies/study-references.ts'
import {
  actorOf,
  isAllowed,
  requirePermission,
  type UserCaller,
} from '#server/modules/users/caller.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { folded } from '#server/platform/text.ts'
import type { NewReportTemplate, ReportTemplate } from '#shared/contract/report-templates.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import * as queries from './report-template-queries.ts'

// Templates and macros. Owners and administrators manage the shared ones; users who may write
// reports manage their own.

export type ReportTemplatePatch = {
  readonly [K in keyof Omit<NewReportTemplate, 'kind' | 'for'>]?: NewReportTemplate[K] | undefined
}

/**
 * The user's own templates and the shared ones, by name. With a study, only those that match it,
 * best match first.
 * @throws ApiError not-permitted, not-found
 */
export function listTemplates(
  context: Context,
  caller: UserCaller,
  studyId?: string,
): ReportTemplate[] {
  requirePermission(caller, 'readStudies')
  const templates = queries.listReportTemplates(context.database, caller.user.userId)
  const view = (template: queries.ReportTemplateRecord) => templateView(context, template)
  if (studyId === undefined) return templates.map(view)
  const subject = subjectOf(context, requireVisibleStudy(context, caller, 'scribe', studyId))
  return templates
    .map((template) => ({ template, fit: matchedCriteriaCount(template, subject) }))
    .filter(({ fit }) => fit !== undefined)
    .map(({ template, fit = 0 }) => ({
      template,
      rank: fit * 2 + Number(template.ownerId !== null),
    }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ template }) => view(template))
}

/**
 * Adds a template.
 * @throws ApiError not-permitted; refused: the name or the shortcut is taken
 */
export function addTemplate(
  context: Context,
  caller: UserCaller,
  { for: owner, ...template }: NewReportTemplate,
): ReportTemplate {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const ownerId = owner === 'mine' ? caller.user.userId : null
    checkCanManage(caller, ownerId)
    const now = instantOf(clock())
    const ids = { templateId: uuid(), ownerId, createdAt: now, updatedAt: now }
    const record = { ...ids, ...template }
    checkUniqueName(context, caller, record)
    queries.insertReportTemplate(database, record)
    const { templateId, kind, name } = record
    note(context, actorOf(caller), 'template.add', templateId, { kind, name, for: owner })
    return templateView(context, record)
  })
}

/**
 * Changes the given fields of a template.
 * @throws ApiError those of `addTemplate`; not-found: it does not exist or belongs to another user
 */
export function changeTemplate(
  context: Context,
  caller: UserCaller,
  templateId: string,
  patch: ReportTemplatePatch,
): ReportTemplate {
  const { database, clock } = context
  return database.transaction(() => {
    const before = requireChangeableTemplate(context, caller, templateId)
    const given = Object.fromEntries(
      Object.entries(patch).filter(([, value]) => value !== undefined),
    )
    const after = { ...before, ...given, updatedAt: instantOf(clock()) }
    checkUniqueName(context, caller, after)
    queries.updateReportTemplate(database, after)
    const { updatedAt: _, ...changes } = differences(before, after)
    const fields = Object.keys(changes)
    note(context, actorOf(caller), 'template.change', templateId, { fields })
    return templateView(context, after)
  })
}

/**
 * Removes a template.
 * @throws ApiError not-permitted, not-found
 */
export function removeTemplate(context: Context, caller: UserCaller, templateId: string): void {
  context.database.transaction(() => {
    const { kind, name } = requireChangeableTemplate(context, caller, templateId)
    queries.deleteReportTemplate(context.database, templateId)
    note(context, actorOf(caller), 'template.remove', templateId, { kind, name })
  })
}

const templateView = (
  { database }: Context,
  { ownerId, createdAt: _, ...template }: queries.ReportTemplateRecord,
): ReportTemplate => ({
  ...template,
  owner: ownerId === null ? null : namedUserOf(database, ownerId),
})

/**
 * Checks that the caller may manage templates of this owner.
 * @throws ApiError not-permitted
 */
function checkCanManage(caller: UserCaller, ownerId: string | null): void {
  requirePermission(caller, 'writeReports')
  if (ownerId === null && !isAllowed(caller, 'manageGateway'))
    throw new ApiError('not-permitted', message('reports.may-not-change-shared'))
}

function requireChangeableTemplate({ database }: Context, caller: UserCaller, templateId: string) {
  const template = queries.findReportTemplate(database, templateId)
  if (!template || (template.ownerId !== null && template.ownerId !== caller.user.userId))
    throw new ApiError('not-found', message('reports.template-unknown'))
  checkCanManage(caller, template.ownerId)
  return template
}

/**
 * Checks that name and shortcut are free.
 * @throws ApiError refused
 */
function checkUniqueName(
  { database }: Context,
  { user }: UserCaller,
  template: queries.ReportTemplateRecord,
): void {
  const { templateId, ownerId, kind, name, shortcut, ageFrom, ageTo } = template
  const others = queries
    .listReportTemplates(database, user.userId)
    .filter((other) => other.templateId !== templateId && other.ownerId === ownerId)
  if (others.some((other) => other.kind === kind && isSame(other.name, name)))
    throw refused('body.name', message('reports.template-name-taken', { kind }))
  if (others.some((other) => isSame(other.shortcut, shortcut)))
    throw refused('body.shortcut', message('reports.template-shortcut-taken'))
  if (ageFrom !== null && ageTo !== null && ageFrom > ageTo)
    throw refused('body.ageTo', message('reports.template-ages-reversed'))
}

const isSame = (a: string | null, b: string | null) =>
  a !== null && a.toLowerCase() === b?.toLowerCase()

/**
 * Modalities of objects that refer to images (PS3.3 C.7.3.1.1.1): reports, presentation states, key
 * objects.
 */
export const NON_IMAGE_MODALITIES: readonly string[] = ['SR', 'DOC', 'OT', 'PR', 'KO']

/**
 * The study data that the scope of a template is compared with; unknown values are undefined or
 * empty.
 */
export interface TemplateSubject {
  readonly modalities: readonly string[]
  readonly sex: string | undefined
  /** Age in whole years at the time of the scan. */
  readonly age: number | undefined
  readonly description: string
}

/**
 * Collects the data to compare. Modalities are those of the images, otherwise those in the scan
 * type.
 */
export function subjectOf(
  context: Context,
  { studyInstanceUid, studyDescription, createdAt, detail }: StudyRecord,
): TemplateSubject {
  const { scanType = '', sex, age, dateOfBirth, scanDate } = detail.reportMetadata ?? {}
  const received = (findImageStudy(context.database, studyInstanceUid)?.modalities ?? []).filter(
    (modality) => !NON_IMAGE_MODALITIES.includes(modality),
  )
  const named = scanType.toUpperCase().match(/[A-Z0-9_]+/g) ?? []
  return {
    modalities: received.length > 0 ? received : named,
    sex,
    age:
      ageYearsOf(age) ??
      (dateOfBirth === undefined
        ? undefined
        : yearsBetween(dateOfBirth, scanDate ?? createdAt.slice(0, 10))),
    description: folded(studyDescription),
  }
}

/**
 * The number of criteria of the scope that the study meets; undefined if it violates one. Criteria
 * that cannot be evaluated are ignored, so that a template is offered rather than hidden.
 */
export function matchedCriteriaCount(
  template: queries.ReportTemplateRecord,
  { modalities, sex, age, description }: TemplateSubject,
): number | undefined {
  const { modalities: scopeModalities, sex: scopeSex, ageFrom, ageTo, keywords } = template
  // Undefined if there is no criterion, or the study's value is unknown.
  const tests = [
    scopeModalities.length > 0 && modalities.length > 0
      ? scopeModalities.some((one) => modalities.includes(one))
      : undefined,
    scopeSex !== null && sex !== undefined ? scopeSex === sex : undefined,
    ageFrom !== null && age !== undefined ? age >= ageFrom : undefined,
    ageTo !== null && age !== undefined ? age <= ageTo : undefined,
    keywords.length > 0 ? keywords.some((word) => description.includes(folded(word))) : undefined,
  ].filter((fits) => fits !== undefined)
  return tests.every(Boolean) ? tests.length : undefined
}

/** Reads an age in years from free text such as `45`, `45 y`, `045Y` (PS3.5 AS) or `6 months`. */
function ageYearsOf(age: string | undefined): number | undefined {
  const [, count, unit = ''] = /^\s*(\d{1,3})\s*([a-z]*)/i.exec(age ?? '') ?? []
  if (count === undefined) return undefined
  return /^(m|w|d)/i.test(unit)
    ? Math.floor(
        Number(count) / UNITS_PER_YEAR[unit[0]?.toLowerCase() as keyof typeof UNITS_PER_YEAR],
      )
    : Number(count)
}
const UNITS_PER_YEAR = { m: 12, w: 52, d: 365 }

/** Whole years between two days, `YYYY-MM-DD`. */
function yearsBetween(birth: string, day: string): number {
  return (
    Number(day.slice(0, 4)) - Number(birth.slice(0, 4)) - (day.slice(5) < birth.slice(5) ? 1 : 0)
  )
}
