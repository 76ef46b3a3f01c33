import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { openCodec } from '#server/dicom/thumbnails/codec-module.ts'

const LIBJXL = join(
  import.meta.dirname,
  '../../../../../node_modules/@cornerstonejs/codec-libjxl/dist',
)
const SIDE = 2000

interface Encoder {
  getDecodedBuffer(frame: object): Uint8Array
  setLossless(isLossless: boolean): void
  setEffort(effort: number): void
  encode(): void
  getEncodedBuffer(): Uint8Array
}

/** A grey image of 8 bits in JPEG XL, which takes some 40 MB to decode. */
async function encoded(): Promise<Uint8Array> {
  const path = join(LIBJXL, 'jpegxlwasm_encode')
  const { default: open } = await import(pathToFileURL(`${path}.js`).href)
  const codec: { readonly JpegXLEncoder: new () => Encoder } = await open({
    wasmBinary: readFileSync(`${path}.wasm`),
  })
  const encoder = new codec.JpegXLEncoder()
  const size = { width: SIDE, height: SIDE, bitsPerSample: 8, componentCount: 1 }
  encoder.getDecodedBuffer({ ...size, isSigned: false, isUsingColorTransform: false }).fill(7)
  encoder.setLossless(true)
  encoder.setEffort(1)
  encoder.encode()
  return encoder.getEncodedBuffer().slice()
}

async function decoded(bytes: Uint8Array, mostBytes?: number): Promise<Uint8Array> {
  const path = join(LIBJXL, 'jpegxlwasm_decode')
  const { JpegXLDecoder } = await openCodec(`${path}.js`, `${path}.wasm`, mostBytes)
  const decoder = new JpegXLDecoder()
  decoder.getEncodedBuffer(bytes.length).set(bytes)
  decoder.decode()
  return decoder.getDecodedBuffer().slice()
}

it('a decoder fails that wants more memory than it may have', async () => {
  const bytes = await encoded()
  expect(await decoded(bytes)).toEqual(new Uint8Array(SIDE * SIDE).fill(7))
  await expect(decoded(bytes, 24 << 20)).rejects.toBeDefined()
})
