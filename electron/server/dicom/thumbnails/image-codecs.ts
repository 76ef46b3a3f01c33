import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Decoder as LosslessDecoder } from '@cornerstonejs/jpeg-lossless-decoder-js'
import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { withColourTransform, withoutBias } from '#shared/pixels/jpeg-markers.ts'
import type { Decoded } from '#shared/pixels/shown-values.ts'
import {
  BIG_ENDIAN,
  NATIVE,
  nativeFrame,
  RLE,
  rleFrame,
  type Samples,
  type Stored,
  withSign,
} from '#shared/pixels/stored.ts'
import { codestreamSize } from './codestream-size.ts'

interface FrameInfo {
  readonly width: number
  readonly height: number
  readonly bitsPerSample: number
  readonly componentCount: number
  readonly isSigned?: boolean
}

/** What the decoders of Cornerstone's codecs have in common; memory is that of WebAssembly. */
interface WasmDecoder {
  getEncodedBuffer(length: number): Uint8Array
  decode(): void
  getDecodedBuffer(): Uint8Array
  getFrameInfo(): FrameInfo
  /** JPEG-LS: 0 where the samples come plane by plane. */
  getInterleaveMode?(): number
  delete(): void
}

type WasmClass = 'JPEGDecoder' | 'JpegLSDecoder' | 'J2KDecoder' | 'HTJ2KDecoder'
type WasmModule = { readonly [K in WasmClass]: new () => WasmDecoder }
type WasmFactory = (options: {
  readonly wasmBinary: Uint8Array
  /** What a decoder says of damaged data: nobody reads it. */
  readonly print: () => void
  readonly printErr: () => void
}) => Promise<WasmModule>

/** A codec's package and the name of its two files. */
const JPEG = ['codec-libjpeg-turbo-8bit', 'libjpegturbowasm_decode'] as const
const JPEG_LS = ['codec-charls', 'charlswasm_decode'] as const
const JPEG_2000 = ['codec-openjpeg', 'openjpegwasm_decode'] as const
const HTJ2K = ['codec-openjph', 'openjphjs'] as const
type Codec = typeof JPEG | typeof JPEG_LS | typeof JPEG_2000 | typeof HTJ2K

/**
 * The decoders of the viewer (`renderer/src/viewer/engine/codecs.ts`), without JPEG XL: its frames may
 * be larger than the image that it states, so that its memory cannot be bounded before it decodes.
 */
const DECODERS: Readonly<Record<string, readonly [Codec, WasmClass]>> = {
  '1.2.840.10008.1.2.4.50': [JPEG, 'JPEGDecoder'],
  '1.2.840.10008.1.2.4.51': [JPEG, 'JPEGDecoder'],
  '1.2.840.10008.1.2.4.80': [JPEG_LS, 'JpegLSDecoder'],
  '1.2.840.10008.1.2.4.81': [JPEG_LS, 'JpegLSDecoder'],
  '1.2.840.10008.1.2.4.90': [JPEG_2000, 'J2KDecoder'],
  '1.2.840.10008.1.2.4.91': [JPEG_2000, 'J2KDecoder'],
  '1.2.840.10008.1.2.4.201': [HTJ2K, 'HTJ2KDecoder'],
  '1.2.840.10008.1.2.4.202': [HTJ2K, 'HTJ2KDecoder'],
  '1.2.840.10008.1.2.4.203': [HTJ2K, 'HTJ2KDecoder'],
}
const EXTENDED_JPEG = '1.2.840.10008.1.2.4.51'
const LOSSLESS_JPEG: ReadonlySet<string> = new Set([
  '1.2.840.10008.1.2.4.57',
  '1.2.840.10008.1.2.4.70',
])

/** Stored values of a frame. @throws ImageProblem it cannot be decoded */
export async function decodedFrame(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
  transferSyntaxUid: string,
): Promise<Stored | Decoded> {
  if (NATIVE.has(transferSyntaxUid))
    return nativeFrame(bytes, pixel, transferSyntaxUid === BIG_ENDIAN)
  if (transferSyntaxUid === RLE) return rleFrame(bytes, pixel)
  const decoder = DECODERS[transferSyntaxUid]
  if (!decoder && !LOSSLESS_JPEG.has(transferSyntaxUid))
    throw new ImageProblem(message('viewer.unknown-compression', { transferSyntaxUid }))
  // The decoders allocate what the codestream says, whatever the header says.
  const size = codestreamSize(bytes)
  if (
    size?.rows !== pixel.rows ||
    size.columns !== pixel.columns ||
    size.components !== pixel.samplesPerPixel
  )
    throw damaged()
  try {
    if (transferSyntaxUid === EXTENDED_JPEG && pixel.bitsAllocated === 16)
      return await decodedOf12Bits(bytes, pixel)
    return decoder
      ? await decodedByWasm(bytes, pixel, decoder)
      : { samples: withSign(whole(lossless(bytes, pixel), pixel), pixel), ...INTERLEAVED }
  } catch {
    // The decoders throw numbers and texts, too. One that failed may have damaged its memory: the
    // next image gets another.
    if (decoder) modules.delete(decoder[0])
    throw damaged()
  }
}

const INTERLEAVED = { isPlanar: false, isSubsampled: false, isRgb: false }

const damaged = () => new ImageProblem(message('viewer.image-not-decoded'))

/** @throws ImageProblem there are fewer samples than the header says, or more */
function whole(samples: Samples, { rows, columns, samplesPerPixel }: ImagePixel): Samples {
  if (samples.length !== rows * columns * samplesPerPixel) throw damaged()
  return samples
}

function lossless(bytes: Uint8Array<ArrayBuffer>, { bitsAllocated }: ImagePixel): Samples {
  const width = bitsAllocated <= 8 ? 1 : 2
  const { buffer } = new LosslessDecoder().decode(
    bytes.buffer,
    bytes.byteOffset,
    bytes.length,
    width,
  )
  return width === 1 ? new Uint8Array(buffer) : new Uint16Array(buffer)
}

/** The viewer's decoder of extended JPEG, which is a script. */
interface ExtendedDecoder {
  parse(bytes: Uint8Array): void
  getData16(columns: number, rows: number): Uint16Array
}

async function decodedOf12Bits(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
): Promise<Decoded> {
  const path = BUILT
    ? join(BUILT, 'jpeg.mjs')
    : join(PACKAGES, 'dicom-image-loader/dist/esm/codecs/jpeg.js')
  const { default: Decoder }: { readonly default: new () => ExtendedDecoder } = await import(
    pathToFileURL(path).href
  )
  const decoder = new Decoder()
  decoder.parse(bytes)
  const samples = withoutBias(bytes, decoder.getData16(pixel.columns, pixel.rows))
  return { samples: withSign(whole(samples, pixel), pixel), ...INTERLEAVED }
}

async function decodedByWasm(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
  [codec, name]: readonly [Codec, WasmClass],
): Promise<Decoded> {
  // A decoder of its own for each image: one that fails keeps the pixels of the image before.
  const decoder = new (await moduleOf(codec))[name]()
  try {
    const encoded =
      codec === JPEG ? withColourTransform(bytes, pixel.photometricInterpretation) : bytes
    decoder.getEncodedBuffer(encoded.length).set(encoded)
    decoder.decode()
    const frame = decoder.getFrameInfo()
    const samples = samplesOf(decoder.getDecodedBuffer(), frame)
    return {
      samples: withSign(whole(samples, pixel), pixel),
      isPlanar: decoder.getInterleaveMode?.() === 0 && pixel.samplesPerPixel > 1,
      isSubsampled: false,
      isRgb: codec === JPEG && pixel.samplesPerPixel === 3,
    }
  } finally {
    decoder.delete()
  }
}

/** A copy: the memory is the decoder's. */
function samplesOf(bytes: Uint8Array, { bitsPerSample, isSigned, componentCount }: FrameInfo) {
  const { buffer } = bytes.slice()
  const hasSign = isSigned === true && componentCount === 1
  if (bitsPerSample > 8) return hasSign ? new Int16Array(buffer) : new Uint16Array(buffer)
  return hasSign ? new Int8Array(buffer) : new Uint8Array(buffer)
}

const modules = new Map<Codec, Promise<WasmModule>>()
const require = createRequire(import.meta.url)

function moduleOf(codec: Codec): Promise<WasmModule> {
  const known = modules.get(codec)
  if (known) return known
  const path = pathOf(codec)
  const loading = (require(`${path}${BUILT ? '.cjs' : '.js'}`) as WasmFactory)({
    wasmBinary: readFileSync(`${path}.wasm`),
    print: () => {},
    printErr: () => {},
  })
  modules.set(codec, loading)
  return loading
}

/** Beside the built program (`vite.config.ts` puts them there), or where the packages are. */
const BUILT = ['codecs', '../codecs']
  .map((place) => join(import.meta.dirname, place))
  .find((folder) => existsSync(join(folder, `${JPEG[1]}.wasm`)))
const PACKAGES = join(import.meta.dirname, '../../../../node_modules/@cornerstonejs')

const pathOf = ([name, file]: Codec): string =>
  BUILT ? join(BUILT, file) : join(PACKAGES, name, 'dist', file)
