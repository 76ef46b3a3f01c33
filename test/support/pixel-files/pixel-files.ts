import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PYDICOM_SAMPLES } from '../needs.ts'

/** A DICOM file that the viewer is to draw as an independent renderer does; `make.py` says more. */
export interface PixelFile {
  readonly name: string
  readonly frames: readonly number[]
  /** Options of DCMTK for the VOI transformation; null: the window that the viewer opens with. */
  readonly how: readonly string[] | null
  /** The file that DCMTK draws in its place, by name. */
  readonly of: string | null
  /** PNM files in place of DCMTK's pictures. */
  readonly pictures: readonly string[] | null
  /** The same with overlays in white. */
  readonly overlaid: readonly string[] | null
  readonly uids: readonly [study: string, series: string, instance: string]
  /** Height and width of a pixel. */
  readonly shape: readonly [number, number]
}

const MAKE = join(import.meta.dirname, 'make.py')
const PACKAGES = join(import.meta.dirname, '../../../node_modules/@cornerstonejs')

/** Makes files in a folder, some 300 with pydicom's samples, within half a minute. */
export async function makePixelFiles(
  folder: string,
  withSamples: boolean,
): Promise<readonly PixelFile[]> {
  const make = (list: string, ...words: string[]): PixelFile[] => {
    execFileSync('/usr/bin/python3', [MAKE, folder, ...words], { stdio: 'inherit' })
    return JSON.parse(readFileSync(join(folder, list), 'utf8'))
  }
  const made = make('files.json')
  writeFileSync(join(folder, 'wraps.json'), JSON.stringify(await encoded(folder)))
  return [
    ...made,
    ...make('wrapped.json', 'wrap'),
    ...(withSamples ? make('samples.json', 'samples', PYDICOM_SAMPLES) : []),
  ]
}

interface FrameInfo {
  readonly width: number
  readonly height: number
  readonly bitsPerSample: number
  readonly componentCount: number
  readonly isSigned: boolean
  /** HTJ2K. */
  readonly isUsingColorTransform: boolean
}
interface Encoder {
  getDecodedBuffer(frame: FrameInfo): Uint8Array
  getEncodedBuffer(): Uint8Array
  encode(): void
  delete(): void
  setLossless?(isLossless: boolean): void
  setQuality?(isLossless: boolean, quality: number): void
  setDecompositions?(count: number): void
}
type Codec = Readonly<Record<string, new () => Encoder>>

const CODECS = {
  j2k: ['codec-openjpeg/dist/openjpegwasm', 'J2KEncoder'],
  htj2k: ['codec-openjph/dist/openjphjs', 'HTJ2KEncoder'],
  jxl: ['codec-libjxl/dist/jpegxlwasm_encode', 'JpegXLEncoder'],
} as const

/** Bits and components of the files whose pixels are encoded, by name. */
const FORMS: Readonly<Record<string, readonly [bits: number, components: number, sign: boolean]>> =
  {
    u8: [8, 1, false],
    u12: [12, 1, false],
    u16: [16, 1, false],
    s12: [12, 1, true],
    s16: [16, 1, true],
    mono1: [12, 1, false],
    rgb: [8, 3, false],
  }

const WIDTH = 45
const HEIGHT = 37

/** Lossless codestreams that neither DCMTK nor GDCM makes, of pixels that DCMTK draws. */
async function encoded(folder: string): Promise<readonly object[]> {
  const wraps: object[] = []
  for (const [codec, syntaxes] of [
    ['j2k', ['1.2.840.10008.1.2.4.91']],
    ['htj2k', ['1.2.840.10008.1.2.4.201', '1.2.840.10008.1.2.4.203']],
    ['jxl', ['1.2.840.10008.1.2.4.110', '1.2.840.10008.1.2.4.112']],
  ] as const) {
    const [path, encoder] = CODECS[codec]
    const Encoder = (await codecOf(join(PACKAGES, path)))[encoder]
    if (!Encoder) throw new Error(`${encoder} is not there`)
    for (const [base, form] of Object.entries(FORMS)) {
      if (codec === 'jxl' && form[2]) continue
      const stream = join(folder, `${base}.${codec}`)
      writeFileSync(stream, encode(new Encoder(), pixelsOf(folder, base, form), form))
      for (const syntax of syntaxes)
        wraps.push({
          name: `${codec}-${syntax.split('.').at(-1)}-${base}`,
          base: `native-${base}`,
          streams: [stream],
          syntax,
        })
    }
  }
  for (const [name, stream] of [
    ['signs-as-signed', 'u12'],
    ['signs-as-unsigned', 's12'],
  ] as const)
    for (const [codec, syntax] of [
      ['j2k', '1.2.840.10008.1.2.4.90'],
      ['htj2k', '1.2.840.10008.1.2.4.201'],
    ] as const)
      wraps.push({
        name: `${codec}-${name}`,
        base: name,
        streams: [join(folder, `${stream}.${codec}`)],
        syntax,
      })
  return wraps
}

async function codecOf(path: string): Promise<Codec> {
  const wasmBinary = readFileSync(`${path}.wasm`)
  const factory = path.includes('libjxl')
    ? (await import(pathToFileURL(`${path}.js`).href)).default
    : createRequire(import.meta.url)(`${path}.js`)
  return factory({ wasmBinary, print: () => {}, printErr: () => {} })
}

function pixelsOf(
  folder: string,
  base: string,
  [bits, components]: readonly [number, number, boolean],
): Buffer {
  const bytes = WIDTH * HEIGHT * components * (bits > 8 ? 2 : 1)
  // Pixel Data is the last element, of even length.
  const file = readFileSync(join(folder, `native-${base}.dcm`))
  return file.subarray(file.length - bytes - (bytes % 2), file.length - (bytes % 2))
}

function encode(
  encoder: Encoder,
  pixels: Buffer,
  [bitsPerSample, componentCount, isSigned]: readonly [number, number, boolean],
): Uint8Array {
  const frame = {
    ...{ width: WIDTH, height: HEIGHT, bitsPerSample, componentCount, isSigned },
    isUsingColorTransform: componentCount === 3,
  }
  encoder.getDecodedBuffer(frame).set(pixels)
  encoder.setLossless?.(true)
  encoder.setQuality?.(true, 0)
  encoder.setDecompositions?.(3)
  encoder.encode()
  const stream = encoder.getEncodedBuffer().slice()
  encoder.delete()
  return stream
}
