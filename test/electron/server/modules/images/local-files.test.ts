import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  findCurrentInstance,
  listInstanceVersions,
} from '#server/modules/images/instance-queries.ts'
import { listFileRemovals, markRemoved } from '#server/modules/images/local-file-queries.ts'
import { localPathOf, removeLocalFiles } from '#server/modules/images/local-files.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { message } from '#shared/messages/message.ts'
import { IMAGE, openStage, STUDY, type Stage } from './intake-fixture.ts'

const AT = '2026-11-20T10:00:00.000Z'
const UID = String(IMAGE.SOPInstanceUID)

function instanceOf({ store: { database } }: Stage) {
  const found = findCurrentInstance(database, UID)
  if (!found) throw new Error('The instance has no row.')
  return found
}
const restart = async (stage: Stage, meanwhile: () => void = () => undefined) => {
  await stage.intake.settled()
  await stage.reopen(() => {
    meanwhile()
    // As after a crash: the images of the last minutes are checked.
    writeFileSync(join(stage.folder, 'images', '.open'), '')
  })
  await stage.intake.settled()
}
const removed = async (stage: Stage) => {
  await stage.send(IMAGE)
  await stage.intake.settled()
  const before = instanceOf(stage)
  const bytes = readFileSync(stage.store.imageFiles.pathOf(before.file))
  expect(await removeLocalFiles(stage.store, [before], (all) => all)).toEqual([before])
  return { before, bytes }
}

describe('removing the local file of an instance', () => {
  it('deletes the file, keeps the row, and a restart after a crash changes nothing', async () => {
    await using stage = await openStage()
    const { before } = await removed(stage)
    expect(existsSync(stage.store.imageFiles.pathOf(before.file))).toBe(false)
    expect(listFileRemovals(stage.store.database, 10)).toEqual([])
    await restart(stage)
    expect(instanceOf(stage).localRemovedAt).not.toBeNull()
    expect(findImageStudy(stage.store.database, STUDY)?.instances).toBe(1)
    expect(stage.intake.recovery.count()).toBe(0)
    await expect(localPathOf(stage.store, instanceOf(stage))).rejects.toMatchObject({
      code: 'unavailable',
      explanation: message('images.file-elsewhere'),
    })
  })

  it('is finished by the next start when the process ended after the commit', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    const before = instanceOf(stage)
    const path = stage.store.imageFiles.pathOf(before.file)
    markRemoved(stage.store.database, [before], AT)
    expect(existsSync(path)).toBe(true)
    await restart(stage)
    expect(existsSync(path)).toBe(false)
    expect(listFileRemovals(stage.store.database, 10)).toEqual([])
    expect(instanceOf(stage).localRemovedAt).toBe(AT)
  })

  it('does not put a file back that returned into the recovery folder', async () => {
    await using stage = await openStage()
    const { before, bytes } = await removed(stage)
    const copy = join(stage.folder, 'recovery', before.file)
    await restart(stage, () => {
      mkdirSync(dirname(copy), { recursive: true })
      writeFileSync(copy, bytes)
    })
    expect(existsSync(copy)).toBe(true)
    expect(existsSync(stage.store.imageFiles.pathOf(before.file))).toBe(false)
  })

  it('does not remove what the check in the transaction withholds', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    const before = instanceOf(stage)
    expect(await removeLocalFiles(stage.store, [before], () => [])).toEqual([])
    expect(instanceOf(stage).localRemovedAt).toBeNull()
    expect(existsSync(stage.store.imageFiles.pathOf(before.file))).toBe(true)
  })
})

describe('an instance whose file was removed', () => {
  it('has a file again when its device sends the same bytes', async () => {
    await using stage = await openStage()
    const { before, bytes } = await removed(stage)
    expect(await stage.send(IMAGE)).toEqual({ status: 0 })
    await stage.intake.settled()
    const after = instanceOf(stage)
    expect(after).toMatchObject({ instanceId: before.instanceId, localRemovedAt: null })
    expect(after.file).not.toBe(before.file)
    expect(readFileSync(await localPathOf(stage.store, after))).toEqual(bytes)
    expect(listInstanceVersions(stage.store.database, UID)).toHaveLength(1)
    await restart(stage)
    expect(instanceOf(stage)).toEqual(after)
  })

  it('is replaced by other content of its device, as an image with a file is', async () => {
    await using stage = await openStage()
    const { before } = await removed(stage)
    expect(await stage.send({ ...IMAGE, InstanceNumber: '99' })).toEqual({ status: 0 })
    await stage.intake.settled()
    expect(instanceOf(stage).instanceId).not.toBe(before.instanceId)
    expect(instanceOf(stage).localRemovedAt).toBeNull()
  })

  it('has a file again when it is retrieved, also in another transfer syntax', async () => {
    let isFetching = false
    await using stage = await openStage({ isFetching: () => isFetching })
    const { before } = await removed(stage)
    isFetching = true
    const transferSyntax = TRANSFER_SYNTAX.implicitLittleEndian
    const association = { callingAeTitle: 'PACS', remoteAddress: '10.0.0.9' }
    expect(await stage.send(IMAGE, { transferSyntax, association })).toEqual({ status: 0 })
    await stage.intake.settled()
    expect(instanceOf(stage)).toMatchObject({
      ...{ instanceId: before.instanceId, localRemovedAt: null },
      transferSyntaxUid: transferSyntax,
    })
    expect(listInstanceVersions(stage.store.database, UID)).toHaveLength(1)
    await restart(stage)
    expect(stage.intake.recovery.count()).toBe(0)
  })
})
