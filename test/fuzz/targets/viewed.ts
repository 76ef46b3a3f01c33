import { encapsulatedDocument } from '#server/dicom/pixel-data/encapsulated-content.ts'
import {
  type ByteSource,
  isDeflated,
  lengthOfFrame,
  readFrame,
  ViewedFile,
  ViewedFileFault,
} from '#server/dicom/pixel-data/viewed-file.ts'
import { englishText } from '#shared/messages/english.ts'
import { textOf } from '../../support/saying.ts'
import { hold, same } from '../target.ts'

/** Bytes of which more and more are there. */
class GrowingSource implements ByteSource {
  readonly #bytes: Buffer
  length = 0
  isWhole = false
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }
  grow(length: number): void {
    this.length = Math.min(length, this.#bytes.length)
    this.isWhole = this.length === this.#bytes.length
  }
  read(at: number, length: number): Buffer {
    if (!(at >= 0 && length >= 0 && at + length <= this.length))
      throw new RangeError('a read of what is not there')
    return Buffer.from(this.#bytes.subarray(at, at + length))
  }
}

/** Frames of one file that are looked at. */
const MOST_FRAMES = 6

/**
 * Looks at a file whole and while it comes: both see the same. Gives in a few words what it is.
 * @param lengths at which the growing file is looked at
 */
export function lookAt(bytes: Buffer, lengths: readonly number[]): string {
  const source = new GrowingSource(bytes)
  source.grow(bytes.length)
  const whole = seen(source, new ViewedFile(source))

  const growing = new GrowingSource(bytes)
  const file = new ViewedFile(growing)
  for (const length of [...lengths, bytes.length]) {
    growing.grow(length)
    const now = seen(growing, file)
    // What is there stays as it is, whatever comes behind it.
    if (now.header !== undefined)
      same('The header of a file that comes is another one', now.header, whole.header)
    for (const [index, frame] of now.frames.entries())
      if (frame !== undefined && !growing.isWhole)
        same('A frame of a file that comes is another one', frame, whole.frames[index])
  }
  const late = seen(growing, file)
  same(
    'A file that came is another one than the same file',
    [late.header, late.frames, late.fault],
    [whole.header, whole.frames, whole.fault],
  )
  same('Whether it is deflated depends on how it came', isDeflated(growing), isDeflated(source))
  return `${whole.said} ${whole.frames.length} ${whole.extras} ${whole.fault ?? ''}`.replace(
    /\d+/g,
    'n',
  )
}

interface Seen {
  readonly header: unknown
  /** Undefined: not yet there. */
  readonly frames: readonly unknown[]
  readonly extras: string
  readonly fault: string | undefined
  readonly said: string
}

function seen(source: GrowingSource, file: ViewedFile): Seen {
  try {
    const header = file.header()
    if (!header) {
      hold(!source.isWhole, 'The header of a whole file has not come')
      return { header: undefined, frames: [], extras: '', fault: undefined, said: 'not yet' }
    }
    const { frames, image, notImage } = header.instance
    hold(Number.isInteger(frames) && frames >= 1 && frames <= 100_000, `It has ${frames} frames`)
    hold((image === null) === (notImage !== null), 'It is an image and is none')
    const numbers = [
      ...Array.from({ length: Math.min(frames, MOST_FRAMES) }, (_, index) => index + 1),
      frames,
    ]
    const found = numbers.map((number) => orFault(() => frameOf(source, file, number)))
    const extras = orFault(() => extrasOf(file))
    const fault = orFault(() => file.fault() ?? null)
    if (source.isWhole) orFault(() => encapsulatedDocument(source))
    return {
      header: JSON.parse(JSON.stringify(header)) as unknown,
      frames: found,
      extras: typeof extras === 'string' ? extras : '',
      fault: typeof fault === 'string' ? fault : fault ? englishText(fault) : undefined,
      said: `${header.instance.transferSyntaxUid.slice(0, 24)} ${textOf(notImage).slice(0, 30)}`,
    }
  } catch (error) {
    if (!(error instanceof ViewedFileFault)) throw error
    return {
      header: undefined,
      frames: [],
      extras: '',
      fault: sentence(error),
      said: sentence(error),
    }
  }
}

/** Its length and beginning: comparing megabytes of pixels takes long. */
function frameOf(source: GrowingSource, file: ViewedFile, number: number): unknown {
  const frame = file.frame(number)
  if (!frame) return undefined
  const length = lengthOfFrame(frame)
  hold(length <= source.length + 1, `A frame is ${length} bytes of a file of ${source.length}`)
  return [length, readFrame(source, frame).subarray(0, 256).toString('hex')]
}

function extrasOf(file: ViewedFile): string {
  const { palette, modalityLut, voiLuts, overlays } = file.extras()
  for (const table of [
    modalityLut,
    ...voiLuts,
    ...(palette ? [palette.red, palette.green, palette.blue] : []),
  ])
    hold(!table || table.data.length === table.entries * 2, 'A table is not as long as it says')
  for (const { rows, columns, data } of overlays)
    hold(data.length === Math.ceil((rows * columns) / 8), 'A plane is not as large as it says')
  return `${palette ? 'p' : ''}${modalityLut ? 'm' : ''}${voiLuts.length > 0 ? 'v' : ''}${overlays.length > 0 ? 'o' : ''}`
}

/** What is said where it cannot be had: a sentence, and nothing else. */
function orFault<T>(look: () => T): T | string {
  try {
    return look()
  } catch (error) {
    if (error instanceof ViewedFileFault) return sentence(error)
    throw error
  }
}

function sentence({ message }: ViewedFileFault): string {
  hold(/^[A-Z].*\.$/s.test(message), `A fault that is no sentence: ${message}`)
  return message
}
