import { describe, expect, it } from 'vitest'
import type { WaveformGroup } from '#shared/contract/viewed-objects.ts'
import {
  caliperDistances,
  layoutsOf,
  leadName,
  rangeOf,
  samplesOf,
  sheetOf,
  tracePath,
} from '../../../renderer/src/viewer/documents/waveform-layout.ts'

const LABELS = ['V1', 'V2', 'V3', 'V4', 'V5', 'V6', 'I', 'II', 'III', 'aVR', 'aVL', 'aVF']
const group = (labels: readonly string[]): WaveformGroup => ({
  ...{ label: '', originality: 'ORIGINAL', frequency: 500, samples: 5000 },
  channels: labels.map((label) => ({
    ...{ label, unit: 'mV', samples: '', lowPass: null, highPass: null, notch: null },
  })),
})

it.each([
  ['Lead I (Einthoven)', 'I'],
  ['Lead aVR', 'aVR'],
  ['AVF', 'aVF'],
  ['lead v3', 'V3'],
  ['Arterial pressure', 'Arterial pressure'],
])('%s is called %s', (label, name) => expect(leadName(label)).toBe(name))

describe('a 12-lead ECG', () => {
  const twelve = group(LABELS.map((label) => `Lead ${label}`))

  it('stands in 3 × 4 in the standard order, with lead II below over the whole time', () => {
    const { rows, columns, strips, seconds } = sheetOf(twelve, '3x4')
    expect([rows, columns, seconds]).toEqual([4, 4, 10])
    expect(strips.map(({ label, row, column }) => `${label} ${row}/${column}`)).toEqual([
      ...['I 0/0', 'II 1/0', 'III 2/0', 'aVR 0/1', 'aVL 1/1', 'aVF 2/1'],
      ...['V1 0/2', 'V2 1/2', 'V3 2/2', 'V4 0/3', 'V5 1/3', 'V6 2/3', 'II 3/0'],
    ])
    expect(strips.slice(-2).map(({ from, to }) => [from, to])).toEqual([
      [3750, 5000],
      [0, 5000],
    ])
  })

  it('stands in 12 × 1 with every lead over the whole time', () => {
    const { rows, strips } = sheetOf(twelve, '12x1')
    expect(rows).toBe(12)
    expect(strips.every(({ from, to }) => from === 0 && to === 5000)).toBe(true)
    expect(strips.map(({ label }) => label).slice(0, 3)).toEqual(['I', 'II', 'III'])
  })

  it('has layouts that a rhythm strip has not', () => {
    expect(layoutsOf(twelve)).toEqual(['12x1', '6x2', '3x4'])
    expect(layoutsOf(group(['II', 'V1']))).toEqual(['12x1'])
    expect(sheetOf(group(['II', 'V1']), '3x4').strips.map(({ label }) => label)).toEqual([
      'II',
      'V1',
    ])
  })
})

it('a trace is to scale, and a gap stays a gap', () => {
  // 25 mm/s at 500 Hz, 10 mm/mV: a sample is 0.05 mm wide, 1 mV 10 mm high.
  const samples = new Float32Array([0, 1, Number.NaN, -0.5, 0])
  const scale = { xPerSample: 25 / 500, yPerUnit: 10, x: 5, y: 20 }
  expect(tracePath(samples, { from: 0, to: 5 }, scale)).toBe(
    'M5.000 20.000L5.050 10.000M5.150 25.000L5.200 20.000',
  )
  expect(rangeOf(samples)).toEqual([-0.5, 1])
  expect(rangeOf(new Float32Array([Number.NaN]))).toBeUndefined()
})

it('a caliper tells time, rate and voltage at the chosen speed and gain', () => {
  expect(caliperDistances([10, 5], [30, 15], 25, 10)).toEqual({
    ...{ milliseconds: 800, perMinute: 75, millivolts: 1 },
  })
  expect(caliperDistances([30, 15], [10, 5], 50, 20)).toEqual({
    ...{ milliseconds: 400, perMinute: 150, millivolts: 0.5 },
  })
  expect(caliperDistances([1, 1], [1, 2], 25, 10).perMinute).toBeNull()
})

it('samples are 32-bit floats in little endian', () => {
  const bytes = Buffer.alloc(8)
  bytes.writeFloatLE(1.5, 0)
  bytes.writeFloatLE(-2, 4)
  expect([...samplesOf(bytes.toString('base64'))]).toEqual([1.5, -2])
})
