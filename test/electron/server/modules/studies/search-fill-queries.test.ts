import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { rawQuery } from '#server/database/query.ts'
import {
  countUnindexed,
  fillSearch,
  fillSearchIndex,
} from '#server/modules/studies/search-fill-queries.ts'
import { countFoundStudies } from '#server/modules/studies/study-count-queries.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { searchStudies } from '#server/modules/studies/study-search-queries.ts'
import { insertStudy, saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { idFromUuid } from '#shared/ids.ts'
import { standingClock, tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const SEARCH_SCHEMA = 5

/**
 * A folder as the version before the index of words left it, with so many studies of both areas.
 */
function oldFolder(folder: string, studies: number): void {
  const open = () => openContext({ folder, clock: standingClock(AT), uuid: randomUUID })
  {
    using store = open()
    for (let at = 0; at < studies; at++)
      insertStudy(store.database, {
        ...{
          area: 'scribe',
          status: 'unassigned',
          studyId: idFromUuid('stu', randomUUID()),
          studyInstanceUid: `2.25.${at}`,
        },
        ...{
          studyDescription: 'CT Thorax',
          severity: 'normal',
          cancelledAt: null,
          createdAt: AT,
          updatedAt: AT,
          assignedTo: null,
        },
        ...{ expressCustomerId: null, createdByApiKeyId: null, createdByUserId: null },
        detail: { reportMetadata: { patientName: at === 0 ? 'Eldest^Una' : `Person^N${at}` } },
      })
  }
  const old = Database.open(`${folder}/${DATABASE_FILE}`)
  const rows = old.all(rawQuery<Record<string, unknown>>('select * from studies', []))
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'facet')
  old[Symbol.dispose]()
  for (const end of ['', '-wal', '-shm'])
    rmSync(`${folder}/${DATABASE_FILE}${end}`, { force: true })
  using before = Database.open(`${folder}/${DATABASE_FILE}`, {
    migrations: MIGRATIONS.slice(0, SEARCH_SCHEMA),
  })
  for (const row of rows)
    before.run(
      rawQuery(
        `insert into studies (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
        columns.map((name) => row[name]),
      ),
    )
}

const count = (store: Context, search: string) =>
  searchStudies(store.database, { area: 'scribe', search }, 'newest', undefined, 100).items.length

describe('studies that were here before they could be searched', () => {
  it('are listed and counted at once, and found when they are indexed, also after a kill in between', async () => {
    using temp = tempFolder()
    oldFolder(temp.folder, 50)
    const open = () =>
      openContext({ folder: temp.folder, clock: standingClock(AT), uuid: randomUUID })
    {
      using store = open()
      expect(countFoundStudies(store.database, { area: 'scribe', search: '' }).shown.count).toBe(50)
      expect(count(store, '')).toBe(50)
      expect(countUnindexed(store.database)).toBe(50)
      // The newest are found first.
      expect(fillSearchIndex(store.database, 20)).toBe(true)
      expect([
        count(store, 'person'),
        count(store, 'eldest'),
        countUnindexed(store.database),
      ]).toEqual([20, 0, 30])
      // What is rolled back has not been indexed.
      expect(() =>
        store.database.transaction(() => {
          fillSearchIndex(store.database, 20)
          throw new Error('killed')
        }),
      ).toThrow('killed')
      expect(countUnindexed(store.database)).toBe(30)
    }
    using store = open()
    const eldest = findStudyByUid(store.database, 'scribe', '2.25.0')
    // What is changed meanwhile is found as it is now.
    if (eldest) saveStudy(store.database, { ...eldest, studyDescription: 'MR Knie' }, eldest)
    expect(count(store, 'eldest knie')).toBe(1)
    await fillSearch(store, new AbortController().signal)
    expect([
      count(store, 'person'),
      count(store, 'eldest knie'),
      count(store, 'eldest thorax'),
    ]).toEqual([49, 1, 0])
    expect(countUnindexed(store.database)).toBe(0)
    await fillSearch(store, new AbortController().signal)
  })

  it('wait where the gateway closes', async () => {
    using temp = tempFolder()
    oldFolder(temp.folder, 50)
    using store = openContext({ folder: temp.folder, clock: standingClock(AT), uuid: randomUUID })
    await fillSearch(store, AbortSignal.abort())
    expect(countUnindexed(store.database)).toBe(50)
  })

  it('are none in a new folder', () => {
    using temp = tempFolder()
    using store = openContext({ folder: temp.folder, clock: standingClock(AT), uuid: randomUUID })
    expect([countUnindexed(store.database), fillSearchIndex(store.database, 10)]).toEqual([
      0,
      false,
    ])
  })
})
