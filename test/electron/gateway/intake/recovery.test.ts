import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileFor } from '#gateway/store/image-files.ts'
import { IMAGE, openStage, STUDY, type Stage } from './intake-fixture.ts'

function leave(stage: Stage, count: number): void {
  for (let n = 0; n < count; n++) {
    const path = join(stage.folder, 'images', fileFor(STUDY, `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'whole, but without a row')
  }
}

describe('the start after a crash', () => {
  it('removes what has no row and what is unfinished, and nothing else', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    leave(stage, 2)
    writeFileSync(join(stage.folder, 'spool', 'half.part'), 'half')
    await stage.reopen()
    await stage.intake.settled()
    expect(stage.files().spool).toEqual([])
    expect(stage.files().images).toEqual([
      stage.store.imageFiles.pathOf(stage.store.instances.current(IMAGE.SOPInstanceUID as string)?.file ?? ''),
    ])
    expect(stage.news.filter(({ kind }) => kind === 'disk').map(({ text }) => text)).toEqual([
      '1 unfinished transfer of the last run: removed, the sender was not told Success.',
      '2 files of a transfer that was cut off by a stop of the gateway: removed.',
    ])
  })

  it('removes nothing where the database is older than the files', async () => {
    await using stage = await openStage({ settings: { 'dimse.maxAssociations': 3 } })
    leave(stage, 5)
    await stage.reopen()
    await stage.intake.settled()
    expect(stage.files().images).toHaveLength(5)
    expect(stage.news.at(-1)).toMatchObject({ kind: 'disk', tone: 'danger', text: expect.stringMatching(/None was removed/) })
  })
})
