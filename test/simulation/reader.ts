import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type Context, openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { listReports } from '#server/modules/reports/report-queries.ts'
import type { Standing } from './ledger.ts'

/** What the data folder holds, read beside the gateway. */
export interface Reader extends Disposable {
  readonly folder: string
  readonly store: Context
  select<T>(sql: string, ...values: readonly unknown[]): T[]
  standingOf(studyId: string): Standing
  /** The data set in the instance's file; undefined where there is none. */
  bytesOf(instance: Pick<InstanceRecord, 'file' | 'dataSetOffset'>): Buffer | undefined
}

export function openReader(folder: string, clock: () => number): Reader {
  const database = new Sqlite(join(folder, DATABASE_FILE), { readonly: true })
  const store = openContext({ folder, clock, uuid: randomUUID })
  return {
    folder,
    store,
    select: <T>(sql: string, ...values: readonly unknown[]) =>
      database.prepare(sql).all(...values) as T[],
    standingOf(studyId) {
      const reports = listReports(store.database, studyId)
      const draft = reports.find(({ status }) => status === 'in_progress')
      return {
        draft: draft
          ? { isAddendum: draft.isAddendum, revision: draft.revision, text: draft.plainText ?? '' }
          : null,
        signed: reports.flatMap(({ status, plainText }) =>
          status === 'completed' ? [plainText ?? ''] : [],
        ),
      }
    },
    bytesOf({ file, dataSetOffset }) {
      try {
        return readFileSync(store.imageFiles.pathOf(file)).subarray(dataSetOffset)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    [Symbol.dispose]() {
      store[Symbol.dispose]()
      database.close()
    },
  }
}

export const hashOf = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex')
