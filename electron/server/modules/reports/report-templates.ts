import { type DomainDeps, differences, note } from '#server/modules/audit/audit.ts'
import { visibleStudy } from '#server/modules/studies/study-access.ts'
import { refused } from '#server/modules/studies/study-references.ts'
import { actorOf, demand, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { NewReportTemplate, ReportTemplate } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { personOf } from './report-people.ts'
import {
  deleteReportTemplate,
  findReportTemplate,
  insertReportTemplate,
  listReportTemplates,
  type ReportTemplateRecord,
  updateReportTemplate,
} from './report-template-queries.ts'
import { fitOf, subjectOf } from './template-fit.ts'

export type ReportTemplatePatch = {
  readonly [K in keyof Omit<NewReportTemplate, 'kind' | 'for'>]?: NewReportTemplate[K] | undefined
}

/**
 * Templates and macros: everybody's are for owners and admins to make, one's own for whoever writes
 * reports.
 */
export interface ReportTemplates {
  /**
   * One's own and everybody's, by name; with a study those that fit it, the best first. @throws
   * ApiError not-found
   */
  list(caller: UserCaller, studyId?: string): ReportTemplate[]
  /** @throws ApiError not-permitted; refused: the name or the shortcut is taken */
  add(caller: UserCaller, template: NewReportTemplate): ReportTemplate
  /** @throws ApiError as `add`; not-found: it is not there, or another person's */
  change(caller: UserCaller, templateId: string, patch: ReportTemplatePatch): ReportTemplate
  /** @throws ApiError not-permitted, not-found */
  remove(caller: UserCaller, templateId: string): void
}

export function openReportTemplates(deps: DomainDeps): ReportTemplates {
  const { store, clock, uuid } = deps
  const { database } = store

  const view = ({
    ownerId,
    createdAt: _,
    modalities,
    keywords,
    ...template
  }: ReportTemplateRecord): ReportTemplate => ({
    ...template,
    modalities: [...modalities],
    keywords: [...keywords],
    owner: ownerId === null ? null : personOf(deps, ownerId),
  })

  function demandFor(caller: UserCaller, ownerId: string | null): void {
    demand(caller, 'writeReports')
    if (ownerId === null && !isAllowed(caller, 'manageGateway'))
      throw new ApiError(
        'not-permitted',
        'Only an owner or an admin may change what is everybody’s: make one of your own.',
      )
  }

  function mineToChange(caller: UserCaller, templateId: string): ReportTemplateRecord {
    const template = findReportTemplate(database, templateId)
    if (!template || (template.ownerId !== null && template.ownerId !== caller.user.userId))
      throw new ApiError('not-found', 'There is no such template.')
    demandFor(caller, template.ownerId)
    return template
  }

  /** @throws ApiError refused */
  function demandFree(
    { templateId, ownerId, kind, name, shortcut, ageFrom, ageTo }: ReportTemplateRecord,
    userId: string,
  ): void {
    const others = listReportTemplates(database, userId).filter(
      (other) => other.templateId !== templateId && other.ownerId === ownerId,
    )
    if (others.some((other) => other.kind === kind && isSame(other.name, name)))
      throw refused('body.name', `must not be that of another ${kind}`)
    if (
      shortcut !== null &&
      others.some((other) => other.shortcut !== null && isSame(other.shortcut, shortcut))
    )
      throw refused('body.shortcut', 'must not be that of another template or macro')
    if (ageFrom !== null && ageTo !== null && ageFrom > ageTo)
      throw refused('body.ageTo', 'must not be less than ageFrom')
  }

  return {
    list(caller, studyId) {
      demand(caller, 'readStudies')
      const templates = listReportTemplates(database, caller.user.userId)
      if (studyId === undefined) return templates.map(view)
      const subject = subjectOf(deps, visibleStudy(deps.store, caller, 'scribe', studyId))
      return templates
        .flatMap((template) => {
          const fit = fitOf(template, subject)
          return fit === undefined
            ? []
            : { template, rank: fit * 2 + (template.ownerId === null ? 0 : 1) }
        })
        .sort((a, b) => b.rank - a.rank)
        .map(({ template }) => view(template))
    },

    add: (caller, { for: whose, ...template }) =>
      database.transaction(() => {
        const ownerId = whose === 'mine' ? caller.user.userId : null
        demandFor(caller, ownerId)
        const now = instantOf(clock())
        const record: ReportTemplateRecord = {
          templateId: uuid(),
          ownerId,
          ...template,
          createdAt: now,
          updatedAt: now,
        }
        demandFree(record, caller.user.userId)
        insertReportTemplate(database, record)
        note(deps.store, actorOf(caller), 'template.add', record.templateId, {
          kind: record.kind,
          name: record.name,
          for: whose,
        })
        return view(record)
      }),

    change: (caller, templateId, patch) =>
      database.transaction(() => {
        const before = mineToChange(caller, templateId)
        const given = Object.fromEntries(
          Object.entries(patch).filter(([, value]) => value !== undefined),
        )
        const after: ReportTemplateRecord = { ...before, ...given, updatedAt: instantOf(clock()) }
        demandFree(after, caller.user.userId)
        updateReportTemplate(database, after)
        const { updatedAt: _, ...changes } = differences(before, after)
        note(deps.store, actorOf(caller), 'template.change', templateId, {
          fields: Object.keys(changes),
        })
        return view(after)
      }),

    remove: (caller, templateId) =>
      database.transaction(() => {
        const { kind, name } = mineToChange(caller, templateId)
        deleteReportTemplate(database, templateId)
        note(deps.store, actorOf(caller), 'template.remove', templateId, { kind, name })
      }),
  }
}

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
