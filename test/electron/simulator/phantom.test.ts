import { describe, expect, it, onTestFinished } from 'vitest'
import { openSimulatedFiles } from '#electron/simulator/files.ts'
import { openImageStore } from '#electron/simulator/image-store.ts'
import {
  LANDMARKS,
  NUMBER_PIXEL,
  PHANTOM_SIDE,
  phantomMultiFrame,
  phantomSlice,
  phantomSopUid,
} from '#electron/simulator/phantom.ts'
import { scriptOf } from '#electron/simulator/script.ts'

const SERIES = { studyInstanceUid: '2.25.9', seriesInstanceUid: '2.25.9.2', slices: 300 }

describe('the phantom', () => {
  it('has what an image of it must show where it must be', () => {
    const pixels = Buffer.concat(phantomSlice(SERIES, 217)).subarray(
      -PHANTOM_SIDE * PHANTOM_SIDE * 2,
    )
    const hu = (x: number, y: number) => pixels.readInt16LE((y * PHANTOM_SIDE + x) * 2) - 1024
    for (const [x, y, value, what] of LANDMARKS) expect(hu(x, y), what).toBe(value)
    expect(hu(...NUMBER_PIXEL)).toBe(217)
  })

  it('shares the pixels of slices that look alike', () => {
    expect(phantomSlice(SERIES, 100)[1]).toBe(phantomSlice(SERIES, 101)[1])
    expect(phantomMultiFrame({ ...SERIES, slices: 4 })).toHaveLength(9)
  })
})

describe('a partner with images', () => {
  it('answers with links and a manifest of every file, of each study of a session', async () => {
    const files = await openSimulatedFiles({ clock: Date.now })
    onTestFinished(() => files[Symbol.asyncDispose]())
    const store = openImageStore(files)
    const images = [1, 2, 3].map((number) => ({
      sopInstanceUid: phantomSopUid(SERIES, number),
      body: () => phantomSlice(SERIES, number),
    }))
    store.add({ studyInstanceUid: '2.25.9', images })
    store.add({
      studyInstanceUid: '2.25.8',
      images: [],
      manifest: 'none',
      moreUrls: ['https://pacs.example/1'],
    })
    store.addSession('session', ['2.25.9', '2.25.8'])
    const script = scriptOf([], () => '20261122', store)
    const studyId = `stu_${'0'.repeat(32)}` as never
    const access = script['study.access_requested']({ studyId, studyInstanceUid: '2.25.9' })
    expect(access.urls).toHaveLength(3)
    expect(access.manifest).toMatchObject({
      studyInstanceUID: '2.25.9',
      series: [
        {
          modality: 'CT',
          seriesNumber: 2,
          sops: [
            { sopInstanceUID: '2.25.9.2.1', rows: 512, instanceNumber: 1, rescaleIntercept: -1024 },
            {},
            {},
          ],
        },
      ],
    })
    const session = script['ephemeral.access_requested']({ retrievalId: 'session' })
    expect([session.urls.length, session.manifests?.length]).toEqual([4, 1])
    const file = Buffer.from(await (await fetch(access.urls[1] ?? '')).arrayBuffer())
    expect(file).toEqual(Buffer.concat(phantomSlice(SERIES, 2)))
  })
})
