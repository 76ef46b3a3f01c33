import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { rawQuery } from '#server/database/query.ts'
import { ERASED_ROWS } from '#server/modules/lifecycle/erasure-queries.ts'
import { Erasures } from '#server/modules/lifecycle/erasures.ts'
import { placeLegalHold } from '#server/modules/lifecycle/study-lifecycle.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { putViewFile } from '#server/modules/viewer/queries.ts'
import { message } from '#shared/messages/message.ts'
import { GOLDEN_AT, goldenFolder } from '../../../../support/golden.ts'
import { tempFolder } from '../../../../support/temp-store.ts'
import { IMAGE, openStage, STUDY } from '../images/intake-fixture.ts'

const UID = '1.2.3'
const BACKUPS = [
  { name: 'isthmus-2026-11-19', madeAt: GOLDEN_AT, expiresAt: '2026-12-19T00:00:00.000Z' },
]
const listBackups = async () => BACKUPS
const NO_CACHES = {
  views: { purge: () => 0 },
  dicomweb: { deleteOrphans: async () => undefined },
  pulls: { isRetrieving: () => false, block: () => new DisposableStack() },
}
/** Tables that name studies and stay; copies in tiers until their objects are deleted. */
const KEPT: readonly string[] = [
  'auditEntries',
  'erasures',
  'fileRemovals',
  'associationLines',
  'tierCopies',
]
/** Columns that identify a study or something that belongs to one. */
const IDENTIFYING =
  /^(studyInstanceUid|imageStudyUid|orderStudyUid|fromStudyInstanceUid|toStudyInstanceUid|studyId|reportId|instanceId|sopInstanceUid)$/

/** A gateway's data folder with rows of every kind, of the studies 1.2.3 and 1.2.4. */
function goldenClinic() {
  const temp = tempFolder()
  goldenFolder(temp.folder, MIGRATIONS.length)
  const context = openContext({
    folder: temp.folder,
    clock: () => Date.parse(GOLDEN_AT),
    uuid: randomUUID,
  })
  return {
    context,
    [Symbol.dispose]() {
      context[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

/** Tables and columns that could name a study, without the tables of full-text search. */
function identifyingColumns({ context: { database } }: ReturnType<typeof goldenClinic>) {
  return database
    .all(
      rawQuery<{ tableName: string; columnName: string }>(
        `select t.name as tableName, c.name as columnName from sqlite_master t, pragma_table_info(t.name) c
        where t.type = 'table' and t.sql not like '%virtual%' order by 1, 2`,
        [],
      ),
    )
    .filter(({ columnName }) => IDENTIFYING.test(columnName))
}

describe('an erasure', () => {
  it('knows every table that names a study, a report or an image', () => {
    using clinic = goldenClinic()
    const known = new Set([...ERASED_ROWS.map(([table]) => table), 'viewFiles', ...KEPT])
    const tables = new Set(identifyingColumns(clinic).map(({ tableName }) => tableName))
    expect([...tables].filter((table) => !known.has(table))).toEqual([])
  })

  it('leaves no row of the study, not even its signed report, and nothing else is touched', async () => {
    using clinic = goldenClinic()
    const { context } = clinic
    const { database } = context
    await using erasures = new Erasures(context, listBackups, NO_CACHES)
    const others = () =>
      database.all(rawQuery("select * from studies where studyInstanceUid <> '1.2.3'", []))
    const before = others()
    const { confirmWith } = await erasures.preview(UID, 'study')
    const { record, isValid, signature, text } = await erasures.erase(
      { studyInstanceUids: [UID], scope: 'study', reason: 'Requested', confirmation: confirmWith },
      'usr_1',
    )
    for (const { tableName, columnName } of identifyingColumns(clinic)) {
      if (['auditEntries', 'erasures', 'fileRemovals'].includes(tableName)) continue
      const left = database.get(
        rawQuery<{ count: number }>(
          `select count(*) as count from ${tableName} where ${columnName} = '1.2.3'`,
          [],
        ),
      )
      expect([tableName, columnName, left?.count]).toEqual([tableName, columnName, 0])
    }
    expect(database.all(rawQuery('pragma foreign_key_check', []))).toEqual([])
    expect(others()).toEqual(before)
    expect(record?.studies[0]?.rows).toMatchObject({ reportPdfs: 1, instances: expect.any(Number) })
    expect(record).toMatchObject({ backups: BACKUPS, reason: 'Requested', version: 1 })
    expect(isValid).toBe(true)
    expect(text).not.toMatch(/MUSTERMANN|patientName/i)
    const [entry] = context.audit.list({ limit: 1 }).items
    expect(entry).toMatchObject({
      action: 'erasure.done',
      detail: {
        signature,
        sha256: createHash('sha256')
          .update(text ?? '')
          .digest('hex'),
      },
    })
  })

  it('overwrites what it deletes in the file of the database', async () => {
    using clinic = goldenClinic()
    const { database, folder } = clinic.context
    const mark = Buffer.from('INVENTED^PATIENT'.repeat(2000))
    const { changes } = database.run(
      rawQuery('update contextDocuments set sealedContent = ?', [mark]),
    )
    expect(changes).toBeGreaterThan(0)
    await using erasures = new Erasures(clinic.context, listBackups, NO_CACHES)
    const { confirmWith } = await erasures.preview(UID, 'study')
    const erase = { studyInstanceUids: [UID], scope: 'study', reason: 'Requested' } as const
    await erasures.erase({ ...erase, confirmation: confirmWith }, 'usr_1')
    database.all(rawQuery('pragma wal_checkpoint(truncate)', []))
    expect(readFileSync(join(folder, 'gateway.sqlite')).includes('INVENTED^PATIENT')).toBe(false)
  })

  it('still refuses to delete a signed report outside an erasure', () => {
    using clinic = goldenClinic()
    const { database } = clinic.context
    expect(() => database.run(rawQuery('delete from reportPdfs', []))).toThrow(/never deleted/)
    expect(() =>
      database.run(rawQuery("delete from reports where status = 'completed'", [])),
    ).toThrow(/never deleted/)
  })

  it('is refused under legal hold, while it is retrieved, and when what was typed is not the patient', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await using erasures = new Erasures(stage.store, listBackups, NO_CACHES)
    const { confirmWith } = await erasures.preview(STUDY, 'study')
    const request = {
      ...{ studyInstanceUids: [STUDY], scope: 'study' as const, reason: 'Requested' },
      confirmation: confirmWith,
    }
    await expect(erasures.erase({ ...request, confirmation: 'no' }, 'u')).rejects.toMatchObject({
      explanation: message('lifecycle.confirmation-differs'),
    })
    const pulls = { ...NO_CACHES.pulls, isRetrieving: (uid: string) => uid === STUDY }
    await using whileRetrieving = new Erasures(stage.store, listBackups, { ...NO_CACHES, pulls })
    await expect(whileRetrieving.erase(request, 'u')).rejects.toMatchObject({
      explanation: message('lifecycle.erasure-retrieving'),
    })
    placeLegalHold(stage.store, STUDY, 'Court order', 'u')
    await expect(erasures.erase(request, 'u')).rejects.toMatchObject({
      explanation: message('lifecycle.erasure-held'),
    })
    expect(findImageStudy(stage.store.database, STUDY)?.instances).toBe(1)
    expect(erasures.list()).toEqual([])
  })

  it('deletes the files, also those in the recovery folder, and the next start finds nothing to repair', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.intake.settled()
    const [path] = stage.files().images
    const recovered = join(
      dirname(String(path)).replace('images', 'recovery'),
      '6d0f8c2e-4d0b-4a8b-9a55-3a0f6f0a1f01.dcm',
    )
    mkdirSync(dirname(recovered), { recursive: true })
    writeFileSync(recovered, 'DICM')
    await using erasures = new Erasures(stage.store, listBackups, NO_CACHES)
    const { confirmWith, studies } = await erasures.preview(STUDY, 'study')
    expect(studies).toMatchObject([{ instances: 1, files: 1, patientName: expect.any(String) }])
    await erasures.erase(
      {
        studyInstanceUids: [STUDY],
        scope: 'study',
        reason: 'Requested',
        confirmation: confirmWith,
      },
      'u',
    )
    expect(stage.files().images).toEqual([])
    expect(existsSync(recovered)).toBe(false)
    await stage.reopen(() => writeFileSync(join(stage.folder, 'images', '.open'), ''))
    await stage.intake.settled()
    expect(stage.intake.recovery.count()).toBe(0)
    expect(findImageStudy(stage.store.database, STUDY)).toBeUndefined()
    // The device may send a new image of the study: it is a new study.
    expect(await stage.send(IMAGE)).toEqual({ status: 0 })
  })

  it('deletes what the viewer has cached of a partner, also what a view added until it ended', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    const cache = (file: string) => {
      const path = join(stage.folder, 'cache', 'views', file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'DICM')
      const times = { usedAt: GOLDEN_AT, createdAt: GOLDEN_AT }
      putViewFile(stage.store.database, {
        ...{ fileKey: file.padEnd(64, '0'), studyInstanceUid: STUDY, file, bytes: 4 },
        ...{ etag: '"1"', lastModified: null, ...times },
      })
      return path
    }
    const cached = [cache('aa/1.dcm')]
    await using erasures = new Erasures(stage.store, listBackups, {
      ...NO_CACHES,
      views: { purge: () => cached.push(cache('aa/2.dcm')) },
    })
    const { confirmWith } = await erasures.preview(STUDY, 'study')
    const erase = { studyInstanceUids: [STUDY], scope: 'study', reason: 'Requested' } as const
    await erasures.erase({ ...erase, confirmation: confirmWith }, 'u')
    expect(cached.map((path) => existsSync(path))).toEqual([false, false])
    expect(stage.store.database.all(rawQuery('select * from viewFiles', []))).toEqual([])
  })

  it('names all studies of the patient by the patient ID', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.send({ ...IMAGE, StudyInstanceUID: '1.2.3.300', SOPInstanceUID: '1.2.3.300.1' })
    await stage.send({
      ...{ ...IMAGE, PatientID: 'OTHER', StudyInstanceUID: '1.2.3.400' },
      SOPInstanceUID: '1.2.3.400.1',
    })
    await using erasures = new Erasures(stage.store, listBackups, NO_CACHES)
    const preview = await erasures.preview(STUDY, 'patient')
    expect(preview.studies.map(({ studyInstanceUid }) => studyInstanceUid).sort()).toEqual([
      STUDY,
      '1.2.3.300',
    ])
    expect(preview.confirmWith).toBe(IMAGE.PatientID)
  })

  it('is signed, so that a changed record is noticed', async () => {
    using clinic = goldenClinic()
    const { context } = clinic
    await using erasures = new Erasures(context, listBackups, NO_CACHES)
    const { confirmWith } = await erasures.preview(UID, 'study')
    const { erasureId } = await erasures.erase(
      { studyInstanceUids: [UID], scope: 'study', reason: 'Requested', confirmation: confirmWith },
      'usr_1',
    )
    const { database } = context
    const seal = (value: object) =>
      database.seal.seal(Buffer.from(JSON.stringify(value)), `erasure ${erasureId}`)
    const { text, signature } = erasures.read(erasureId)
    const changed = String(text).replace('Requested', 'Something else')
    database.run(
      rawQuery('update erasures set sealedRecord = ?', [seal({ text: changed, mac: signature })]),
    )
    expect(erasures.read(erasureId).isValid).toBe(false)
  })
})
