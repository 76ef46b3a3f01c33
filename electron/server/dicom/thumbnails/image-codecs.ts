import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Decoder as LosslessDecoder } from '@cornerstonejs/jpeg-lossless-decoder-js'
import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { withColourTransform, withoutBias } from '#shared/pixels/jpeg-markers.ts'
import type { DecodedPixels } from '#shared/pixels/shown-values.ts'
import {
  BIG_ENDIAN,
  decodeRleFrame,
  NATIVE_SYNTAXES,
  nativeFrame,
  RLE_SYNTAX,
  type Samples,
  type StoredPixels,
  withSign,
} from '#shared/pixels/stored.ts'
import { type FrameInfo, openCodec, type WasmClass, type WasmModule } from './codec-module.ts'
import { type CodestreamSize, codestreamSize } from './codestream-size.ts'

/** A codec's package, the name of its two files, and what the script is called once it is built. */
const JPEG = ['codec-libjpeg-turbo-8bit', 'libjpegturbowasm_decode', 'cjs'] as const
const JPEG_LS = ['codec-charls', 'charlswasm_decode', 'cjs'] as const
const JPEG_2000 = ['codec-openjpeg', 'openjpegwasm_decode', 'cjs'] as const
const HTJ2K = ['codec-openjph', 'openjphjs', 'cjs'] as const
const JPEG_XL = ['codec-libjxl', 'jpegxlwasm_decode', 'mjs'] as const
type Codec = typeof JPEG | typeof JPEG_LS | typeof JPEG_2000 | typeof HTJ2K | typeof JPEG_XL

/** The decoders of the viewer (`renderer/src/viewer/engine/codecs.ts`). */
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
  '1.2.840.10008.1.2.4.110': [JPEG_XL, 'JpegXLDecoder'],
  '1.2.840.10008.1.2.4.111': [JPEG_XL, 'JpegXLDecoder'],
  '1.2.840.10008.1.2.4.112': [JPEG_XL, 'JpegXLDecoder'],
}
/**
 * Of the memory of JPEG XL's decoder: its frames may be larger than the image that it states, so
 * that what the decoder allocates is not known before.
 */
const MAX_DECODER_BYTES = 512 << 20
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
): Promise<StoredPixels | DecodedPixels> {
  if (NATIVE_SYNTAXES.has(transferSyntaxUid))
    return nativeFrame(bytes, pixel, transferSyntaxUid === BIG_ENDIAN)
  if (transferSyntaxUid === RLE_SYNTAX) return decodeRleFrame(bytes, pixel)
  const decoder = DECODERS[transferSyntaxUid]
  if (!decoder && !LOSSLESS_JPEG.has(transferSyntaxUid))
    throw new ImageProblem(message('viewer.unknown-compression', { transferSyntaxUid }))
  // The other decoders allocate what the codestream says, whatever the header says.
  if (decoder?.[0] !== JPEG_XL && !hasPixelSize(codestreamSize(bytes), pixel))
    throw decodingProblem()
  try {
    if (transferSyntaxUid === EXTENDED_JPEG && pixel.bitsAllocated === 16)
      return await decode12Bit(bytes, pixel)
    return decoder
      ? await decodeWithWasm(bytes, pixel, decoder)
      : {
          samples: withSign(requireAllSamples(decodeLossless(bytes, pixel), pixel), pixel),
          ...INTERLEAVED,
        }
  } catch {
    // The decoders throw numbers and texts, too. One that failed may have damaged its memory: the
    // next image gets another.
    if (decoder) modules.delete(decoder[0])
    throw decodingProblem()
  }
}

const hasPixelSize = (size: CodestreamSize | undefined, pixel: ImagePixel): boolean =>
  size?.rows === pixel.rows &&
  size.columns === pixel.columns &&
  size.components === pixel.samplesPerPixel

const INTERLEAVED = { isPlanar: false, isSubsampled: false, isRgb: false }

const decodingProblem = () => new ImageProblem(message('viewer.image-not-decoded'))

/** @throws ImageProblem there are fewer samples than the header says, or more */
function requireAllSamples(
  samples: Samples,
  { rows, columns, samplesPerPixel }: ImagePixel,
): Samples {
  if (samples.length !== rows * columns * samplesPerPixel) throw decodingProblem()
  return samples
}

function decodeLossless(bytes: Uint8Array<ArrayBuffer>, { bitsAllocated }: ImagePixel): Samples {
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

async function decode12Bit(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
): Promise<DecodedPixels> {
  const path = BUILT_FOLDER
    ? join(BUILT_FOLDER, 'jpeg.mjs')
    : join(PACKAGES_FOLDER, 'dicom-image-loader/dist/esm/codecs/jpeg.js')
  const { default: Decoder }: { readonly default: new () => ExtendedDecoder } = await import(
    pathToFileURL(path).href
  )
  const decoder = new Decoder()
  decoder.parse(bytes)
  const samples = withoutBias(bytes, decoder.getData16(pixel.columns, pixel.rows))
  return { samples: withSign(requireAllSamples(samples, pixel), pixel), ...INTERLEAVED }
}

async function decodeWithWasm(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
  [codec, name]: readonly [Codec, WasmClass],
): Promise<DecodedPixels> {
  // A decoder of its own for each image: one that fails keeps the pixels of the image before.
  const decoder = new (await moduleOf(codec))[name]()
  try {
    const encoded =
      codec === JPEG ? withColourTransform(bytes, pixel.photometricInterpretation) : bytes
    decoder.getEncodedBuffer(encoded.length).set(encoded)
    decoder.decode()
    const frame = decoder.getFrameInfo()
    const { width, height, componentCount } = frame
    if (!hasPixelSize({ rows: height, columns: width, components: componentCount }, pixel))
      throw decodingProblem()
    const samples = samplesOf(decoder.getDecodedBuffer(), frame)
    return {
      samples: withSign(requireAllSamples(samples, pixel), pixel),
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

function moduleOf(codec: Codec): Promise<WasmModule> {
  const known = modules.get(codec)
  if (known) return known
  const path = pathOf(codec)
  const script = `${path}.${BUILT_FOLDER ? codec[2] : 'js'}`
  const loading = openCodec(
    script,
    `${path}.wasm`,
    codec === JPEG_XL ? MAX_DECODER_BYTES : Number.POSITIVE_INFINITY,
  )
  modules.set(codec, loading)
  return loading
}

/** Beside the built program (`vite.config.ts` puts them there), or where the packages are. */
const BUILT_FOLDER = ['codecs', '../codecs']
  .map((place) => join(import.meta.dirname, place))
  .find((folder) => existsSync(join(folder, `${JPEG[1]}.wasm`)))
const PACKAGES_FOLDER = join(import.meta.dirname, '../../../../node_modules/@cornerstonejs')

const pathOf = ([name, file]: Codec): string =>
  BUILT_FOLDER ? join(BUILT_FOLDER, file) : join(PACKAGES_FOLDER, name, 'dist', file)
