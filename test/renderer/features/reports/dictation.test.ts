import { describe, expect, it } from 'vitest'
import { silentWav } from '#server/modules/dictation/wav.ts'
import { dictatedSeconds, MAX_DICTATION_BYTES } from '#shared/contract/dictation.ts'
import { withSpacing } from '../../../../renderer/src/features/reports/dictated-text.ts'
import { wavOf } from '../../../../renderer/src/features/reports/wav.ts'

describe('a recording as a file', () => {
  it('is WAVE, PCM, 16 kHz, 16 bit, mono, as the gateway makes its silence', async () => {
    const file = Buffer.from(await wavOf(new Float32Array(16_000)).arrayBuffer())
    expect(file.equals(silentWav(1))).toBe(true)
    expect(dictatedSeconds(file.length)).toBe(1)
    expect(dictatedSeconds(MAX_DICTATION_BYTES)).toBe(600)
    expect(dictatedSeconds(10)).toBe(0)
  })

  it('has the samples in their order, those that are too loud cut off', async () => {
    const samples = new Float32Array([0, 1, -1, 0.5, 2, -2])
    const view = new DataView(await wavOf(samples).arrayBuffer(), 44)
    expect([...samples.keys()].map((index) => view.getInt16(index * 2, true))).toEqual([
      ...[0, 32_767, -32_767, 16_384, 32_767, -32_767],
    ])
  })
})

describe('a dictated text', () => {
  it.each([
    ['', 'Clear lungs.', '', 'Clear lungs.'],
    ['Findings:', 'clear.', '', ' clear.'],
    ['Findings:\n', 'clear.', '', 'clear.'],
    ['lungs ', 'clear', 'and', 'clear '],
    ['lungs', ', clear', '', ', clear'],
    ['(', 'clear', ')', 'clear'],
    ['no', 'fracture.', '.', ' fracture'],
    ['no', 'fracture.', ' Heart', ' fracture.'],
  ])('between %j and what follows: %j', (before, text, after, put) => {
    expect(withSpacing(before, text, after)).toBe(put)
  })
})
