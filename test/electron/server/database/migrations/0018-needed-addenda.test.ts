import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { neededAddenda } from '#server/database/migrations/0018-needed-addenda.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { rawQuery } from '#server/database/query.ts'
import { addendumNeededSince } from '#server/modules/studies/needed-addendum-queries.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const BEFORE = MIGRATIONS.slice(0, MIGRATIONS.indexOf(neededAddenda))
/** An instant of the day of the tests. */
const at = (time: string) => `2026-03-10T${time}:00.000Z`

/**
 * Sequence numbers of studies, in the order in which they are inserted, and when each needs an
 * addendum since.
 */
const SINCE: Readonly<Record<number, string | null>> = {
  // Images were taken from it after the signature, twice.
  1: at('11:00'),
  // Images were merged into it after the signature.
  2: at('10:00'),
  // An addendum was signed since.
  3: null,
  // Corrected at the instant of the signature.
  4: at('09:00'),
  // The correction was undone: the originals are current again.
  5: null,
  // Undone by a further correction, whose target and source they are.
  6: null,
  7: null,
  // Corrected before the signature.
  8: null,
  // Never signed, though something is being written.
  9: null,
  // Of the area `viewer`, where nothing is signed; its reports are those of study 1.
  10: null,
}

/** Rows in the order in which the program writes them. */
function insertRows(db: Sqlite.Database): void {
  const stamp = at('08:00')
  db.exec(`
    insert into users (userId, email, emailKey, firstName, lastName, level, clinicRole,
        canManageStudies, canCreateReports, hasDashboardAccess, passwordHash, invitedSource,
        createdAt, updatedAt)
      values ('usr_1', 'a', 'a', 'A', 'B', 'owner', 'Other', 1, 1, 1, 'hash', 'api',
        '${stamp}', '${stamp}')`)
  const study = db.prepare(`
    insert into studies (studyId, area, studyInstanceUid, studyDescription, descriptionFolded,
        severity, status, createdAt, updatedAt)
      values (?, ?, ?, 'CT', 'ct', 'normal', ?, '${stamp}', '${stamp}')`)
  const images = db.prepare(`
    insert into imageStudies (studyInstanceUid, createdAt, lastInstanceAt, state, settledAt, dueAt,
        callingAeTitle, remoteAddress, deviceName, transferHow, transferDetail, transferAt,
        sealedHeader, isFetched, enrichmentState, enrichmentDetail, enrichmentWarnings)
      values (?, '${stamp}', '${stamp}', 'settled', '${stamp}', '${stamp}', 'CT1', '10.0.3.7', 'CT',
        'released', '', '${stamp}', x'00', 0, 'not-asked', '', '[]')`)
  for (let number = 1; number <= 9; number++) {
    study.run(`stu_${number}`, 'scribe', `1.${number}`, 'in_progress')
    images.run(`1.${number}`)
  }
  images.run('1.99')
  study.run('stu_10', 'viewer', '1.1', 'complete')

  const draft = db.prepare(`
    insert into reports (reportId, studyId, userId, isAddendum, status, sealedSnapshot, createdAt,
        updatedAt)
      values (?, ?, 'usr_1', 0, 'in_progress', x'00', '${stamp}', '${stamp}')`)
  for (let number = 1; number <= 9; number++) draft.run(`rep_${number}`, `stu_${number}`)
  const sign = db.prepare(`
    update reports set status = 'completed', signedAt = ?, isCritical = 0 where reportId = ?`)
  const addendum = db.prepare(`
    insert into reports (reportId, studyId, userId, isAddendum, status, signedAt, isCritical,
        sealedSnapshot, createdAt, updatedAt)
      values (?, ?, 'usr_1', 1, 'completed', ?, 0, x'00', '${stamp}', '${stamp}')`)
  const correction = db.prepare(`
    insert into corrections (correctionId, kind, cause, fromStudyInstanceUid, toStudyInstanceUid,
        instances, sealedDetails, userId, at, undoes)
      values (?, 'reassign', 'patient-safety', ?, ?, 1, x'00', 'usr_1', ?, ?)`)
  const undo = db.prepare(`
    update corrections set undoneAt = ?, undoneBy = 'usr_1', undoneWith = ? where correctionId = ?`)

  correction.run('c8', '1.8', '1.99', at('08:59'), null)
  for (let number = 1; number <= 8; number++) sign.run(at('09:00'), `rep_${number}`)
  correction.run('c1', '1.1', '1.99', at('09:30'), null)
  correction.run('c1b', '1.1', '1.1', at('11:00'), null)
  correction.run('c2', '1.99', '1.2', at('10:00'), null)
  correction.run('c3', '1.3', '1.99', at('10:00'), null)
  addendum.run('rep_30', 'stu_3', at('10:30'))
  correction.run('c4', '1.4', '1.99', at('09:00'), null)
  correction.run('c5', '1.5', '1.99', at('10:00'), null)
  undo.run(at('10:30'), null, 'c5')
  correction.run('c6', '1.6', '1.7', at('10:00'), null)
  correction.run('c7', '1.7', '1.6', at('10:30'), 'c6')
  undo.run(at('10:30'), 'c7', 'c6')
  correction.run('c9', '1.9', '1.99', at('10:00'), null)
}

it.each([
  ['is filled from the corrections and signatures of an older database', BEFORE],
  ['follows corrections, undos and signatures that are made later', MIGRATIONS],
])('the list of needed addenda %s', (_, migrations) => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  Database.open(file, { migrations })[Symbol.dispose]()
  const raw = new Sqlite(file)
  insertRows(raw)
  raw.close()

  using db = Database.open(file)
  const since = (seq: number) => addendumNeededSince(db, seq)
  expect(Object.fromEntries(Object.keys(SINCE).map((seq) => [seq, since(Number(seq))]))).toEqual(
    SINCE,
  )
})

it('the list of needed addenda changes in the transaction of the correction', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  Database.open(file)[Symbol.dispose]()
  const raw = new Sqlite(file)
  insertRows(raw)
  raw.close()
  using db = Database.open(file)
  const seqs = () =>
    db
      .all(rawQuery<{ seq: number }>('select seq from neededAddenda order by seq', []))
      .map(({ seq }) => seq)
  expect(seqs()).toEqual([1, 2, 4])
  const undone = `update corrections set undoneAt = '${at('12:00')}', undoneBy = 'usr_1'
    where correctionId = 'c2'`
  expect(() =>
    db.transaction(() => {
      db.run(rawQuery(undone, []))
      expect(seqs()).toEqual([1, 4])
      throw new Error('taken back')
    }),
  ).toThrow('taken back')
  expect(seqs()).toEqual([1, 2, 4])
  db.run(rawQuery(undone, []))
  // Of two corrections one was undone.
  db.run(rawQuery(undone.replace('c2', 'c1b'), []))
  expect(seqs()).toEqual([1, 4])
  expect(addendumNeededSince(db, 1)).toBe(at('09:30'))
})

it('the list of needed addenda is found by the indexes of corrections and reports', () => {
  using temp = tempFolder()
  using db = Database.open(join(temp.folder, 'gateway.sqlite'))
  const statement = /insert into neededAddenda [^;]+;/.exec(neededAddenda)?.[0] ?? expect.fail()
  const text = statement
    .replaceAll('new.fromStudyInstanceUid', '?')
    .replaceAll('new.toStudyInstanceUid', '?')
  const plan = db.all(rawQuery<{ detail: string }>(`explain query plan ${text}`, ['1.1', '1.2']))
  expect(plan.map(({ detail }) => detail).filter((detail) => /^SCAN/.test(detail))).toEqual([])
})
