import { describe, expect, it } from 'vitest'
import type { ViewMedia } from '#shared/contract/viewed-images.ts'
import type { ContentItem, StructuredReport } from '#shared/contract/viewed-objects.ts'
import {
  absentCount,
  keyAfter,
  keyStackOf,
  openKeyImages,
  selectionOf,
  selectionsOf,
} from '../../../renderer/src/viewer/documents/key-images.ts'
import type { ListState } from '../../../renderer/src/viewer/engine/stack.ts'

const item = (more: Partial<ContentItem>): ContentItem => ({
  ...{ depth: 1, position: '1.1', relationship: 'CONTAINS', valueType: 'TEXT', concept: null },
  ...{ value: '', code: null, qualifier: null, references: [], coordinates: null },
  ...{ target: '', observedAt: '' },
  ...more,
})
const image = (sopInstanceUid: string, ...frames: number[]) =>
  item({
    valueType: 'IMAGE',
    references: [
      { sopClassUid: '1.2', sopInstanceUid, frames, channels: [] },
      // The presentation state of the image.
      { sopClassUid: '1.3', sopInstanceUid: 'state', frames: [], channels: [] },
    ],
  })
const report = (code: string, ...items: ContentItem[]) =>
  ({ title: { value: code, scheme: 'DCM', meaning: 'Of Interest' }, items }) as StructuredReport
const description = item({
  concept: { value: '113012', scheme: 'DCM', meaning: 'Key Object Description' },
  value: 'Nodule',
})
const stackImage = (sopInstanceUid: string, frame = 1) => ({
  ...{ imageId: `${sopInstanceUid}/${frame}`, sopInstanceUid, frame },
})
const images = {
  studies: [
    { series: [{ stack: [stackImage('1'), stackImage('2'), stackImage('3')] }] },
    { series: [{ stack: [stackImage('4', 1), stackImage('4', 2)] }] },
  ],
} as unknown as Pick<ListState, 'studies'>

const first = selectionOf(7, report('113000', description, image('3'), image('1'), image('9')))
const second = selectionOf(8, report('113001', image('4', 2)))
const keys = { selections: [first, second], failed: [] }
const idsOf = (of: number | null) => keyStackOf(images, keys, of).map(({ imageId }) => imageId)

describe('a key object selection', () => {
  it('has a title, a description and images, without their presentation states', () => {
    expect(first).toMatchObject({ title: 'Of Interest', description: 'Nodule', isRejection: false })
    expect(first.images.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(['3', '1', '9'])
    expect(second).toMatchObject({ description: '', isRejection: true })
  })

  it('has its images in the order of the series, and says how many are not here', () => {
    expect(idsOf(null)).toEqual(['1/1', '3/1', '4/2'])
    expect(idsOf(7)).toEqual(['1/1', '3/1'])
    expect(idsOf(99)).toEqual([])
    expect(absentCount(images, [first, second])).toBe(1)
  })

  it('marks the frame it refers to, and no other', () => {
    expect(selectionsOf(keys, stackImage('4', 2))).toEqual([second])
    expect(selectionsOf(keys, stackImage('4', 1))).toEqual([])
    expect(selectionsOf(keys, stackImage('2'))).toEqual([])
  })

  it('is gone through from the image that is shown', () => {
    const stack = keyStackOf(images, keys, null)
    const next = (shown: string | undefined, step: number) => keyAfter(stack, shown, step)?.imageId
    expect([next('1/1', 1), next('3/1', -1), next('4/2', 1)]).toEqual(['3/1', '1/1', undefined])
    expect([next('2/1', 1), next(undefined, -1)]).toEqual(['1/1', '4/2'])
  })
})

it('selections are read once each as they are listed; one that cannot be read is counted', async () => {
  const medium = (mediaId: number, shownAs: ViewMedia['shownAs']): ViewMedia => ({
    ...{ mediaId, shownAs, mimeType: '', fileName: '', title: '' },
    object: { studyInstanceUid: '1', sopInstanceUid: String(mediaId), sopClassUid: '' },
  })
  let media = [medium(2, 'key-images'), medium(3, 'report')]
  let listed: () => void = () => undefined
  const asked: string[] = []
  const store = openKeyImages(
    {
      state: () => ({ media }),
      subscribe(listener) {
        listed = listener
        return () => undefined
      },
    },
    async (uid) => {
      asked.push(uid)
      if (uid === '4') throw new Error('refused')
      return report('113000', image('1'))
    },
  )
  media = [...media, medium(1, 'key-images'), medium(4, 'key-images')]
  listed()
  listed()
  await expect.poll(() => store.state().failed).toEqual([4])
  expect(asked).toEqual(['2', '1', '4'])
  expect(store.state().selections.map(({ mediaId }) => mediaId)).toEqual([1, 2])
})
