import type { Database } from '#server/database/database.ts'

/**
 * A template or a macro; what it holds names no patient. One owner has a name of one kind once, and
 * a shortcut once, whatever the case.
 */
export interface ReportTemplateRecord {
  readonly templateId: string
  readonly kind: 'template' | 'macro'
  /** Null: everybody's. */
  readonly ownerId: string | null
  readonly name: string
  readonly shortcut: string | null
  readonly modalities: readonly string[]
  readonly sex: 'male' | 'female' | 'other' | null
  /** Years, both included. */
  readonly ageFrom: number | null
  readonly ageTo: number | null
  readonly keywords: readonly string[]
  readonly text: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** Everybody's and the person's own, by name. */
export const listReportTemplates = (database: Database, userId: string): ReportTemplateRecord[] =>
  database
    .all(
      database.sql
        .selectFrom('reportTemplates')
        .selectAll()
        .where((of) => of.or([of('ownerId', 'is', null), of('ownerId', '=', userId)]))
        .orderBy('name')
        .orderBy('templateId'),
    )
    .map(recordOf)

export function findReportTemplate(
  database: Database,
  templateId: string,
): ReportTemplateRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('reportTemplates').selectAll().where('templateId', '=', templateId),
  )
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

const rowOf = (template: ReportTemplateRecord) => ({
  ...template,
  modalities: JSON.stringify(template.modalities),
  keywords: JSON.stringify(template.keywords),
})

const recordOf = (row: { [K in keyof ReportTemplateRecord]: unknown }): ReportTemplateRecord =>
  ({
    ...row,
    modalities: JSON.parse(String(row.modalities)),
    keywords: JSON.parse(String(row.keywords)),
  }) as ReportTemplateRecord
