import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { rawQuery } from '#server/database/query.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const [FIRST, LATER] = ['2026-03-10T09:00:00.000Z', '2026-03-10T09:20:00.000Z']

/**
 * A database as the fifth release left it: three studies, the last made by a clock that was set
 * back, and two studies with images.
 */
function fifth(file: string): void {
  Database.open(file, { migrations: MIGRATIONS.slice(0, 5) })[Symbol.dispose]()
  const old = new Sqlite(file)
  for (const [id, at, severity] of [
    ['1', FIRST, 'normal'],
    ['2', LATER, 'stat'],
    ['3', FIRST, 'normal'],
  ])
    old.exec(`insert into studies (studyId, area, studyInstanceUid, studyDescription, descriptionFolded, severity, status, createdAt, updatedAt)
      values ('stu_${id}', 'viewer', '1.2.${id}', 'CT', 'ct', '${severity}', 'incomplete', '${at}', '${at}')`)
  for (const [uid, at] of [
    ['1.2.2', LATER],
    ['1.2.1', FIRST],
  ])
    old.exec(`insert into imageStudies (studyInstanceUid, createdAt, lastInstanceAt, state, settledAt, dueAt, callingAeTitle, remoteAddress,
        deviceName, transferHow, transferDetail, transferAt, instances, series, bytes, quarantined, patientIdKey, sealedHeader, isFetched,
        enrichmentState, enrichmentAttempts, enrichmentDetail, enrichmentWarnings)
      values ('${uid}', '${at}', '${at}', 'settled', '${at}', '${at}', 'CT1', '10.0.0.1', '', 'released', '', '${at}', 1, 1, 9, 0,
        zeroblob(32), x'00', 0, 'not-asked', 0, '', '[]')`)
  old.close()
}

function upgraded(
  work: (db: Database, all: (text: string) => unknown[]) => void,
  migrations = MIGRATIONS,
): void {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  fifth(file)
  using db = Database.open(file, { migrations })
  work(db, (text) =>
    db.all(rawQuery<Record<string, unknown>>(text, [])).map((row) => Object.values(row)),
  )
}

describe('the sixth schema', () => {
  it('counts the studies that are there, numbers their images in the order they came, and has all of them to index', () => {
    upgraded((_, all) => {
      expect(all('select studies from studyTallies order by facet')).toEqual([[2], [1]])
      expect(all('select studyInstanceUid from imageStudyNumbers order by number')).toEqual([
        ['1.2.1'],
        ['1.2.2'],
      ])
      expect(all('select what, below from searchFill order by what')).toEqual([
        ['images', 3],
        ['retrieval', 3],
        ['studies', 4],
      ])
      expect(
        all(`select name from pragma_table_info('imageStudies') where name like '%Key'`),
      ).toEqual([])
      expect(all('select count(*) from imageStudies')).toEqual([[2]])
    })
  })

  it('knows in which quarters of an hour studies stand out of the order of time', () => {
    upgraded((_, all) =>
      expect(
        all('select quarter, lowest, highest, isLate from studyQuarters order by quarter'),
      ).toEqual([
        ['2026-03-10T09:0', 1, 3, 0],
        ['2026-03-10T09:1', 2, 2, 1],
      ]),
    )
  })

  it('is there as a whole or not at all', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    fifth(file)
    const broken = [...MIGRATIONS.slice(0, 5), `${MIGRATIONS[5]}; select no_such_function();`]
    expect(() => Database.open(file, { migrations: broken })).toThrow()
    using db = Database.open(file)
    expect(db.all(rawQuery('select studies from studyTallies', []))).toHaveLength(2)
  })
})
