import type { Database } from '#server/database/database.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import type { Row } from '#server/database/schema.ts'
import type { LifecycleRule, NewLifecycleRule } from '#shared/contract/lifecycle.ts'

/** The rules in the order of their names. */
export const listRules = (database: Database): LifecycleRule[] =>
  database
    .all(rawQuery<Row<'lifecycleRules'>>('select * from lifecycleRules order by name, ruleId', []))
    .map(ruleOf)

export function findRule(database: Database, ruleId: string): LifecycleRule | undefined {
  const row = database.get(
    rawQuery<Row<'lifecycleRules'>>('select * from lifecycleRules where ruleId = ?', [ruleId]),
  )
  return row && ruleOf(row)
}

/** Inserts or replaces a rule. */
export function saveRule(database: Database, rule: LifecycleRule): void {
  const { ruleId, revision, isPreviewed, isOn, createdAt, updatedAt, name, ...definition } = rule
  database.run(
    rawQuery(
      `insert into lifecycleRules (ruleId, name, definition, revision, previewedRevision, isOn, createdAt, updatedAt)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (ruleId) do update set name = excluded.name, definition = excluded.definition,
          revision = excluded.revision, previewedRevision = excluded.previewedRevision,
          isOn = excluded.isOn, updatedAt = excluded.updatedAt`,
      [
        ...[ruleId, name, JSON.stringify(definition), revision],
        ...[isPreviewed ? revision : null, flag(isOn), createdAt, updatedAt],
      ],
    ),
  )
}

export const deleteRule = (database: Database, ruleId: string) =>
  database.run(rawQuery('delete from lifecycleRules where ruleId = ?', [ruleId]))

type RuleDefinition = Omit<NewLifecycleRule, 'name' | 'readsBack'> &
  Partial<Pick<NewLifecycleRule, 'readsBack'>>

const ruleOf = (row: Row<'lifecycleRules'>): LifecycleRule => ({
  // Rules of earlier versions do not have it.
  readsBack: false,
  ...(JSON.parse(row.definition) as RuleDefinition),
  ruleId: row.ruleId,
  name: row.name,
  revision: row.revision,
  isPreviewed: row.previewedRevision === row.revision,
  isOn: row.isOn === 1,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
