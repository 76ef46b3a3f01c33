/** Reads a sample of a waveform in little endian. */
export interface SampleReader {
  /** Bytes of a sample. */
  readonly width: 1 | 2 | 4 | 8
  read(bytes: Buffer, at: number): number
}

/** By Waveform Sample Interpretation (PS3.3 C.10.9.1.5). */
const READERS: Readonly<Record<string, SampleReader>> = {
  SB: { width: 1, read: (bytes, at) => bytes.readInt8(at) },
  UB: { width: 1, read: (bytes, at) => bytes.readUInt8(at) },
  MB: { width: 1, read: (bytes, at) => fromMuLaw(bytes.readUInt8(at)) },
  AB: { width: 1, read: (bytes, at) => fromALaw(bytes.readUInt8(at)) },
  SS: { width: 2, read: (bytes, at) => bytes.readInt16LE(at) },
  US: { width: 2, read: (bytes, at) => bytes.readUInt16LE(at) },
  SL: { width: 4, read: (bytes, at) => bytes.readInt32LE(at) },
  UL: { width: 4, read: (bytes, at) => bytes.readUInt32LE(at) },
  SV: { width: 8, read: (bytes, at) => Number(bytes.readBigInt64LE(at)) },
  UV: { width: 8, read: (bytes, at) => Number(bytes.readBigUInt64LE(at)) },
}

/** Undefined if there is no such encoding with samples of so many bits. */
export function sampleReader(interpretation: string, bits: number): SampleReader | undefined {
  const reader = READERS[interpretation]
  return reader?.width === bits / 8 ? reader : undefined
}

/** ITU-T G.711 §4.2. */
function fromMuLaw(code: number): number {
  const bits = ~code & 0xff
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4)
  return (bits & 0x80) === 0 ? magnitude - 0x84 : 0x84 - magnitude
}

/** ITU-T G.711 §4.1. */
function fromALaw(code: number): number {
  const bits = code ^ 0x55
  const exponent = (bits & 0x70) >> 4
  const mantissa = ((bits & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return (bits & 0x80) === 0 ? -magnitude : magnitude
}
