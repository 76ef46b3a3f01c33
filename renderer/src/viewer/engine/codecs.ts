import { getWebWorkerManager } from '@cornerstonejs/core'
import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { withoutBias } from '#shared/pixels/jpeg-markers.ts'
import type { DecodedPixels } from '#shared/pixels/shown-values.ts'
import { type Samples, withSign } from '#shared/pixels/stored.ts'
import { decodeJpegInBrowser } from './browser-jpeg.ts'

/** Compressed transfer syntaxes that can be shown, by name. */
const SYNTAX_NAMES: Readonly<Record<string, string | Message>> = {
  '1.2.840.10008.1.2.4.50': 'JPEG',
  '1.2.840.10008.1.2.4.51': message('viewer.jpeg-of-12-bits'),
  '1.2.840.10008.1.2.4.57': message('viewer.lossless-jpeg'),
  '1.2.840.10008.1.2.4.70': message('viewer.lossless-jpeg'),
  '1.2.840.10008.1.2.4.80': 'JPEG-LS',
  '1.2.840.10008.1.2.4.81': 'JPEG-LS',
  '1.2.840.10008.1.2.4.90': 'JPEG 2000',
  '1.2.840.10008.1.2.4.91': 'JPEG 2000',
  '1.2.840.10008.1.2.4.110': 'JPEG XL',
  '1.2.840.10008.1.2.4.111': 'JPEG XL',
  '1.2.840.10008.1.2.4.112': 'JPEG XL',
  '1.2.840.10008.1.2.4.201': 'High-Throughput JPEG 2000',
  '1.2.840.10008.1.2.4.202': 'High-Throughput JPEG 2000',
  '1.2.840.10008.1.2.4.203': 'High-Throughput JPEG 2000',
}
const JPEG_EXTENDED = '1.2.840.10008.1.2.4.51'
const JPEG_BASELINE_OR_EXTENDED: ReadonlySet<string> = new Set([
  '1.2.840.10008.1.2.4.50',
  JPEG_EXTENDED,
])
/** A decoder that says nothing for this long has been lost with its worker. */
const DECODER_TIMEOUT_MS = 60_000

/**
 * What the decoders of `@cornerstonejs/dicom-image-loader` give back; dimensions are those of the
 * compressed data where they say so.
 */
interface WorkerFrame {
  readonly pixelData?: Samples
  readonly componentsPerPixel?: number
  readonly interleaveMode?: number
}

/** Decodes a compressed frame in a worker. @throws ImageProblem */
export async function decodeEncapsulatedFrame(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
  transferSyntaxUid: string,
): Promise<DecodedPixels> {
  const name = SYNTAX_NAMES[transferSyntaxUid]
  if (!name) throw new ImageProblem(message('viewer.unknown-compression', { transferSyntaxUid }))
  if (bytes.length === 0) throw new ImageProblem(message('viewer.no-pixel-data'))
  if (
    JPEG_BASELINE_OR_EXTENDED.has(transferSyntaxUid) &&
    pixel.samplesPerPixel === 3 &&
    pixel.bitsStored <= 8
  ) {
    const samples = await decodeJpegInBrowser(bytes, pixel)
    return { samples, isPlanar: false, isSubsampled: false, isRgb: true }
  }
  const frame = await decodeInWorker(bytes, pixel, transferSyntaxUid, name)
  const samples = frame.pixelData
  if (!samples || samples.length !== pixel.rows * pixel.columns * pixel.samplesPerPixel)
    throw new ImageProblem(message('viewer.data-other-size', { codec: name }))
  const exact = transferSyntaxUid === JPEG_EXTENDED ? withoutBias(bytes, samples) : samples
  return {
    samples: withSign(exact, pixel),
    isPlanar: frame.interleaveMode === 0 && pixel.samplesPerPixel > 1,
    isSubsampled: false,
    isRgb: false,
  }
}

/** What a decoder says whose WebAssembly could not be fetched: nothing of the image. */
const DECODER_NOT_LOADED = /\bwasm\b|Failed to fetch|NetworkError/
const DECODERS_FOLDER = 'decoders'
let areDecodersStarted = false
/**
 * The workers of Cornerstone's image loader. They start with the first compressed frame: most images
 * need none, and the first image of a view would wait for the code of the workers. The loader's own
 * `init` would start them too, but it also empties the cache of decoded images, and brings loaders
 * and another set of decoders into the page, where nothing uses them.
 */
function decoderManager(): ReturnType<typeof getWebWorkerManager> {
  const workers = getWebWorkerManager()
  if (!areDecodersStarted) {
    const cores = navigator.hardwareConcurrency || 2
    workers.registerWorker(DECODERS_FOLDER, openDecoder, {
      maxWorkerInstances: Math.max(2, Math.min(4, cores)),
    })
    areDecodersStarted = true
  }
  return workers
}

// The package does not name the file among its exports. The address is written out for the bundler.
const openDecoder = () =>
  new Worker(
    new URL(
      '../../../../node_modules/@cornerstonejs/dicom-image-loader/dist/esm/decodeImageFrameWorker.js',
      import.meta.url,
    ),
    { type: 'module' },
  )

async function decodeInWorker(
  bytes: Uint8Array,
  pixel: ImagePixel,
  transferSyntax: string,
  codec: string | Message,
): Promise<WorkerFrame> {
  const imageFrame = {
    samplesPerPixel: pixel.samplesPerPixel,
    photometricInterpretation: pixel.photometricInterpretation,
    planarConfiguration: 0,
    rows: pixel.rows,
    columns: pixel.columns,
    bitsAllocated: pixel.bitsAllocated,
    bitsStored: pixel.bitsStored,
    // Signs are put in here, from the bits that are stored: the decoders differ in it.
    pixelRepresentation: 0,
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ImageProblem(message('viewer.decoder-without-answer', { codec }), true)),
      DECODER_TIMEOUT_MS,
    )
  })
  try {
    const task = decoderManager().executeTask(DECODERS_FOLDER, 'decodeTask', {
      imageFrame,
      transferSyntax,
      pixelData: bytes,
      options: { preScale: { enabled: false } },
    })
    return (await Promise.race([task, timeout])) as WorkerFrame
  } catch (error) {
    if (error instanceof ImageProblem) throw error
    if (DECODER_NOT_LOADED.test(String(error)))
      throw new ImageProblem(message('viewer.decoder-not-loaded', { codec }), true)
    throw new ImageProblem(message('viewer.data-damaged', { codec }))
  } finally {
    clearTimeout(timer)
  }
}
