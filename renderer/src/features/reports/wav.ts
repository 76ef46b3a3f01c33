import { DICTATION_MEDIA_TYPE, DICTATION_SAMPLE_RATE } from '#shared/contract/dictation.ts'

const HEADER_BYTES = 44

/** Samples from -1 to 1 at `DICTATION_SAMPLE_RATE` as a WAVE file: PCM, 16 bit, mono. */
export function wavOf(samples: Float32Array): Blob {
  const bytes = samples.length * 2
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + bytes))
  const ascii = (at: number, text: string) => {
    for (const [index, letter] of [...text].entries())
      view.setUint8(at + index, letter.charCodeAt(0))
  }
  ascii(0, 'RIFF')
  view.setUint32(4, 36 + bytes, true)
  ascii(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, DICTATION_SAMPLE_RATE, true)
  view.setUint32(28, DICTATION_SAMPLE_RATE * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  ascii(36, 'data')
  view.setUint32(40, bytes, true)
  for (const [index, sample] of samples.entries()) {
    const clamped = Math.max(-1, Math.min(1, sample))
    view.setInt16(HEADER_BYTES + index * 2, Math.round(clamped * 0x7fff), true)
  }
  return new Blob([view.buffer], { type: DICTATION_MEDIA_TYPE })
}
