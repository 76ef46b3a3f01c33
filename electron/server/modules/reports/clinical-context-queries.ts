import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import type { PriorReport } from '#server/modules/studies/study-queries.ts'

/** What the partner said of the patient of a study, once it was asked; sealed at rest. */
export interface ClinicalContextRecord {
  readonly studyId: string
  readonly state: 'answered' | 'empty' | 'failed'
  readonly askedAt: string
  /** Why there is none, or what was left out: sentences for a person. */
  readonly notes: readonly string[]
  readonly clinicalIndication: string
  readonly technologistTechnique: string
  readonly technologistNotes: readonly string[]
  /** Documents whose text came with the answer; those that were fetched are `contextDocuments`. */
  readonly documents: readonly { readonly fileName: string; readonly content: readonly string[] }[]
  readonly priorReports: readonly PriorReport[]
}

/** The newest answer of each study. */
export interface ClinicalContextsStore {
  get(studyId: string): ClinicalContextRecord | undefined
  put(context: ClinicalContextRecord): void
}

export const clinicalContextsStore = (db: Database, seal: Seal): ClinicalContextsStore => ({
  get(studyId) {
    const row = db.get(
      db.sql.selectFrom('clinicalContexts').selectAll().where('studyId', '=', studyId),
    )
    if (!row) return undefined
    const { state, askedAt } = row as Pick<ClinicalContextRecord, 'state' | 'askedAt'>
    return {
      studyId,
      state,
      askedAt,
      ...JSON.parse(seal.open(row.sealedContext, contextOf(studyId)).toString()),
    }
  },
  put({ studyId, state, askedAt, ...context }) {
    const row = {
      studyId,
      state,
      askedAt,
      sealedContext: seal.seal(Buffer.from(JSON.stringify(context)), contextOf(studyId)),
    }
    db.run(
      db.sql
        .insertInto('clinicalContexts')
        .values(row)
        .onConflict((old) => old.column('studyId').doUpdateSet(row)),
    )
  },
})

const contextOf = (studyId: string) => `clinical context ${studyId}`
