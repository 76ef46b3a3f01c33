import type { Database } from '#server/database/database.ts'

/** A template or a macro; what it holds names no patient. */
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

/** One owner has a name of one kind once, and a shortcut once, whatever the case. */
export interface ReportTemplatesStore {
  /** Everybody's and the person's own, by name. */
  listFor(userId: string): ReportTemplateRecord[]
  get(templateId: string): ReportTemplateRecord | undefined
  insert(template: ReportTemplateRecord): void
  update(template: ReportTemplateRecord): void
  remove(templateId: string): boolean
}

export function reportTemplatesStore(db: Database): ReportTemplatesStore {
  const every = db.sql.selectFrom('reportTemplates').selectAll()
  const recordOf = (row: { [K in keyof ReportTemplateRecord]: unknown }): ReportTemplateRecord =>
    ({
      ...row,
      modalities: JSON.parse(String(row.modalities)),
      keywords: JSON.parse(String(row.keywords)),
    }) as ReportTemplateRecord
  const rowOf = (template: ReportTemplateRecord) => ({
    ...template,
    modalities: JSON.stringify(template.modalities),
    keywords: JSON.stringify(template.keywords),
  })
  return {
    listFor: (userId) =>
      db
        .all(
          every
            .where((of) => of.or([of('ownerId', 'is', null), of('ownerId', '=', userId)]))
            .orderBy('name')
            .orderBy('templateId'),
        )
        .map(recordOf),
    get(templateId) {
      const row = db.get(every.where('templateId', '=', templateId))
      return row && recordOf(row)
    },
    insert: (template) => void db.run(db.sql.insertInto('reportTemplates').values(rowOf(template))),
    update(template) {
      const { templateId, ...changed } = rowOf(template)
      db.run(
        db.sql.updateTable('reportTemplates').set(changed).where('templateId', '=', templateId),
      )
    },
    remove: (templateId) =>
      db.run(db.sql.deleteFrom('reportTemplates').where('templateId', '=', templateId)).changes > 0,
  }
}
