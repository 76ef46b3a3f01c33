import type { Selectable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { ReportTables } from '#server/database/tables/reports.ts'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'

// The table reportTemplates. Templates contain no patient data. For each owner, names are unique
// per kind, and shortcuts are unique, ignoring case.

type StoredTemplate = Selectable<ReportTables['reportTemplates']>
/** A template as stored. Ages are in years, both inclusive. */
export type ReportTemplateRecord = Omit<ReportTemplate, 'owner'> & {
  /** Null if the template is shared with everyone. */
  readonly ownerId: string | null
  readonly createdAt: string
}

const selectTemplates = (database: Database) =>
  database.sql.selectFrom('reportTemplates').selectAll()

/** Shared templates and the user's own, by name. */
export const listReportTemplates = (database: Database, userId: string): ReportTemplateRecord[] =>
  database
    .all(
      selectTemplates(database)
        .where((of) => of.or([of('ownerId', 'is', null), of('ownerId', '=', userId)]))
        .orderBy('name')
        .orderBy('templateId'),
    )
    .map(recordOf)

export function findReportTemplate(database: Database, templateId: string) {
  const row = database.get(selectTemplates(database).where('templateId', '=', templateId))
  return row && recordOf(row)
}

export const insertReportTemplate = (database: Database, template: ReportTemplateRecord) =>
  database.run(database.sql.insertInto('reportTemplates').values(rowOf(template)))

export function updateReportTemplate(database: Database, template: ReportTemplateRecord): void {
  const { templateId, ...changed } = rowOf(template)
  database.run(
    database.sql.updateTable('reportTemplates').set(changed).where('templateId', '=', templateId),
  )
}

export const deleteReportTemplate = (database: Database, templateId: string) =>
  database.run(database.sql.deleteFrom('reportTemplates').where('templateId', '=', templateId))

const rowOf = (template: ReportTemplateRecord): StoredTemplate => ({
  ...template,
  modalities: JSON.stringify(template.modalities),
  keywords: JSON.stringify(template.keywords),
})

const recordOf = ({ modalities, keywords, ...row }: StoredTemplate) =>
  ({
    ...row,
    modalities: JSON.parse(modalities),
    keywords: JSON.parse(keywords),
  }) as ReportTemplateRecord
