import { describe, expect, it, onTestFinished } from 'vitest'
import { readReferencingObject } from '#server/dicom/referencing-objects/referencing-object.ts'
import { OpenFile } from '#server/modules/viewer/open-files.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import {
  presentationFile,
  STUDY,
  segmentationFile,
  sliceFile,
} from '../../../../support/referencing-files.ts'
import {
  CHANGES,
  DRAWINGS,
  openSaving,
  IMAGE as SAVED_IMAGE,
  STUDY as SAVED_STUDY,
} from '../../../../support/saved-drawings.ts'
import { archive } from './archive-fixture.ts'
import { never, openView, openViewing } from './viewing-fixture.ts'

const IMAGE = '2.25.9300.1.1'
const STATE = '2.25.9300.2.1'
const SEGMENTATION = '2.25.9300.3.1'
const image = sliceFile({ sopInstanceUid: IMAGE })
const state = presentationFile(STATE, [IMAGE])
const segmentation = segmentationFile({
  sopInstanceUid: SEGMENTATION,
  frames: [{ segment: 1, source: IMAGE, value: () => 1 }],
})
const view = () => openView({ studyInstanceUid: STUDY })

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((fault: unknown) => fault)
  if (!(error instanceof ApiError)) throw new Error(`no refusal: ${String(error)}`)
  return englishText(error.explanation)
}

describe('an object that refers to images', () => {
  it('is read from the archive, and the frames of a segmentation like those of an image', async () => {
    const { store, images } = await openViewing()
    archive(store, STUDY, [
      { sopInstanceUid: IMAGE, file: image },
      { sopInstanceUid: STATE, file: state },
      { sopInstanceUid: SEGMENTATION, file: segmentation },
    ])
    const open = view()
    expect(await images.referencing(open, STATE)).toMatchObject({
      kind: 'presentation-state',
      label: 'LESION',
    })
    expect(await images.referencing(open, SEGMENTATION)).toMatchObject({ kind: 'segmentation' })
    const { body, transferSyntaxUid } = await images.frame(open, SEGMENTATION, 1, never())
    expect(body).toEqual(Buffer.alloc(512, 0xff))
    expect(transferSyntaxUid).toBe('1.2.840.10008.1.2.1')
    expect(await refusalOf(images.frame(open, SEGMENTATION, 2, never()))).toContain('1')
    expect(await refusalOf(images.referencing(open, IMAGE))).toBe(
      'It is not an object that can be applied to images.',
    )
  })

  it('is read from the files of a partner once they are complete', async () => {
    const { images } = await openViewing({ '/1': image, '/2': state, '/3': segmentation })
    const open = view()
    expect(await images.referencing(open, STATE)).toMatchObject({ kind: 'presentation-state' })
    expect((await images.frame(open, SEGMENTATION, 1, never())).body.length).toBe(512)
  })

  it('is read as the gateway itself stores drawings', async () => {
    using on = openSaving()
    const windows = [{ sopInstanceUid: SAVED_IMAGE, frame: 1, center: 50, width: 350 }]
    await on.saved.save(on.window, SAVED_STUDY, { ...CHANGES, drawings: [...DRAWINGS], windows })
    const objects = await Promise.all(
      (await on.files()).map(async (path) => {
        const file = await OpenFile.open(path)
        onTestFinished(() => file[Symbol.asyncDispose]())
        return readReferencingObject(file.source).catch(() => undefined)
      }),
    )
    const state = objects.find((object) => object !== undefined)
    if (state?.kind !== 'presentation-state') throw new Error('no presentation state')
    expect(state).toMatchObject({ label: 'ISTHMUS', creator: 'Sample^Rita', notApplied: [] })
    expect(state.references).toEqual([{ sopInstanceUid: SAVED_IMAGE, frames: null }])
    expect(state.voi).toMatchObject([{ window: { center: 50, width: 350 } }])
    const graphics = state.annotations.flatMap((annotation) => annotation.graphics)
    const texts = state.annotations.flatMap((annotation) => annotation.texts)
    expect(graphics[0]).toMatchObject({
      type: 'POLYLINE',
      units: 'pixel',
      points: [
        [10.5, 20.5],
        [60.25, 20.5],
      ],
    })
    expect(new Set(graphics.map(({ type }) => type))).toContain('ELLIPSE')
    expect(texts.map(({ text }) => text)).toContain('Сустав 関節')
  })

  it('that ends too early is refused, and named in the list', async () => {
    const { images, listed } = await openViewing({ '/2': state.subarray(0, state.length - 5) })
    const { faults } = await listed(view())
    expect(faults.length).toBeGreaterThan(0)
    expect(await refusalOf(images.referencing(view(), STATE))).not.toBe('')
  })
})
