import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileFor } from '#server/database/image-files.ts'
import { recountInstances } from '#server/modules/images/image-study-writing-queries.ts'
import {
  deleteInstance,
  findCurrentInstance,
  listInstanceVersions,
} from '#server/modules/images/instance-queries.ts'
import { encoded, IMAGE, image, openStage, STUDY, type Stage } from './intake-fixture.ts'

const fileOf = (n: number) =>
  fileFor(STUDY, `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
const pathOf = (stage: Stage, n: number) => join(stage.folder, 'images', fileOf(n))

function leave(
  stage: Stage,
  count: number,
  bytes: string | Buffer = 'whole, but without a row',
): void {
  for (let n = 0; n < count; n++) {
    mkdirSync(dirname(pathOf(stage, n)), { recursive: true })
    writeFileSync(pathOf(stage, n), bytes)
  }
}
const recoveredIn = ({ folder }: Stage) =>
  existsSync(join(folder, 'recovery'))
    ? readdirSync(join(folder, 'recovery'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.dcm'),
      )
    : []
const told = (stage: Stage) =>
  stage.news.filter(({ kind }) => kind === 'disk').map(({ text }) => text)

/** A kept file without its row, as an older database leaves it. */
async function forgotten(
  stage: Stage,
  meanwhile: (path: string) => void = () => undefined,
): Promise<string> {
  await stage.send(IMAGE)
  await stage.intake.settled()
  const row = findCurrentInstance(stage.store.database, String(IMAGE.SOPInstanceUID))
  if (!row) throw new Error('it was not kept')
  await stage.reopen(() => {
    stage.store.database.transaction(() => {
      deleteInstance(stage.store.database, row.instanceId)
      recountInstances(stage.store.database, STUDY)
    })
    meanwhile(stage.store.imageFiles.pathOf(row.file))
  })
  await stage.intake.settled()
  return row.file
}

describe('the start after a crash', () => {
  it('moves what has no row to the recovery folder, deletes what is unfinished, and leaves the rest', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    leave(stage, 2)
    writeFileSync(join(stage.folder, 'spool', 'half.part'), 'half')
    await stage.reopen()
    await stage.intake.settled()
    expect(stage.files().spool).toEqual([])
    expect(stage.files().images).toEqual([
      stage.store.imageFiles.pathOf(
        findCurrentInstance(stage.store.database, IMAGE.SOPInstanceUID as string)?.file ?? '',
      ),
    ])
    expect(recoveredIn(stage)).toEqual([fileOf(0), fileOf(1)])
    expect(stage.intake.recovery.count()).toBe(2)
    expect(told(stage)).toEqual([
      '1 unfinished transfer of the last run was removed; the sender did not receive Success.',
      '2 files in the image folder had no record in the database and were moved to the recovery folder. Nothing was deleted.',
    ])
    await stage.reopen()
    await stage.intake.settled()
    expect(recoveredIn(stage)).toHaveLength(2)
    expect(stage.intake.recovery.count()).toBe(2)
  })

  it('does so however many there are, and never replaces a file there', async () => {
    await using stage = await openStage({ settings: { 'dimse.maxAssociations': 3 } })
    const there = join(stage.folder, 'recovery', fileOf(0))
    mkdirSync(dirname(there), { recursive: true })
    writeFileSync(there, 'the first of this name')
    leave(stage, 5)
    await stage.reopen()
    await stage.intake.settled()
    expect(stage.files().images).toEqual([])
    expect(recoveredIn(stage)).toHaveLength(6)
    expect(readFileSync(there, 'utf8')).toBe('the first of this name')
  })

  it('finds files of long ago once the database is older than at the last scan', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    const row = findCurrentInstance(stage.store.database, String(IMAGE.SOPInstanceUID))
    const folder = dirname(stage.store.imageFiles.pathOf(row?.file ?? ''))
    await stage.reopen()
    await stage.intake.settled()
    await stage.reopen(() => {
      stage.store.database.transaction(() => {
        deleteInstance(stage.store.database, row?.instanceId ?? 0)
        stage.store.database.run(
          stage.store.database.sql
            .deleteFrom('sqlite_sequence' as never)
            .where('name' as never, '=', 'instances' as never),
        )
      })
      utimesSync(folder, 1_000_000, 1_000_000)
    })
    await stage.intake.settled()
    expect(recoveredIn(stage)).toEqual([row?.file])
  })
})

describe('a recovered file', () => {
  it('is imported to where it was, byte for byte, as an image that arrives', async () => {
    await using stage = await openStage()
    const file = await forgotten(stage)
    const before = readFileSync(join(stage.folder, 'recovery', file))
    stage.kept.length = 0
    expect(await stage.intake.recovery.import({ file }, 'user:1')).toEqual({
      imported: 1,
      failed: 0,
      problem: null,
      next: null,
    })
    expect(stage.intake.recovery.count()).toBe(0)
    expect(recoveredIn(stage)).toEqual([])
    const row = findCurrentInstance(stage.store.database, String(IMAGE.SOPInstanceUID))
    expect(row).toMatchObject({ file, callingAeTitle: 'CT1', structure: 'complete' })
    expect(readFileSync(stage.store.imageFiles.pathOf(file))).toEqual(before)
    expect(stage.kept.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual([IMAGE.SOPInstanceUID])
    expect(stage.store.audit.list({ limit: 1 }).items).toMatchObject([
      { actor: 'user:1', action: 'recovery.import', target: file },
    ])
  })

  it('that is in the archive already goes once that one is known to be durable', async () => {
    await using stage = await openStage()
    const file = await forgotten(stage)
    await stage.send(IMAGE)
    expect(await stage.intake.recovery.import({ file }, 'user:1')).toMatchObject({ imported: 1 })
    expect(recoveredIn(stage)).toEqual([])
    expect(listInstanceVersions(stage.store.database, String(IMAGE.SOPInstanceUID))).toHaveLength(1)
  })

  it('of another content than what is here is set aside or takes its place, like one that arrives', async () => {
    await using stage = await openStage()
    const file = await forgotten(stage)
    await stage.send(
      { ...IMAGE, PixelData: 'others__' },
      { association: { callingAeTitle: 'PACS', associationId: 'a2' } },
    )
    expect(await stage.intake.recovery.import({ file }, 'user:1')).toMatchObject({ imported: 1 })
    expect(listInstanceVersions(stage.store.database, String(IMAGE.SOPInstanceUID))).toMatchObject([
      { state: 'current', callingAeTitle: 'PACS' },
      { state: 'quarantined', reason: 'different-content', file },
    ])
  })

  it('that ends too early is set aside, and one whose header says otherwise stays where it is', async () => {
    await using stage = await openStage()
    const file = await forgotten(stage, (path) =>
      writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size - 4)),
    )
    expect(await stage.intake.recovery.import({ file }, 'user:1')).toMatchObject({ imported: 1 })
    expect(listInstanceVersions(stage.store.database, String(IMAGE.SOPInstanceUID))).toMatchObject([
      { state: 'quarantined', reason: 'incomplete' },
    ])

    await using other = await openStage()
    const wrong = await forgotten(other, (path) => {
      const bytes = readFileSync(path)
      const dataSet = encoded(image(7))
      writeFileSync(
        path,
        Buffer.concat([bytes.subarray(0, bytes.length - encoded(IMAGE).length), dataSet]),
      )
    })
    expect(await other.intake.recovery.import({ file: wrong }, 'user:1')).toEqual({
      imported: 0,
      failed: 1,
      problem: 'Its SOP Class UID or SOP Instance UID differs from that in its own file header.',
      next: null,
    })
    expect(recoveredIn(other)).toEqual([wrong])
  })

  it.each([
    [
      'Its SOP Class UID or SOP Instance UID differs from that in its own file header.',
      { SOPClassUID: '1.2.9' },
    ],
    ['Its SOP Class UID or SOP Instance UID differs from that in its own file header.', image(7)],
    ['It names no study or series.', { StudyInstanceUID: '' }],
    ['It names no study or series.', { SeriesInstanceUID: '' }],
  ])('stays where it is, and says: %s (%#)', async (problem, values) => {
    await using stage = await openStage()
    const file = await forgotten(stage, (path) => {
      const bytes = readFileSync(path)
      const meta = bytes.subarray(0, bytes.length - encoded(IMAGE).length)
      writeFileSync(path, Buffer.concat([meta, encoded({ ...IMAGE, ...values })]))
    })
    const imported = await stage.intake.recovery.import({ file }, 'user:1')
    expect(imported).toMatchObject({ imported: 0, failed: 1, problem })
    expect(recoveredIn(stage)).toEqual([file])
  })

  it('that is no image stays, and says why, until a person discards it', async () => {
    await using stage = await openStage()
    leave(stage, 2)
    await stage.reopen()
    await stage.intake.settled()
    const file = fileOf(0)
    const { recovery } = stage.intake
    expect(await recovery.import({}, 'user:1')).toEqual({
      imported: 0,
      failed: 2,
      problem: 'It is not a DICOM file.',
      next: null,
    })
    expect(await recovery.describe(file)).toMatchObject({ isReadable: false, bytes: 24 })
    expect(recovery.files({ limit: 1 })).toEqual({ items: [file], next: file })
    expect(recovery.files({ after: file, limit: 1 })).toEqual({ items: [fileOf(1)] })
    expect(await recovery.discard(file, 'no image', 'user:1')).toMatchObject({ success: true })
    expect(recoveredIn(stage)).toEqual([fileOf(1)])
    await expect(recovery.discard(file, 'no image', 'user:1')).rejects.toMatchObject({
      code: 'not-found',
    })
    expect(stage.store.audit.list({ limit: 1 }).items).toMatchObject([
      { actor: 'user:1', action: 'recovery.discard', target: file, detail: { reason: 'no image' } },
    ])
  })

  it('goes back by itself where a row names it again', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.intake.settled()
    const row = findCurrentInstance(stage.store.database, String(IMAGE.SOPInstanceUID))
    const file = row?.file ?? ''
    await stage.reopen(() => {
      const to = join(stage.folder, 'recovery', file)
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to, readFileSync(stage.store.imageFiles.pathOf(file)))
      rmSync(stage.store.imageFiles.pathOf(file))
    })
    await stage.intake.settled()
    expect(recoveredIn(stage)).toEqual([])
    expect(statSync(stage.store.imageFiles.pathOf(file)).size).toBe(row?.bytes)
    expect(told(stage)).toEqual([
      '1 file was moved back from the recovery folder, because the database has a record of it again.',
    ])
  })
})
