import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { encapsulatedDocument } from '#server/dicom/pixel-data/encapsulated-content.ts'
import {
  isDeflated,
  readFrame,
  ViewedFile,
  ViewedFileFault,
} from '#server/dicom/pixel-data/viewed-file.ts'
import { message } from '#shared/messages/message.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { textOf } from '../../../../support/saying.ts'
import {
  EXPLICIT,
  element,
  encapsulatedFile,
  fileOf,
  framesOf,
  headerOf,
  IMAGE,
  jpeg,
  meta,
  opened,
  RLE,
  TestSource,
  uint16,
} from './viewed-file-fixture.ts'

const FRAME = 24
const pixels = (frames: number): Buffer =>
  Buffer.from(Array.from({ length: frames * FRAME }, (_, index) => (index * 7) & 0xff))
const threeFrames = (): Buffer => fileOf({ ...IMAGE, NumberOfFrames: '3', PixelData: pixels(3) })
const dataSetOf = (transferSyntaxUid: string): Buffer =>
  writeDataSet(namedDataSet({ ...IMAGE, PixelData: pixels(1) }), transferSyntaxUid)

/** All that a file says, as text: equal for equal files. */
function everything(source: TestSource): string {
  const file = new ViewedFile(source)
  const header = file.header()
  const readable = (frame: ReturnType<typeof file.frame>) =>
    frame && readFrame(source, frame).toString('hex')
  const frames = Array.from({ length: header?.instance.frames ?? 0 }, (_, index) =>
    attempt(() => readable(file.frame(index + 1))),
  )
  return JSON.stringify([header, frames, file.fault()])
}

function attempt<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof ViewedFileFault) return error.message
    throw error
  }
}

const SENTENCE = /^[A-Z].*\.$/

describe('a file that is whole', () => {
  it.each(Object.entries(TRANSFER_SYNTAX).filter(([name]) => !name.startsWith('deflated')))(
    'is read in %s',
    (_name, uid) => {
      const bytes = fileOf(
        { ...IMAGE, NumberOfFrames: '3', PixelData: pixels(3) },
        { transferSyntaxUid: uid },
      )
      const { study, instance } = headerOf(bytes)
      expect(study.patientName).toBe('Пробная^Анна')
      expect(instance).toMatchObject({
        transferSyntaxUid: uid,
        frames: 3,
        image: { rows: 4, columns: 6, bitsAllocated: 8 },
      })
      expect(Buffer.concat(framesOf(bytes) as Buffer[])).toEqual(pixels(3))
    },
  )

  it.each([TRANSFER_SYNTAX.implicitLittleEndian, EXPLICIT, TRANSFER_SYNTAX.explicitBigEndian])(
    'is read without its file meta information, as what it looks like: %s',
    (uid) => {
      expect(headerOf(dataSetOf(uid)).instance).toMatchObject({
        transferSyntaxUid: uid,
        sopInstanceUid: '2.25.3',
      })
      expect(framesOf(dataSetOf(uid))).toEqual([pixels(1)])
    },
  )

  it('is read without its preamble, and without the preamble alone', () => {
    expect(headerOf(threeFrames().subarray(132)).instance.frames).toBe(3)
    expect(headerOf(threeFrames().subarray(128)).instance.frames).toBe(3)
  })

  it('is read in the coding it has, where another one is declared', () => {
    const wrong = Buffer.concat([meta(EXPLICIT), dataSetOf(TRANSFER_SYNTAX.implicitLittleEndian)])
    expect(headerOf(wrong).instance.transferSyntaxUid).toBe(TRANSFER_SYNTAX.implicitLittleEndian)
    expect(framesOf(wrong)).toEqual([pixels(1)])
  })

  it('has no frame but those it has', () => {
    const { file } = opened(threeFrames())
    for (const number of [0, 4, 1.5, -1])
      expect(() => file.frame(number)).toThrow('It does not have this frame.')
  })

  it('is read without its pixels', () => {
    const large = fileOf({
      ...IMAGE,
      Rows: uint16(4096),
      Columns: uint16(4096),
      PixelData: Buffer.alloc(4096 * 4096),
    })
    const { file, source } = opened(large)
    expect(file.header()?.instance.frames).toBe(1)
    file.frame(1)
    expect(source.bytesRead).toBeLessThan(100_000)
  })

  it('is read where a private element is larger than any header', () => {
    const large = Buffer.concat([
      meta(),
      element('SOPInstanceUID', Buffer.from('2.25.3')),
      privateElement(40 << 20),
      tail(),
    ])
    const { file, source } = opened(large)
    expect(file.header()?.instance.image?.rows).toBe(4)
    expect(source.bytesRead).toBeLessThan(300_000)
  })

  it('is read though its elements are out of order, twice, or have delimiters between them', () => {
    const uid = element('SOPInstanceUID', Buffer.from('2.25.3'))
    const delimiter = Buffer.from('feff0de000000000', 'hex')
    const name = (text: string) => element('PatientName', Buffer.from(text))
    const header = headerOf(
      Buffer.concat([meta(), name('First '), uid, delimiter, name('Second'), tail()]),
    )
    expect(header.study.patientName).toBe('First')
    expect(header.instance.image?.rows).toBe(4)
  })

  it('is read though a VR does not exist, or a sequence is written as UN', () => {
    const uid = element('SOPInstanceUID', Buffer.from('2.25.3'))
    const odd = element('PatientName', Buffer.from('Anna'), 4, '??')
    // PS3.5 §6.2.2: in Implicit VR inside.
    const inside = Buffer.concat([
      Buffer.from('20003200', 'hex'),
      uint16(6, 0),
      Buffer.from('1\\2\\3 '),
    ])
    const item = Buffer.concat([
      Buffer.from('feff00e0ffffffff', 'hex'),
      inside,
      Buffer.from('feff0de000000000', 'hex'),
    ])
    const plane = Buffer.concat([
      Buffer.from('20001391ffffffff', 'hex'),
      item,
      Buffer.from('feffdde000000000', 'hex'),
    ])
    const group = Buffer.concat([Buffer.from('feff00e0', 'hex'), uint16(plane.length, 0), plane])
    const groups = element('PerFrameFunctionalGroupsSequence', group, group.length, 'UN')
    const { study, instance } = headerOf(Buffer.concat([meta(), uid, odd, groups, tail()]))
    expect(study.patientName).toBe('Anna')
    expect(instance.attributes.position).toEqual([1, 2, 3])
  })

  it('says that it is deflated, and is not read so', () => {
    const { file, source } = opened(
      fileOf(
        { ...IMAGE, PixelData: pixels(1) },
        { transferSyntaxUid: TRANSFER_SYNTAX.deflatedExplicitLittleEndian },
      ),
    )
    expect(isDeflated(source)).toBe(true)
    expect(isDeflated(opened(threeFrames()).source)).toBe(false)
    expect(isDeflated(new TestSource(threeFrames(), 100, false))).toBeUndefined()
    expect(isDeflated(opened(Buffer.from('<html>')).source)).toBe(false)
    expect(() => file.header()).toThrow('It is compressed (deflate) and has not been decompressed.')
  })
})

const privateElement = (length: number): Buffer => {
  const header = Buffer.from('090010104f42000000000000', 'hex')
  header.writeUInt32LE(length, 8)
  return Buffer.concat([header, Buffer.alloc(length)])
}
/** Of an image, from its rows on. */
const tail = (): Buffer => {
  const { SOPInstanceUID: _, ...others } = IMAGE
  return writeDataSet(
    namedDataSet({ ...others, PixelData: pixels(1) }).filter(({ tag }) => tag >= 0x00280000),
    EXPLICIT,
  )
}

describe('a file that is none', () => {
  it.each([
    ['', 'It is empty.'],
    ['\0', 'It is not a DICOM file.'],
    ['\0'.repeat(4096), 'It is not a DICOM file.'],
    ['Not found', 'It is not a DICOM file.'],
    [
      '<!DOCTYPE html><title>Sign in</title>',
      'It is not a DICOM file: it begins like an HTML page.',
    ],
    ['\xef\xbb\xbf\n<HTML>', 'It is not a DICOM file: it begins like an HTML page.'],
    ['<?xml version="1.0"?><Error/>', 'It is not a DICOM file: it begins like XML text.'],
    ['{"error":"expired"}', 'It is not a DICOM file: it begins like JSON text.'],
    ['%PDF-1.7', 'It is not a DICOM file: it begins like a PDF.'],
    ['PK\x03\x04', 'It is not a DICOM file: it begins like a ZIP archive.'],
    ['\xff\xd8\xff\xe0 JFIF', 'It is not a DICOM file: it begins like a JPEG image.'],
    ['\x89PNG\r\n', 'It is not a DICOM file: it begins like a PNG image.'],
  ])('%j is told as what it is', (text, sentence) => {
    for (const more of ['', ' '.repeat(500)]) {
      if (text === '' && more !== '') continue
      const { file } = opened(Buffer.from(text + more, 'latin1'))
      expect(() => file.header()).toThrow(
        expect.objectContaining({ name: 'ViewedFileFault', message: sentence }),
      )
      expect(() => file.frame(1)).toThrow(sentence)
      expect(() => file.fault()).toThrow(sentence)
    }
  })

  it('has no SOP Instance UID', () => {
    expect(() =>
      headerOf(writeDataSet(namedDataSet({ SOPClassUID: '1.2', PatientID: 'X' }), EXPLICIT)),
    ).toThrow('It has no SOP Instance UID.')
  })
})

describe('a file that ends too early', () => {
  it('gives the frames that are whole, and says how many', () => {
    const bytes = threeFrames()
    const cut = bytes.subarray(0, bytes.length - FRAME - 1)
    expect(framesOf(cut)).toEqual([
      pixels(3).subarray(0, FRAME),
      'It ends within its pixel data: 1 of 3 frames is complete.',
      'It ends within its pixel data: 1 of 3 frames is complete.',
    ])
    expect(opened(cut).file.fault()).toEqual(
      'It ends within its pixel data: 1 of 3 frames is complete.',
    )
  })

  it('has pixel data that is shorter than it says', () => {
    const bytes = fileOf({ ...IMAGE, NumberOfFrames: '7', PixelData: pixels(2) })
    expect(headerOf(bytes).instance.frames).toBe(2)
    expect(opened(bytes).file.fault()).toEqual(
      'It should have 7 frames, but its pixel data contains 2.',
    )
    const short = fileOf({ ...IMAGE, PixelData: pixels(1).subarray(0, 10) })
    expect(framesOf(short)).toEqual(['Its pixel data is shorter than its image.'])
    expect(opened(short).file.fault()).toEqual('Its pixel data is shorter than its image.')
  })

  it.each([
    ['native', threeFrames()],
    [
      'JPEG',
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '3' }, [
        jpeg('one'),
        jpeg('two'),
        jpeg('three'),
      ]),
    ],
    [
      'RLE',
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '3' }, [pixels(1), pixels(1), pixels(1)], {
        transferSyntaxUid: RLE,
      }),
    ],
  ])('is told wherever it ends: %s', (_name, bytes) => {
    const all = framesOf(bytes)
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length)
      const { file } = opened(cut)
      const header = attempt(() => file.header())
      if (typeof header === 'string') {
        expect(header).toMatch(
          /^It (?:is empty|is not a DICOM file|ends (?:before its data set|within its (?:header|file meta information)))\.$/,
        )
        continue
      }
      if (header?.instance.image === null) continue
      const frames = framesOf(cut)
      expect(frames).toHaveLength(3)
      for (const [index, frame] of frames.entries()) {
        if (typeof frame === 'string')
          expect(frame).toMatch(/^It (?:ends within its pixel data|should have 3 frames)/)
        else expect(frame).toEqual(all[index])
      }
      const whole = frames.filter((frame) => typeof frame !== 'string').length
      if (whole < 3) expect(textOf(file.fault())).toContain(whole === 0 ? 'none' : String(whole))
    }
  })
})

describe('a file that is still coming', () => {
  it.each([
    ['native', threeFrames()],
    [
      'Big Endian',
      fileOf(
        { ...IMAGE, PixelData: pixels(1) },
        { transferSyntaxUid: TRANSFER_SYNTAX.explicitBigEndian, pixelVr: 'OW' },
      ),
    ],
    [
      'JPEG',
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '2' }, [
        jpeg('one'),
        jpeg('of two'),
        jpeg('two'),
      ]),
    ],
    [
      'JPEG by its table',
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '2' }, [jpeg('one.'), jpeg('two.')], {
        table: [0, 18],
      }),
    ],
    [
      'RLE',
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '3' }, [pixels(1), pixels(1), pixels(1)], {
        transferSyntaxUid: RLE,
      }),
    ],
    ['no image', fileOf({ ...IMAGE, SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11' })],
  ])('is in the end what it is when it is whole at once: %s', (_name, bytes) => {
    const expected = everything(new TestSource(bytes))
    const source = new TestSource(bytes, 0, false)
    const file = new ViewedFile(source)
    const seen: string[] = []
    for (let length = 0; length <= bytes.length; length++) {
      source.length = length
      const header = file.header()
      if (!header) {
        expect(file.frame(1)).toBeUndefined()
        continue
      }
      if (header.instance.image === null) continue
      for (let number = 1; number <= header.instance.frames; number++) {
        const frame = file.frame(number)
        if (frame) seen[number - 1] ??= readFrame(source, frame).toString('hex')
      }
    }
    expect(file.fault()).toBeUndefined()
    source.isWhole = true
    const header = file.header()
    const frames = Array.from(
      { length: header?.instance.frames ?? 0 },
      (_, index) => seen[index] ?? attempt(() => file.frame(index + 1)),
    )
    expect(JSON.stringify([header, frames, file.fault()])).toBe(expected)
  })

  it.each([
    ['one that is looked at', element('PatientID', Buffer.alloc(500, 'P'), 4000)],
    ['one that is passed over', element('DeviceSerialNumber', Buffer.alloc(500, 'P'), 4000)],
  ])('ends within its header where an element goes on behind its end: %s', (_name, last) => {
    const bytes = Buffer.concat([meta(), element('SOPInstanceUID', Buffer.from('2.25.3')), last])
    const source = new TestSource(bytes, 0, false)
    const file = new ViewedFile(source)
    for (source.length = 0; source.length < bytes.length; source.length++)
      expect(file.header()).toBeUndefined()
    expect(file.header()).toBeUndefined()
    source.isWhole = true
    expect(() => file.header()).toThrow(
      new ViewedFileFault(message('viewed-file.ends-within-header')),
    )
  })

  it('does not read a long header again for every piece', () => {
    const groups = Array.from({ length: 3000 }, (_, index) => ({
      PlanePositionSequence: [{ ImagePositionPatient: `0\\0\\${index}` }],
    }))
    const bytes = fileOf({
      ...IMAGE,
      NumberOfFrames: '3000',
      PerFrameFunctionalGroupsSequence: groups,
      PixelData: pixels(3000),
    })
    const source = new TestSource(bytes, 0, false)
    const file = new ViewedFile(source)
    while (source.length < bytes.length) {
      source.length = Math.min(bytes.length, source.length + 512)
      file.header()
    }
    expect(file.header()?.instance.perFrame?.[2999]?.position).toEqual([0, 0, 2999])
    expect(source.bytesRead).toBeLessThan(bytes.length * 40)
  })
})

describe('a hostile file', () => {
  it('has lengths that are not true', () => {
    const start = meta()
    const uid = element('SOPInstanceUID', Buffer.from('2.25.3'))
    for (const length of [1, 0xfffe, 0x7fffffff, 0xfffffffe, 0xffffffff]) {
      const cases = [
        element('PixelData', pixels(1), length, 'OB'),
        element('PerFrameFunctionalGroupsSequence', Buffer.from('feff00e0ffffffff', 'hex'), length),
        element('PerFrameFunctionalGroupsSequence', element('PatientID', Buffer.from('1')), length),
        element('OverlayData', Buffer.alloc(4), length, 'OW'),
      ]
      for (const odd of cases)
        attempt(() => everything(new TestSource(Buffer.concat([start, uid, odd]))))
    }
  })

  it('has sequences deeper than any', () => {
    const deep = Array.from({ length: 5000 }, () =>
      Buffer.concat([
        element('PixelMeasuresSequence', Buffer.alloc(0), 0xffffffff),
        Buffer.from('feff00e0ffffffff', 'hex'),
      ]),
    )
    const bytes = Buffer.concat([meta(), element('SOPInstanceUID', Buffer.from('2.25.3')), ...deep])
    expect(() => headerOf(bytes)).toThrow('The sequences in its header are nested too deeply.')
  })

  it('has more elements than any', () => {
    const many = Buffer.concat(
      Array.from({ length: 1_100_000 }, () => Buffer.from('0900101041450000', 'hex')),
    )
    expect(() => headerOf(Buffer.concat([meta(), many]))).toThrow(
      'Its header has more elements than any image has.',
    )
  })

  it('claims more frames than anything has', () => {
    expect(() =>
      headerOf(encapsulatedFile({ ...IMAGE, NumberOfFrames: '2147483647' }, [jpeg('one')])),
    ).toThrow(/more than 100,000 frames/)
    expect(
      headerOf(fileOf({ ...IMAGE, NumberOfFrames: '2147483647', PixelData: pixels(2) })).instance
        .frames,
    ).toBe(2)
  })

  it('becomes shorter while it is read', () => {
    const source = new TestSource(threeFrames())
    const file = new ViewedFile(source)
    const frame = file.frame(3)
    const shrunk = { length: source.length, isWhole: true, read: () => Buffer.alloc(0) }
    expect(() => frame && readFrame(shrunk, frame)).toThrow('It could not be read in full.')
    expect(() => new ViewedFile(shrunk).header()).toThrow('It could not be read in full.')
  })

  it('is nothing but a fault, whatever its bytes', { timeout: RUNS_TIMEOUT_MS }, () => {
    const samples = [
      threeFrames(),
      dataSetOf(TRANSFER_SYNTAX.implicitLittleEndian),
      fileOf({
        ...IMAGE,
        PerFrameFunctionalGroupsSequence: [
          { PlanePositionSequence: [{ ImagePositionPatient: '1\\2\\3' }] },
        ],
        PixelData: pixels(1),
      }),
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '2' }, [jpeg('one'), jpeg('two')], {
        table: [0, 18],
      }),
    ]
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255) })
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.boolean(),
        (sample, changes, cut, isCut) => {
          const bytes = Buffer.from(sample)
          for (const { at, byte } of changes) bytes[at % bytes.length] = byte
          const source = new TestSource(isCut ? bytes.subarray(0, cut % bytes.length) : bytes)
          const told = attempt(() => everything(source))
          if (!told.startsWith('[')) expect(told).toMatch(SENTENCE)
          attempt(() => new ViewedFile(source).extras())
          attempt(() => encapsulatedDocument(source))
          expect(source.bytesRead).toBeLessThan(bytes.length * 50 + 1_000_000)
        },
      ),
      runs(2000),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
        expect(
          attempt(() => everything(new TestSource(Buffer.concat([meta(), noise])))),
        ).toBeTypeOf('string')
      }),
      runs(1000),
    )
  })
})

describe('an encapsulated document', () => {
  const PDF = '1.2.840.10008.5.1.4.1.1.104.1'
  const length = Buffer.alloc(4)
  length.writeUInt32LE(7)

  it('is found in its file', () => {
    const document = {
      MIMETypeOfEncapsulatedDocument: 'application/pdf',
      DocumentTitle: 'Befund',
      EncapsulatedDocument: Buffer.from('%PDF-1.'),
    }
    const bytes = fileOf({
      ...IMAGE,
      SOPClassUID: PDF,
      ...document,
      EncapsulatedDocumentLength: length,
    })
    const found = encapsulatedDocument(new TestSource(bytes))
    const [{ at, length: bytesFound } = { at: 0, length: 0 }] = found.spans
    expect([found.mimeType, bytesFound]).toEqual(['application/pdf', 7])
    expect(bytes.toString('latin1', at, at + 7)).toBe('%PDF-1.')
    expect(new ViewedFile(new TestSource(bytes)).header()?.document).toEqual({
      title: 'Befund',
      mimeType: 'application/pdf',
    })
    expect(headerOf(bytes).instance).toMatchObject({
      image: null,
      notImage: 'An encapsulated PDF.',
    })
  })

  it('is not there', () => {
    expect(encapsulatedDocument(new TestSource(threeFrames())).spans).toEqual([])
  })
})
