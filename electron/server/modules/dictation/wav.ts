import { DICTATION_SAMPLE_RATE } from '#shared/contract/dictation.ts'

/** So many seconds of silence as the window records: WAVE, PCM, 16 bit, mono. */
export function silentWav(seconds: number): Buffer {
  const bytes = seconds * DICTATION_SAMPLE_RATE * 2
  const file = Buffer.alloc(44 + bytes)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(36 + bytes, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(DICTATION_SAMPLE_RATE, 24)
  file.writeUInt32LE(DICTATION_SAMPLE_RATE * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(bytes, 40)
  return file
}
