import { describe, expect, it } from 'vitest'
import {
  letters,
  oppositeLetters,
  pixelPositionOf,
} from '../../../renderer/src/viewer/engine/geometry.ts'
import { readKeptAnnotation } from '../../../renderer/src/viewer/engine/kept-annotation.ts'
import { moduleOf } from '../../../renderer/src/viewer/engine/modules.ts'
import { synchronisedIndex } from '../../../renderer/src/viewer/engine/synchronise.ts'
import { AXIAL, attributes, instance, SAGITTAL, series, slice, stacks, study } from './viewed.ts'

const heights = (from: number, step: number, count: number, frameOfReferenceUid = '1') =>
  stacks(
    Array.from({ length: count }, (_, n) => slice(n + 1, from + n * step, { frameOfReferenceUid })),
  )[0]?.stack ?? []

describe('panes that scroll together', () => {
  it('show the nearest place in one frame of reference', () => {
    const active = { stack: heights(0, 5, 10), index: 4, anchor: 0 }
    expect(
      synchronisedIndex('position', active, { stack: heights(0, 1, 50), index: 0, anchor: 0 }),
    ).toBe(20)
    expect(
      synchronisedIndex('position', active, { stack: heights(100, 1, 50), index: 9, anchor: 0 }),
    ).toBe(0)
  })
  it('move by as many millimetres in another one, and by as many images where no place is known', () => {
    const active = { stack: heights(0, 5, 10), index: 4, anchor: 2 }
    expect(
      synchronisedIndex('position', active, {
        stack: heights(300, 2, 50, '2'),
        index: 0,
        anchor: 10,
      }),
    ).toBe(15)
    const plain = stacks(Array.from({ length: 20 }, (_, n) => instance(n)))[0]?.stack ?? []
    expect(synchronisedIndex('position', active, { stack: plain, index: 0, anchor: 10 })).toBe(12)
    expect(
      synchronisedIndex('index', active, { stack: heights(0, 1, 11), index: 0, anchor: 10 }),
    ).toBe(10)
  })
  it('stay where they are when the planes cross', () => {
    const active = { stack: heights(0, 5, 10), index: 4, anchor: 0 }
    const crossing = stacks([
      instance(1, {
        attributes: { ...attributes, position: [0, 0, 0], orientation: SAGITTAL, spacing: [1, 1] },
      }),
    ])[0]?.stack
    expect(
      synchronisedIndex('position', active, { stack: crossing ?? [], index: 0, anchor: 0 }),
    ).toBeUndefined()
  })
})

describe('places in the patient', () => {
  it('have letters, the most important first', () => {
    expect(letters([1, 0, 0])).toBe('L')
    expect(letters([0, -0.5, 0.8])).toBe('HA')
    expect(letters([0, 0, 0])).toBe('')
    expect(oppositeLetters('HA')).toBe('FP')
    expect(oppositeLetters('')).toBe('')
  })
  it('follow from a pixel', () => {
    const of = {
      ...attributes,
      position: [10, 20, 30] as [number, number, number],
      orientation: AXIAL,
      spacing: [2, 3] as [number, number],
    }
    expect(pixelPositionOf(of, 1, 2)).toEqual([13, 24, 30])
    expect(pixelPositionOf(attributes, 1, 2)).toBeNull()
  })
})

describe('what Cornerstone is told of an image', () => {
  const found = (of: ReturnType<typeof instance>) => ({
    image: {
      imageId: 'x',
      sopInstanceUid: of.sopInstanceUid,
      frame: 1,
      instance: of,
      attributes: of.attributes,
    },
    series: series(),
    study: study(),
  })
  it('has lengths in mm exactly where a spacing is known', () => {
    const plane = (spacing: [number, number] | null) =>
      moduleOf('imagePlaneModule', found(instance(1, { attributes: { ...attributes, spacing } })))
    expect(plane([0.5, 0.7])).toMatchObject({
      rowPixelSpacing: 0.5,
      columnPixelSpacing: 0.7,
      usingDefaultValues: false,
      rowCosines: [1, 0, 0],
    })
    expect(plane(null)).toMatchObject({ rowPixelSpacing: 1, usingDefaultValues: true })
  })
  it('says that a length of a radiograph is at the detector', () => {
    const calibration = (spacingFrom: 'detector' | 'patient') =>
      moduleOf(
        'calibrationModule',
        found(instance(1, { attributes: { ...attributes, spacing: [1, 1], spacingFrom } })),
      )
    expect(calibration('detector')).toEqual({ type: 'Proj' })
    expect(calibration('detector')).toBe(calibration('detector'))
    expect(calibration('patient')).toBeUndefined()
  })
  it('keeps images without a frame of reference apart, and does not rescale twice', () => {
    const plane = moduleOf('imagePlaneModule', found(instance(1, { frameOfReferenceUid: '' })))
    expect(plane).toMatchObject({ frameOfReferenceUID: 'none/1.2.3.1.1' })
    expect(moduleOf('modalityLutModule', found(instance(1)))).toEqual({
      rescaleSlope: 1,
      rescaleIntercept: 0,
    })
    expect(moduleOf('somethingElse', found(instance(1)))).toBeUndefined()
  })
})

describe('kept drawings', () => {
  const kept = {
    id: 'a',
    tool: 'Length',
    studyInstanceUid: '9',
    sopInstanceUid: '1.2',
    frame: 1,
    frameOfReferenceUid: '1',
    viewPlaneNormal: [0, 0, -1],
    viewUp: [0, -1, 0],
    data: {
      handles: {
        points: [
          [0, 0, 0],
          [1, 0, 0],
        ],
      },
    },
  }
  it('are read as they were written, for the study they are read for', () => {
    expect(readKeptAnnotation(JSON.parse(JSON.stringify(kept)), '1.2.3')).toEqual({
      ...kept,
      studyInstanceUid: '1.2.3',
    })
  })
  it('are left out where they cannot be drawn', () => {
    const broken = [
      null,
      7,
      {},
      { ...kept, tool: 'Skull' },
      { ...kept, viewUp: [0, null, 0] },
      { ...kept, data: { handles: { points: [[1, 2]] } } },
    ]
    expect(broken.map((one) => readKeptAnnotation(one, '1.2.3'))).toEqual(
      broken.map(() => undefined),
    )
  })
})
