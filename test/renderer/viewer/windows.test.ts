import { describe, expect, it } from 'vitest'
import { englishText } from '#shared/messages/english.ts'
import {
  automaticWindow,
  openingWindow,
  unitOf,
  voiFunctionOf,
} from '#shared/pixels/opening-window.ts'
import { presetsOf } from '../../../renderer/src/viewer/engine/presets.ts'
import type { StackImage } from '../../../renderer/src/viewer/engine/stack.ts'
import {
  steepenedWindow,
  unsteepenedWindow,
} from '../../../renderer/src/viewer/engine/steep-window.ts'
import { rangeOf, windowOf } from '../../../renderer/src/viewer/engine/view.ts'
import { attributes, instance, pixel } from './viewed.ts'

const image = (
  more: Partial<StackImage['attributes']> = {},
  of: Parameters<typeof instance>[1] = {},
): StackImage => ({
  imageId: 'x',
  sopInstanceUid: '1',
  frame: 1,
  instance: instance(1, of),
  attributes: { ...attributes, ...more },
})
const ramp = Int16Array.from({ length: 1000 }, (_, n) => n)
const opening = (of: StackImage, modality: string) => openingWindow(of, modality, ramp, 0, 999)
const names = (of: StackImage, modality: string) =>
  presetsOf(of, modality, { center: 1, width: 2 }, { center: 3, width: 4 }).map(({ name }) =>
    englishText(name),
  )

describe('windows', () => {
  it('open as the file says; else soft tissue for Hounsfield units; else by the values', () => {
    expect(opening(image({ windowCenter: [50, 1], windowWidth: [350, 2] }), 'CT')).toEqual({
      center: 50,
      width: 350,
    })
    expect(opening(image(), 'CT')).toEqual({ center: 40, width: 400 })
    expect(opening(image({ windowCenter: [5], windowWidth: [0] }), 'MR').width).toBeGreaterThan(900)
    expect(opening(image({ intercept: null, slope: null }), 'CT').width).toBeGreaterThan(900)
  })

  it('leave padding and rare values out of what is automatic', () => {
    const padded = Int16Array.from([...Array<number>(500).fill(-2000), ...ramp])
    const { center, width } = automaticWindow(padded, -2000, 999, [-2000, -2000])
    expect(center - width / 2).toBeGreaterThan(-20)
    expect(automaticWindow(Int16Array.of(7, 7), 7, 7).width).toBe(1)
    expect(automaticWindow(Float32Array.of(0, 0.1, 0.2), 0, 0.2).width).toBeLessThan(0.3)
  })

  it('show both values of an image that has two', () => {
    const automatic = (zeros: number, ones: number) =>
      automaticWindow(
        Uint8Array.from({ length: zeros + ones }, (_, n) => (n < ones ? 1 : 0)),
        0,
        1,
      )
    for (const [zeros, ones] of [
      [500, 500],
      [9999, 1],
      [1, 9999],
    ] as const)
      expect(automatic(zeros, ones)).toEqual({ center: 1, width: 2 })
    const mask = Int16Array.from({ length: 1000 }, (_, n) => (n < 5 ? 1000 : -1000))
    expect(automaticWindow(mask, -1000, 1000)).toEqual({ center: 0.5, width: 2001 })
    // All bits are set: white, and not the black of the only value.
    const bits = image({}, { image: { ...pixel, bitsAllocated: 1, bitsStored: 1, highBit: 0 } })
    expect(openingWindow(bits, 'OT', Uint8Array.of(1, 1), 1, 1)).toEqual({ center: 1, width: 2 })
  })

  it('of a file are LINEAR, also of fractions; without one, fractions are exact', () => {
    const fractions = Float32Array.of(0, 0.5)
    const of = (windowWidth: number[], voiLutFunction = '') =>
      voiFunctionOf(image({ windowCenter: [5], windowWidth }, { voiLutFunction }), fractions)
    expect(of([12])).toBe('LINEAR')
    expect(of([0.5])).toBe('LINEAR_EXACT')
    expect(of([])).toBe('LINEAR_EXACT')
    expect(of([12], 'SIGMOID')).toBe('SIGMOID')
    expect(of([12], 'LINEAR_EXACT')).toBe('LINEAR_EXACT')
    expect(voiFunctionOf(image({}), ramp)).toBe('LINEAR')
    // The same gray levels, whichever function shows them.
    expect(automaticWindow(fractions, 0, 0.5, undefined, false)).toEqual({
      center: 0.75,
      width: 1.5,
    })
  })

  it('of width 1 are a threshold', () => {
    expect(unsteepenedWindow(steepenedWindow({ center: 1, width: 1 }))).toEqual({
      center: 1,
      width: 1,
    })
    expect(unsteepenedWindow(steepenedWindow({ center: 40, width: 400 }))).toEqual({
      center: 40,
      width: 400,
    })
    const { lower, upper } = rangeOf({ center: 1, width: 1 }, false)
    expect([lower, upper - lower]).toEqual([expect.closeTo(0.5), expect.closeTo(0.01)])
    expect(windowOf({ lower, upper }, false)).toEqual({ center: 1, width: 1 })
  })

  it('are offered by name: those of the file, the automatic one, and those of CT where it is in Hounsfield units', () => {
    expect(
      names(
        image({ windowCenter: [1, 2], windowWidth: [1, 2] }, { windowExplanation: ['BONE'] }),
        'CT',
      ).slice(0, 4),
    ).toEqual(['BONE', 'From the image 2', 'Automatic', 'Soft tissue'])
    expect(names(image(), 'MR')).toEqual(['As opened', 'Automatic'])
    expect(names(image({ intercept: null, slope: null }), 'CT')).not.toContain('Lung')
  })

  it('have number keys that mean the same for every image of a modality', () => {
    const keyed = (of: StackImage, modality: string, automatic = { center: 1, width: 2 }) =>
      Object.fromEntries(
        presetsOf(of, modality, automatic, { center: 3, width: 4 }).flatMap(({ name, keys }) =>
          (keys ?? []).map((key) => [key, englishText(name)]),
        ),
      )
    const ct = keyed(image(), 'CT')
    expect([ct[1], ct[2], ct[9]]).toEqual(['Soft tissue', 'Lung', 'Angiography'])
    const ofFile = image(
      { windowCenter: [1, 2], windowWidth: [1, 2] },
      { windowExplanation: ['BONE', 'Lung'] },
    )
    const own = keyed(ofFile, 'CT')
    expect(Object.keys(own)).toEqual(Object.keys(ct))
    expect([own[1], own[2]]).toEqual(['Soft tissue', 'Lung (5)'])
    expect(keyed(image({ intercept: null, slope: null }), 'CT')).toEqual({})
    expect(keyed(image(), 'MR')).toEqual({ 1: 'As opened', 2: 'Automatic' })
    expect(keyed(image({}, { rescaleType: 'HU' }), 'DX')).toEqual({
      1: 'As opened',
      2: 'Automatic',
    })
    expect(keyed(ofFile, 'MR')).toEqual({ 1: 'BONE', 2: 'Automatic' })
    expect(keyed(image(), 'MR', { center: 3, width: 4 })).toEqual({
      1: 'Automatic',
      2: 'Automatic',
    })
  })

  it('know the unit of a value', () => {
    expect(unitOf(image(), 'CT')).toBe('HU')
    expect(unitOf(image(), 'MR')).toBe('')
    expect(unitOf(image({}, { rescaleType: 'OD' }), 'CR')).toBe('OD')
    expect(unitOf(image({}, { rescaleType: 'US' }), 'MR')).toBe('')
    expect(
      unitOf(image({}, { imageType: ['ORIGINAL', 'PRIMARY', 'LOCALIZER'], image: pixel }), 'CT'),
    ).toBe('')
  })
})
