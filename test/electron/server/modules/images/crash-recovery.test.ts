import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordCopies } from '#server/modules/images/instance-copy-queries.ts'
import { findCurrentInstance, iterateNewestFirst } from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { listDueCopies, queueCopy, recordCopyStored } from '#server/modules/tiers/copy-queries.ts'
import { insertTier } from '#server/modules/tiers/tier-queries.ts'
import type { S3Settings } from '#shared/contract/tiers.ts'
import { message } from '#shared/messages/message.ts'
import { tierAt } from '../../../../support/object-store.ts'
import { IMAGE, openStage, type Stage } from './intake-fixture.ts'

const numbered = (n: number) => ({ ...IMAGE, SOPInstanceUID: `2.25.77.${n}` })
/**
 * What a power failure leaves: the intake is not closed, and looks at its files at the next start.
 */
async function powerFails(stage: Stage): Promise<void> {
  await stage.intake.settled()
  await stage.reopen(() => writeFileSync(join(stage.folder, 'images', '.open'), ''))
  await stage.intake.settled()
}
const pathOf = (stage: Stage, n: number) =>
  stage.store.imageFiles.pathOf(
    findCurrentInstance(stage.store.database, `2.25.77.${n}`)?.file ?? '',
  )

describe('the start after a power failure', () => {
  it('removes a row whose file got no name, and its sender can send it again', async () => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(numbered(n))
    rmSync(pathOf(stage, 3))
    await powerFails(stage)
    expect(stage.news.at(-1)).toMatchObject({
      kind: 'disk',
      tone: 'warning',
      text: message('images.cut-off', { count: 1 }),
    })
    expect(findCurrentInstance(stage.store.database, '2.25.77.3')).toBeUndefined()
    const study = IMAGE.StudyInstanceUID as string
    expect(findImageStudy(stage.store.database, study)?.instances).toBe(2)
    expect(await stage.send(numbered(3))).toEqual({ status: 0 })
    expect(findImageStudy(stage.store.database, study)?.instances).toBe(3)
  })

  it('takes back a row whose file is not what was received, and looks at none after a run that ended by itself', async () => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(numbered(n))
    const path = pathOf(stage, 2)
    const bytes = readFileSync(path)
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 3) ^ 1, bytes.length - 3)
    writeFileSync(path, bytes)
    await stage.reopen()
    await stage.intake.settled()
    expect(findCurrentInstance(stage.store.database, '2.25.77.2')).toBeDefined()
    await powerFails(stage)
    expect(findCurrentInstance(stage.store.database, '2.25.77.2')).toBeUndefined()
    expect(stage.files().images.filter((name) => name.endsWith('.dcm'))).toHaveLength(2)
    // A disk may have damaged an acknowledged image: it is kept.
    expect(stage.intake.recovery.count()).toBe(1)
  })

  it('keeps the row of an image that another system has, and puts its damaged file aside', async () => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(numbered(n))
    const { database } = stage.store
    const { instanceId } = findCurrentInstance(database, '2.25.77.2') ?? { instanceId: 0 }
    const place = { destinationId: 'd1', destinationName: 'PACS', kind: 'commitment' } as const
    recordCopies(database, [instanceId], { ...place, confirmedAt: '2026-03-10T09:00:00.000Z' })
    writeFileSync(pathOf(stage, 2), 'damaged')
    await powerFails(stage)
    expect(findCurrentInstance(stage.store.database, '2.25.77.2')).toMatchObject({
      instanceId,
      localRemovedAt: expect.any(String),
    })
    expect(stage.intake.recovery.count()).toBe(1)
    expect(stage.news.at(-1)?.text).toEqual(message('images.copied-ones-lost', { count: 1 }))
  })

  it.each([
    ['stored', 1],
    ['waiting', 0],
  ])(
    'keeps the row of an image with a damaged file if its copy in a tier is %s',
    async (state, kept) => {
      await using stage = await openStage()
      await stage.send(numbered(2))
      const { database } = stage.store
      const { instanceId } = findCurrentInstance(database, '2.25.77.2') ?? { instanceId: 0 }
      const at = '2026-03-10T09:00:00.000Z'
      const settings = tierAt('http://127.0.0.1:9').settings as S3Settings
      insertTier(database, {
        ...{ tierId: 't1', name: 'Store', isEnabled: true, isAutomatic: true, settings },
        ...{ createdAt: at, updatedAt: at },
      })
      queueCopy(database, { tierId: 't1', instanceId, migrationId: null, objectKey: 'a', at })
      const [copy] = listDueCopies(database, 't1', at, 1)
      if (state === 'stored')
        recordCopyStored(database, copy?.copyId ?? 0, {
          ...{ bytes: 1, sha256: Buffer.alloc(32), encryption: 'none', at },
        })
      writeFileSync(pathOf(stage, 2), 'damaged')
      await powerFails(stage)
      expect(findCurrentInstance(stage.store.database, '2.25.77.2') ? 1 : 0).toBe(kept)
    },
  )

  it('puts back the one whose place such a row had taken', async () => {
    await using stage = await openStage()
    for (const n of [1, 2]) await stage.send(numbered(n))
    const first = pathOf(stage, 2)
    await stage.send({ ...numbered(2), InstanceNumber: '99' })
    expect(pathOf(stage, 2)).not.toBe(first)
    rmSync(pathOf(stage, 2))
    await powerFails(stage)
    expect(pathOf(stage, 2)).toBe(first)
  })

  it('removes nothing where an image is there and cannot be read', async () => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(numbered(n))
    const path = pathOf(stage, 2)
    rmSync(path)
    mkdirSync(path)
    await powerFails(stage)
    expect(stage.errors).toMatchObject([{ code: 'EISDIR' }])
    expect(findCurrentInstance(stage.store.database, '2.25.77.2')).toBeDefined()
    expect(findImageStudy(stage.store.database, IMAGE.StudyInstanceUID as string)?.instances).toBe(
      3,
    )
  })

  it('removes nothing where the images themselves are missing', async () => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(numbered(n))
    renameSync(join(stage.folder, 'images'), join(stage.folder, 'elsewhere'))
    mkdirSync(join(stage.folder, 'images'))
    await powerFails(stage)
    expect(stage.news.at(-1)).toMatchObject({
      kind: 'disk',
      tone: 'danger',
      text: message('images.most-missing'),
    })
    expect([...iterateNewestFirst(stage.store.database)]).toHaveLength(3)
  })
})
