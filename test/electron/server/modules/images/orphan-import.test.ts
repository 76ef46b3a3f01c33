import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { markRestored } from '#server/database/image-files.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  type DestinationRecord,
  insertDestination,
} from '#server/modules/forwarding/destination-queries.ts'
import { compareWithFiles } from '#server/modules/images/crash-recovery.ts'
import { recountInstances } from '#server/modules/images/image-study-writing-queries.ts'
import { recordCopies } from '#server/modules/images/instance-copy-queries.ts'
import {
  deleteInstance,
  findCurrentInstance,
  type InstanceRecord,
  listInstanceVersions,
} from '#server/modules/images/instance-queries.ts'
import { markFile, queueFileRemovals } from '#server/modules/images/local-file-queries.ts'
import { countQuarantined } from '#server/modules/images/quarantine-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { englishText } from '#shared/messages/english.ts'
import { IMAGE, image, openStage, STUDY, type Stage, type StageOptions } from './intake-fixture.ts'

const OTHER_STUDY = '1.2.3.200'
const ofOther = {
  ...IMAGE,
  SOPInstanceUID: '1.2.3.200.1.1',
  StudyInstanceUID: OTHER_STUDY,
  SeriesInstanceUID: '1.2.3.200.1',
}
const AT = '2026-03-01T08:00:00.000Z'
const ARCHIVE: DestinationRecord = {
  ...{
    destinationId: 'd1',
    name: 'PACS',
    aeTitle: 'ARCHIVE',
    host: '127.0.0.1',
    port: 104,
    isTls: false,
    certificate: null,
  },
  ...{
    isEnabled: true,
    isAutomatic: false,
    modalities: [],
    hasPriors: true,
    confirmsStorage: false,
    createdAt: AT,
    updatedAt: AT,
    lastSentAt: null,
    lastError: null,
  },
}
const MARKER = join('images', '.restored')

/** What a restore leaves: the rows are those of before, the files those of now. */
async function putBack(stage: Stage, lost: readonly string[]): Promise<void> {
  await stage.intake.settled()
  await stage.reopen(() => {
    stage.store.database.transaction(() => {
      for (const uid of lost) {
        const row = rowOf(stage, uid)
        deleteInstance(stage.store.database, row.instanceId)
        recountInstances(stage.store.database, row.studyInstanceUid)
      }
    })
    markRestored(stage.folder)
  })
  await stage.intake.settled()
}

/** A stage, and the UIDs of studies that its partner is asked about. */
async function openAsking(ports: StageOptions = {}) {
  const asked: string[] = []
  const askEnrichment: StageOptions['askEnrichment'] = async ({ studyInstanceUid }) => {
    asked.push(studyInstanceUid)
    return {}
  }
  return { stage: await openStage({ askEnrichment, ...ports }), asked }
}

function rowOf(stage: Stage, uid: string): InstanceRecord {
  const row = findCurrentInstance(stage.store.database, uid)
  if (!row) throw new Error(`${uid} has no row`)
  return row
}
const told = (stage: Stage) =>
  stage.news
    .filter(({ kind }) => kind === 'disk')
    .map(({ tone, text }) => `${tone}: ${englishText(text)}`)
const isMarked = (stage: Stage) => stage.files().images.some((name) => name.endsWith('.restored'))

describe('images of a restored database that other systems have, too', () => {
  async function openCopied(count: number) {
    const stage = await openStage()
    const images = Array.from({ length: count }, (_, at) => image(at + 1))
    for (const one of images) await stage.send(one)
    const { database } = stage.store
    const rows = images.map(({ SOPInstanceUID }) => rowOf(stage, String(SOPInstanceUID)))
    const place = { destinationId: 'd1', destinationName: 'PACS', kind: 'commitment' } as const
    const ids = rows.map(({ instanceId }) => instanceId)
    recordCopies(database, ids, { ...place, confirmedAt: AT })
    const pathAt = (at: number) => stage.store.imageFiles.pathOf(rows[at]?.file ?? '')
    const removed = () =>
      rows.map(({ sopInstanceUid }) => rowOf(stage, sopInstanceUid).localRemovedAt !== null)
    return { stage, rows, pathAt, removed }
  }

  it('are marked as removed if their file is not there, and as present if it is', async () => {
    const { stage, rows, pathAt, removed } = await openCopied(3)
    await using _ = stage
    const [, , third] = rows
    if (third) markFile(stage.store.database, third, AT)
    rmSync(pathAt(1))
    await putBack(stage, [])
    expect(removed()).toEqual([false, true, false])
    expect(stage.store.imageFiles.mustCompare()).toBe(false)
    expect(told(stage)).toEqual([
      'warning: After the restore, the file of 1 image is not on this PC. Other systems confirmed copies of it.',
    ])
  })

  it('stay as they are if most files are missing', async () => {
    const { stage, rows, pathAt, removed } = await openCopied(22)
    await using _ = stage
    for (const at of rows.keys()) if (at > 0) rmSync(pathAt(at))
    await putBack(stage, [])
    expect(removed().filter(Boolean)).toEqual([])
    expect(told(stage)).toEqual([expect.stringContaining('copy the files, then restart')])
    for (const at of rows.keys()) if (at > 0 && at < 21) copyFileSync(pathAt(0), pathAt(at))
    await stage.reopen()
    await stage.intake.settled()
    expect(removed().filter(Boolean)).toHaveLength(1)
  })

  it('stay removed if their file is about to be deleted', async () => {
    const { stage, rows, pathAt, removed } = await openCopied(1)
    await using _ = stage
    const { database } = stage.store
    const [row] = rows
    if (!row) throw new Error('One image was stored.')
    markFile(database, row, AT)
    queueFileRemovals(database, [row.file], AT)
    await compareWithFiles(stage.store, new AbortController().signal)
    expect(existsSync(pathAt(0))).toBe(true)
    expect(removed()).toEqual([true])
  })

  it('get their file again that was fetched under another name', async () => {
    const { stage, rows, pathAt, removed } = await openCopied(2)
    await using _ = stage
    const [, row] = rows
    if (!row) throw new Error('Two images were stored.')
    const file = row.file.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000.dcm')
    renameSync(pathAt(1), stage.store.imageFiles.pathOf(file))
    await putBack(stage, [])
    expect(removed()).toEqual([false, false])
    expect(rowOf(stage, row.sopInstanceUid)).toMatchObject({ instanceId: row.instanceId, file })
    expect(listInstanceVersions(stage.store.database, row.sopInstanceUid)).toHaveLength(1)
  })

  it('are not compared at other starts', async () => {
    const { stage, pathAt, removed } = await openCopied(2)
    await using _ = stage
    rmSync(pathAt(1))
    await stage.reopen()
    await stage.intake.settled()
    expect(removed()).toEqual([false, false])
  })
})

describe('images that came after a backup that was put back', () => {
  it('are in their studies again, byte for byte where they were', async () => {
    await using stage = await openStage()
    for (const one of [image(1), image(2), image(3), ofOther]) await stage.send(one)
    await stage.pass(10 * 60_000)
    const uids = [image(2), image(3), ofOther].map(({ SOPInstanceUID }) => String(SOPInstanceUID))
    const before = uids.map((uid) => rowOf(stage, uid))
    stage.kept.length = 0
    await putBack(stage, uids)

    for (const was of before) {
      const {
        instanceId: _,
        associationId: __,
        receivedAt: ___,
        lastSeenAt: ____,
        remoteAddress: _____,
        ...same
      } = was
      expect(rowOf(stage, was.sopInstanceUid)).toMatchObject(same)
    }
    expect(findImageStudy(stage.store.database, STUDY)?.instances).toBe(3)
    expect(findImageStudy(stage.store.database, OTHER_STUDY)?.instances).toBe(1)
    // Destinations have them as well.
    expect(stage.kept.map(({ sopInstanceUid }) => sopInstanceUid).sort()).toEqual([...uids].sort())
    expect(told(stage)).toEqual([
      'warning: 3 objects from 2 studies were received after the restored backup and imported again from the image folder.',
    ])
    expect(stage.errors).toEqual([])
    expect(isMarked(stage)).toBe(false)

    await stage.reopen()
    await stage.intake.settled()
    expect(told(stage)).toHaveLength(1)
  })

  it('make their study appear where it is not known any more', async () => {
    await using stage = await openStage()
    await stage.send(ofOther)
    await stage.intake.settled()
    const file = rowOf(stage, String(ofOther.SOPInstanceUID)).file
    const path = stage.store.imageFiles.pathOf(file)
    const bytes = readFileSync(path)
    const { stage: fresh, asked } = await openAsking()
    await using _fresh = fresh
    await fresh.send(IMAGE)
    await fresh.reopen(() => {
      const to = fresh.store.imageFiles.pathOf(file)
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to, bytes)
      markRestored(fresh.folder)
    })
    await fresh.intake.settled()
    expect(findImageStudy(fresh.store.database, OTHER_STUDY)).toMatchObject({
      state: 'receiving',
      instances: 1,
      callingAeTitle: 'CT1',
    })
    await fresh.pass(10 * 60_000)
    expect(findImageStudy(fresh.store.database, OTHER_STUDY)).toMatchObject({
      state: 'settled',
      transfer: { how: 'released' },
    })
    expect(asked).toContain(OTHER_STUDY)
    expect(told(fresh)).toEqual([
      'warning: 1 object from 1 study was received after the restored backup and imported again from the image folder.',
    ])
  })

  it.each([
    ['1 file', 1],
    ['2 files', 2],
  ])('go to the recovery folder when they cannot be read: %s', async (files, count) => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(image(n))
    const uids = [2, 3].slice(0, count).map((n) => String(image(n).SOPInstanceUID))
    const paths = uids.map((uid) => stage.store.imageFiles.pathOf(rowOf(stage, uid).file))
    const past = Date.now() / 1000 - 60
    for (const path of paths) {
      writeFileSync(path, readFileSync(path).subarray(0, 200))
      utimesSync(path, past, past)
    }
    await putBack(stage, uids)
    for (const uid of uids) expect(findCurrentInstance(stage.store.database, uid)).toBeUndefined()
    expect(told(stage)).toEqual([
      `danger: ${files} in the image folder ${count === 1 ? 'was' : 'were'} received after the restored backup, cannot be read, and ${count === 1 ? 'was' : 'were'} moved to the recovery folder.`,
    ])
    expect(paths.some((path) => existsSync(path))).toBe(false)
    expect(stage.intake.recovery.count()).toBe(count)
    expect(isMarked(stage)).toBe(false)
  })

  it('are set aside where they are not what is here under their UID, and in doubt by no correction', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.intake.settled()
    const lost = rowOf(stage, String(IMAGE.SOPInstanceUID))
    stage.store.database.transaction(() => {
      deleteInstance(stage.store.database, lost.instanceId)
      recountInstances(stage.store.database, STUDY)
    })
    await stage.send(
      { ...IMAGE, PixelData: 'others__' },
      { association: { callingAeTitle: 'PACS', associationId: 'a2' } },
    )
    await stage.reopen(() => markRestored(stage.folder))
    await stage.intake.settled()
    expect(listInstanceVersions(stage.store.database, lost.sopInstanceUid)).toMatchObject([
      { state: 'current', callingAeTitle: 'PACS' },
      { state: 'quarantined', reason: 'different-content', file: lost.file },
    ])
    expect(told(stage)).toEqual([
      'warning: 1 object from 1 study was received after the restored backup and imported again from the image folder.',
    ])
  })

  it('are the same image in another transfer syntax: a version, and what is here stays', async () => {
    await using from = await openStage()
    await from.send(IMAGE, { transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian })
    const uid = String(IMAGE.SOPInstanceUID)
    const bytes = readFileSync(from.store.imageFiles.pathOf(rowOf(from, uid).file))
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.intake.settled()
    const { file } = rowOf(stage, uid)
    const copy = file.replace(/[0-9a-f-]{36}/, '00000000-0000-4000-8000-000000000003')
    await stage.reopen(() => {
      writeFileSync(stage.store.imageFiles.pathOf(copy), bytes)
      markRestored(stage.folder)
    })
    await stage.intake.settled()
    expect(rowOf(stage, uid).file).toBe(file)
    expect(countQuarantined(stage.store.database)).toBe(0)
    expect(findImageStudy(stage.store.database, STUDY)?.instances).toBe(1)
  })

  it('that are here already are versions that count no more, and none is removed', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.intake.settled()
    const row = rowOf(stage, String(IMAGE.SOPInstanceUID))
    const path = stage.store.imageFiles.pathOf(row.file)
    await stage.reopen(() => {
      copyFileSync(path, join(dirname(path), '00000000-0000-4000-8000-000000000001.dcm'))
      markRestored(stage.folder)
    })
    await stage.intake.settled()
    const versions = listInstanceVersions(stage.store.database, row.sopInstanceUid)
    expect(versions.map(({ state }) => state).sort()).toEqual(['current', 'superseded'])
    expect(rowOf(stage, row.sopInstanceUid).file).toBe(row.file)
    expect(findImageStudy(stage.store.database, STUDY)?.instances).toBe(1)
    expect(stage.files().images.filter((name) => name.endsWith('.dcm'))).toHaveLength(2)
  })

  it('of an archive alone are earlier exams as before, and not put up for reading', async () => {
    const { stage, asked } = await openAsking({ isFetching: () => true })
    await using _stage = stage
    insertDestination(stage.store.database, ARCHIVE)
    await stage.send(ofOther, { association: { callingAeTitle: 'ARCHIVE' } })
    await putBack(stage, [String(ofOther.SOPInstanceUID)])
    await stage.pass(10 * 60_000)
    expect(findImageStudy(stage.store.database, OTHER_STUDY)).toMatchObject({
      isFetched: true,
      instances: 1,
    })
    expect(asked).toEqual([])
  })

  it('are none where nothing was put back: such files are what a crash left', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.intake.settled()
    const row = rowOf(stage, String(IMAGE.SOPInstanceUID))
    await stage.reopen(() => {
      stage.store.database.transaction(() => deleteInstance(stage.store.database, row.instanceId))
      rmSync(join(stage.folder, MARKER), { force: true })
    })
    await stage.intake.settled()
    expect(findCurrentInstance(stage.store.database, row.sopInstanceUid)).toBeUndefined()
    expect(stage.files().images.filter((name) => name.endsWith('.dcm'))).toEqual([])
  })
})
