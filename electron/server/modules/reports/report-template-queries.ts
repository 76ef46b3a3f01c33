import type { Selectable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { ReportTables } from '#server/database/tables/reports.ts'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'

// The table reportTemplates; what a template holds names no patient. An owner has a name of one
// kind once, and a shortcut once, whatever the case.

type StoredTemplate = Selectable<ReportTables['reportTemplates']>
/** Ages are in years, both included. */
export type ReportTemplateRecord = Omit<ReportTemplate, 'owner'> & {
  /** Null: everybody's. */
  readonly ownerId: string | null
  readonly createdAt: string
}

const every = (database: Database) => database.sql.selectFrom('reportTemplates').selectAll()

/** Everybody's and the person's own, by name. */
export const listReportTemplates = (database: Database, userId: string): ReportTemplateRecord[] =>
  database
    .all(
      every(database)
        .where((of) => of.or([of('ownerId', 'is', null), of('ownerId', '=', userId)]))
        .orderBy('name')
        .orderBy('templateId'),
    )
    .map(recordOf)

export function findReportTemplate(database: Database, templateId: string) {
  const row = database.get(every(database).where('templateId', '=', templateId))
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
