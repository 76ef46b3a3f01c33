import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { rawQuery } from '#server/database/query.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const DEVICE = `'CT1', '10.0.3.7', 'CT room 1'`

/**
 * A database of schema 10 with two images, the second of which was deleted, and forwards of both.
 */
function olderDatabase(file: string): void {
  Database.open(file, { migrations: MIGRATIONS.slice(0, 10) })[Symbol.dispose]()
  const old = new Sqlite(file)
  old.exec(`
    insert into imageStudies (studyInstanceUid, createdAt, lastInstanceAt, state, settledAt, dueAt, callingAeTitle, remoteAddress, deviceName,
        transferHow, transferDetail, transferAt, sealedHeader, isFetched, enrichmentState, enrichmentDetail, enrichmentWarnings)
      values ('1.2', '${AT}', '${AT}', 'settled', '${AT}', '${AT}', ${DEVICE}, 'released', '', '${AT}', x'00', 0, 'not-asked', '', '[]');
    insert into destinations (destinationId, name, aeTitle, host, port, isTls, isEnabled, isAutomatic, modalities, hasPriors, createdAt,
        updatedAt, lastError)
      values ('d1', 'PACS', 'PACS', '127.0.0.1', 104, 0, 1, 1, '[]', 0, '${AT}', '${AT}', '');`)
  const instance =
    old.prepare(`insert into instances (sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, transferSyntaxUid, file,
      dataSetOffset, bytes, crc32, state, detail, callingAeTitle, remoteAddress, deviceName, associationId, receivedAt, lastSeenAt, modality,
      instanceNumber, scheduledProcedureStepId)
    values (?, '1.2', '1.2', '1.2.1', '1.2.840.10008.1.2.1', ?, 400, 500, 7, 'current', '', ${DEVICE}, 'a1', '${AT}', '${AT}', 'CT', '1', '')`)
  for (const number of [1, 2]) instance.run(`1.2.1.${number}`, `0${number}/file${number}.dcm`)
  old.exec(`delete from instances where instanceId = 2`)
  const forward =
    old.prepare(`insert into forwards (destinationId, instanceId, sopInstanceUid, studyInstanceUid, state, queuedAt, nextAt, status,
      lastError, sentAs, createdAt, updatedAt) values ('d1', ?, '1.2.1.1', '1.2', 'waiting', '${AT}', '${AT}', '', '', '', '${AT}', '${AT}')`)
  for (const id of [1, 2]) forward.run(id)
  const fail = old.prepare(
    `update forwards set state = 'failed', nextAt = null, lastError = ? where instanceId = ?`,
  )
  fail.run('it has no room left', 1)
  fail.run('the image was discarded here', 2)
  old.close()
}

it('keeps images with their ids, knows nothing of their structure, and drops forwards of rows that were taken back', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  olderDatabase(file)
  using db = Database.open(file)
  const rows = db.all(
    rawQuery(
      'select instanceId, sopInstanceUid, structure, change, changeReviewedAt from instances',
      [],
    ),
  )
  expect(rows).toEqual([
    {
      instanceId: 1,
      sopInstanceUid: '1.2.1.1',
      structure: 'unchecked',
      change: null,
      changeReviewedAt: null,
    },
  ])
  // An id that was given out belongs to the forwards of that instance.
  expect(db.get(rawQuery(`select seq from sqlite_sequence where name = 'instances'`, []))).toEqual({
    seq: 2,
  })
  expect(
    db.all(rawQuery('select instanceId, state from forwards order by instanceId', [])),
  ).toEqual([
    { instanceId: 1, state: 'failed' },
    { instanceId: 2, state: 'dropped' },
  ])
  expect(db.get(rawQuery('select failed, dropped from forwardedStudies', []))).toEqual({
    failed: 1,
    dropped: 1,
  })
  // A reason that schema 10 did not have; and what is announced still follows the images.
  db.run(
    rawQuery(`insert into announcedInstances values ('1.2.1.1', '1.2', '1.2.1', 1, '${AT}')`, []),
  )
  db.run(rawQuery(`update instances set state = 'quarantined', reason = 'incomplete'`, []))
  expect(db.get(rawQuery('select isHere from announcedInstances', []))).toEqual({ isHere: 1 })
  db.run(rawQuery('delete from instances', []))
  expect(db.get(rawQuery('select isHere from announcedInstances', []))).toEqual({ isHere: 0 })
})
