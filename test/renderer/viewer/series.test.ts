import { describe, expect, it } from 'vitest'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { parseImageId } from '../../../renderer/src/viewer/engine/series.ts'
import { textOf } from '../../support/saying.ts'
import { AXIAL, attributes, instance, numbers, pixel, SAGITTAL, slice, stacks } from './viewed.ts'

const reversed = <T>(list: readonly T[]) => [...list].reverse()

describe('the series that are shown', () => {
  it('orders slices by their place, in the way in which they are numbered', () => {
    const fromHead = [0, 1, 2, 3, 4].map((n) => slice(n + 1, 100 - n * 5))
    expect(numbers(stacks(reversed(fromHead))[0]?.stack)).toEqual([1, 2, 3, 4, 5])
    const fromFeet = [0, 1, 2, 3, 4].map((n) => slice(n + 1, n * 5))
    expect(numbers(stacks(reversed(fromFeet))[0]?.stack)).toEqual([1, 2, 3, 4, 5])
  })

  it('orders by place even where the numbers are mixed up, and knows the volume', () => {
    const mixed = [slice(1, 0), slice(3, 5), slice(2, 10), slice(4, 15), slice(5, 20)]
    const [shown] = stacks(mixed)
    expect(numbers(shown?.stack)).toEqual([1, 3, 2, 4, 5])
    expect(shown?.isVolume).toBe(true)
  })

  it('orders by number where a place is not known, and by UID where numbers are equal', () => {
    expect(numbers(stacks([slice(3, 0), instance(1), slice(2, 5)])[0]?.stack)).toEqual([1, 2, 3])
    const same = ['1.9', '1.10', '1.1'].map((sopInstanceUid) => instance(0, { sopInstanceUid }))
    expect(stacks(same)[0]?.stack.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual([
      '1.1',
      '1.10',
      '1.9',
    ])
  })

  it('keeps the numbers of a series that passes each place several times', () => {
    const phases = [0, 5, 10, 0, 5, 10].map((z, n) => slice(n + 1, z))
    expect(numbers(stacks(phases)[0]?.stack)).toEqual([1, 2, 3, 4, 5, 6])
    expect(textOf(stacks(phases)[0]?.whyNoVolume)).toMatch(/not evenly spaced|the same position/)
  })

  it('parts a localizer, other sizes and other orientations, with a word for each', () => {
    const localizer = slice(1, 0, { imageType: ['ORIGINAL', 'PRIMARY', 'LOCALIZER'] })
    const large = slice(7, 0, { image: { ...pixel, rows: 8 } })
    const parts = stacks([localizer, ...[2, 3, 4, 5, 6].map((n) => slice(n, n)), large])
    expect(parts.map(({ part }) => part && englishText(part)).sort()).toEqual([
      '6 × 4',
      '6 × 8',
      'Localizer 6 × 4',
    ])
    const crossing = instance(9, {
      attributes: { ...attributes, position: [0, 0, 0], orientation: SAGITTAL, spacing: [1, 1] },
    })
    expect(stacks([slice(1, 0), slice(2, 1), crossing]).map(({ part }) => part)).toEqual([
      '6 × 4 axial',
      '6 × 4 sagittal',
    ])
  })

  it('keeps radial slices in one stack', () => {
    const radial = Array.from({ length: 12 }, (_, n) => {
      const angle = (n * Math.PI) / 12
      const orientation: typeof AXIAL = [Math.cos(angle), Math.sin(angle), 0, 0, 0, -1]
      return instance(n + 1, {
        attributes: { ...attributes, position: [0, 0, 0], orientation, spacing: [1, 1] },
      })
    })
    expect(stacks(radial)).toHaveLength(1)
    expect(stacks(radial)[0]?.whyNoVolume).toEqual('The slices are not parallel.')
  })

  it('makes a stack of its own of each multi-frame image, with what differs by frame', () => {
    const perFrame = [0, 1, 2].map((z) => ({
      ...attributes,
      position: [0, 0, z] as [number, number, number],
    }))
    const shown = stacks([
      instance(1, { frames: 3, perFrame, frameTime: 40 }),
      instance(2, { frames: 2 }),
      instance(3),
    ])
    expect(shown.map(({ part, isMultiFrame }) => [part, isMultiFrame])).toEqual([
      [null, false],
      ['3 frames', true],
      ['2 frames', true],
    ])
    expect(shown[1]?.stack.map(({ attributes: { position } }) => position?.[2])).toEqual([0, 1, 2])
    expect(shown[1]?.frameTime).toBe(40)
  })

  it('gives what the manifest alone knows its place at once, and calls it missing only in the end', () => {
    const announced = [
      slice(1, 0),
      slice(2, 1, { source: 'manifest' }),
      instance(3, { source: 'manifest', image: null }),
    ]
    expect(stacks(announced, false)[0]?.missing.size).toBe(0)
    const [shown] = stacks(announced)
    expect(shown?.stack).toHaveLength(3)
    expect([...(shown?.missing ?? [])].map((id) => parseImageId(id)?.sopInstanceUid)).toEqual([
      '1.2.3.1.2',
      '1.2.3.1.3',
    ])
  })

  it('leaves out what is no image', () => {
    expect(
      stacks([instance(1, { image: null, notImage: verbatim('A structured report.') })]),
    ).toEqual([])
  })

  it('reads its own image ids, of odd UIDs too', () => {
    const [shown] = stacks([instance(1, { sopInstanceUid: 'odd/uid 1%2' })])
    expect(parseImageId(shown?.stack[0]?.imageId ?? '')).toEqual({
      sopInstanceUid: 'odd/uid 1%2',
      frame: 1,
    })
    expect(parseImageId('wadouri:1')).toBeUndefined()
  })

  it('says why a stack is no volume', () => {
    const five = [0, 1, 2, 3, 4]
    const why = (make: (n: number) => ReturnType<typeof slice>, isWhole = true) =>
      stacks(five.map(make), isWhole)[0]?.whyNoVolume
    expect(why((n) => slice(n, n))).toBeNull()
    expect(stacks([slice(1, 0)])[0]?.whyNoVolume).toEqual('The series has fewer than 5 slices.')
    expect(why((n) => slice(n, n === 4 ? 9 : n))).toEqual('The slices are not evenly spaced.')
    expect(why((n) => slice(n, n, { frameOfReferenceUid: '' }))).toEqual(
      'The images have no frame of reference.',
    )
    expect(why((n) => slice(n, n, { frameOfReferenceUid: n > 2 ? '1' : '2' }))).toEqual(
      'The images have more than one frame of reference.',
    )
    expect(why((n) => instance(n))).toEqual('The images have no position in the patient.')
    expect(
      why((n) =>
        slice(n, n, { image: { ...pixel, samplesPerPixel: 3, photometricInterpretation: 'RGB' } }),
      ),
    ).toEqual('The images are in colour.')
    expect(why((n) => slice(n, n, { source: n === 2 ? 'manifest' : 'partner' }))).toEqual(
      '1 image of the series is missing.',
    )
    const tilted = (n: number) =>
      slice(n, n, {
        attributes: {
          ...attributes,
          position: [0, n * 0.5, n],
          orientation: AXIAL,
          spacing: [1, 1],
        },
      })
    expect(why(tilted)).toEqual('The slices were acquired with a tilted gantry.')
  })
})
