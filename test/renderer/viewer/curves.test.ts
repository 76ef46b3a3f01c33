import { describe, expect, it } from 'vitest'
import type { InstanceExtras } from '#shared/contract/viewed-images.ts'
import { curvesOf, levelAt, windowOfCurve } from '#shared/pixels/curves.ts'
import { rescaledPadding } from '#shared/pixels/values.ts'
import { rangeOf } from '../../../renderer/src/viewer/engine/view.ts'
import { attributes, pixel } from './viewed.ts'

const extras = (
  numbers: readonly number[],
  firstValue: number,
  bits: number,
  explanation = '',
): InstanceExtras => ({
  palette: null,
  modalityLut: null,
  voiLuts: [
    {
      entries: numbers.length,
      firstValue,
      bits,
      explanation,
      data: Buffer.from(Uint16Array.from(numbers).buffer).toString('base64'),
    },
  ],
  overlays: [],
  supplement: null,
  notApplied: [],
})
const shade = (of: InstanceExtras, value: number) => {
  const [curve] = curvesOf(of)
  if (!curve) throw new Error('no curve')
  const { lower, upper } = rangeOf(windowOfCurve(curve, false), false)
  expect([lower, upper]).toEqual([curve.lower, curve.upper])
  return levelAt(curve, (value - lower) / (upper - lower))
}
/** PS3.3 C.11.2.1.1, as pydicom's `apply_voi_lut` has it. */
const applied = (numbers: readonly number[], firstValue: number, value: number) =>
  numbers[Math.max(0, Math.min(numbers.length - 1, Math.floor(value - firstValue)))] ?? 0

describe('a VOI look-up table', () => {
  it('gives each whole value the brightness of its entry, flat below and above', () => {
    const numbers = Array.from({ length: 900 }, (_, n) =>
      n < 100 ? 50 : n > 700 ? 4000 : Math.round(50 + 3950 * ((n - 100) / 600) ** 2),
    )
    const of = extras(numbers, -300, 12)
    for (const value of [-2000, -300, -200, -150, 0, 123, 399, 400, 500, 3000])
      expect(shade(of, value), String(value)).toBeCloseTo(applied(numbers, -300, value) / 4095, 3)
  })

  it('keeps its shape with more entries than the graphics take', () => {
    const numbers = Array.from({ length: 65_536 }, (_, n) =>
      Math.round(65_535 * (n / 65_535) ** 0.4),
    )
    const of = extras(numbers, 0, 16)
    for (const value of [500, 5000, 32_000, 65_000])
      expect(shade(of, value)).toBeCloseTo(applied(numbers, 0, value) / 65_535, 2)
  })

  it('may fall, be flat, or go beyond the bits it claims', () => {
    expect(shade(extras([255, 128, 0], 0, 8), 1)).toBeCloseTo(128 / 255)
    expect(shade(extras([7, 7, 7], 0, 8), 1)).toBeCloseTo(7 / 255)
    expect(shade(extras([0, 4095], 0, 8), 1)).toBe(1)
  })

  it('is named as the file explains it, and made once', () => {
    const of = extras([0, 1], 0, 8, 'NORMAL')
    expect(curvesOf(of)[0]?.name).toEqual('NORMAL')
    expect(curvesOf(of)).toBe(curvesOf(of))
    expect(curvesOf(undefined)).toEqual([])
  })
})

it('finds padding among values after rescale', () => {
  expect(
    rescaledPadding(
      { ...pixel, padding: [-2000, null] },
      { ...attributes, slope: 2, intercept: -10 },
      false,
    ),
  ).toEqual([-4010, -4010])
  expect(
    rescaledPadding(
      { ...pixel, padding: [0, 10] },
      { ...attributes, slope: -1, intercept: 1 },
      false,
    ),
  ).toEqual([-9, 1])
  expect(rescaledPadding(pixel, attributes, false)).toBeUndefined()
})
