import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { IDENTIFIER_LIMITS, readDataSet, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'

const {
  implicitLittleEndian: ILE,
  explicitLittleEndian: ELE,
  explicitBigEndian: EBE,
  deflatedExplicitLittleEndian: DEFLATED,
} = TRANSFER_SYNTAX
const SYNTAXES = Object.entries(TRANSFER_SYNTAX)

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
const text = (value: string): Buffer => Buffer.from(value, 'latin1')

/** A worklist identifier with numbers, a nested sequence, an empty one and a private element. */
const IDENTIFIER: DataSet = [
  { tag: 0x00080005, vr: 'CS', value: text('ISO_IR 100') },
  { tag: 0x00081110, vr: 'SQ', value: [] },
  { tag: 0x00100010, vr: 'PN', value: text('M\xfcller^*') },
  { tag: 0x001021c0, vr: 'US', value: hex('0400') },
  {
    tag: 0x00400100,
    vr: 'SQ',
    value: [
      [
        { tag: 0x00080060, vr: 'CS', value: text('CT') },
        {
          tag: 0x00400008,
          vr: 'SQ',
          value: [[{ tag: 0x00080100, vr: 'SH', value: text('CODE') }], []],
        },
        { tag: 0x0040a0b0, vr: 'US', value: hex('0100020003000400') },
      ],
    ],
  },
]

/** The status, the comment and the element at fault. */
function refusal(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (error instanceof DimseError) return error.result
    throw error
  }
  throw new Error('nothing was refused')
}

describe('writing and reading a data set', () => {
  it.each(SYNTAXES)('gives it back in %s', (_name, transferSyntax) => {
    expect(readDataSet(writeDataSet(IDENTIFIER, transferSyntax), transferSyntax)).toEqual(
      IDENTIFIER,
    )
  })

  it.each(SYNTAXES)('gives back whatever elements it has in %s', (_name, transferSyntax) => {
    const leaf = fc.oneof(
      fc.record({ tag: fc.constant(0x00100020), vr: fc.constant('LO'), value: multipleOf(2) }),
      fc.record({ tag: fc.constant(0x00280010), vr: fc.constant('US'), value: multipleOf(2) }),
      fc.record({ tag: fc.constant(0x00189810), vr: fc.constant('US'), value: multipleOf(2) }),
      fc.record({ tag: fc.constant(0x00189073), vr: fc.constant('FD'), value: multipleOf(8) }),
      fc.record({ tag: fc.constant(0x00720076), vr: fc.constant('FL'), value: multipleOf(4) }),
    )
    const { dataSet } = fc.letrec<{ dataSet: DataSet; sequence: DataSet[number] }>((tie) => ({
      dataSet: fc
        .uniqueArray(fc.oneof({ maxDepth: 3 }, leaf, tie('sequence')), {
          selector: ({ tag }) => tag,
          maxLength: 4,
        })
        .map((elements) => elements.toSorted((a, b) => a.tag - b.tag)),
      sequence: fc.record({
        tag: fc.constant(0x00400100),
        vr: fc.constant('SQ'),
        value: fc.array(tie('dataSet'), { maxLength: 3 }),
      }),
    }))
    fc.assert(
      fc.property(dataSet, (elements) => {
        const limits = { elements: 10_000, depth: 16, bytes: 1 << 20 }
        expect(readDataSet(writeDataSet(elements, transferSyntax), transferSyntax, limits)).toEqual(
          elements,
        )
      }),
      runs(60),
    )
  })

  it('writes Implicit VR Little Endian as PS3.5 §7.1.3 draws it', () => {
    expect(writeDataSet([{ tag: 0x00100010, vr: 'PN', value: text('A^B') }], ILE)).toEqual(
      hex('1000 1000 04000000 415e4220'),
    )
  })

  it('writes Explicit VR Little Endian with its short and its long header', () => {
    const dataSet: DataSet = [
      { tag: 0x00100010, vr: 'PN', value: text('A^B') },
      { tag: 0x00400100, vr: 'SQ', value: [[{ tag: 0x00080060, vr: 'CS', value: text('CT') }]] },
    ]
    expect(writeDataSet(dataSet, ELE)).toEqual(
      hex(
        '1000 1000 504e 0400 415e4220   4000 0001 5351 0000 12000000   feff 00e0 0a000000   0800 6000 4353 0200 4354',
      ),
    )
  })

  it('writes Explicit VR Big Endian with tags, lengths and numbers swapped', () => {
    expect(writeDataSet([{ tag: 0x001021c0, vr: 'US', value: hex('0400') }], EBE)).toEqual(
      hex('0010 21c0 5553 0002 0004'),
    )
  })

  it('pads an odd value with a space or, in a UID, with a NUL', () => {
    const dataSet: DataSet = [
      { tag: 0x00080016, vr: 'UI', value: text('1.2') },
      { tag: 0x00080060, vr: 'CS', value: text('C') },
    ]
    expect(readDataSet(writeDataSet(dataSet, ELE), ELE).map(({ value }) => String(value))).toEqual([
      '1.2\0',
      'C ',
    ])
  })

  it('makes the deflated stream even', () => {
    for (let length = 0; length < 16; length++) {
      const bytes = writeDataSet(
        [{ tag: 0x00100020, vr: 'LO', value: text('x'.repeat(length * 2)) }],
        DEFLATED,
      )
      expect(bytes.length % 2).toBe(0)
    }
  })

  it.each([ELE, EBE])(
    'sends a value too long for its VR as UN, and reads it back as what the dictionary says (%s)',
    (transferSyntax) => {
      const dataSet: DataSet = [{ tag: 0x00100020, vr: 'LO', value: Buffer.alloc(0x1_0002, 'x') }]
      const bytes = writeDataSet(dataSet, transferSyntax)
      expect(bytes.toString('latin1', 4, 6)).toBe('UN')
      expect(readDataSet(bytes, transferSyntax)).toEqual(dataSet)
    },
  )

  it.each([ELE, EBE])(
    'sends numbers too many for their VR as UN, which is Little Endian inside (%s)',
    (transferSyntax) => {
      const value = Buffer.alloc(0x1_0000, hex('0100'))
      const bytes = writeDataSet([{ tag: 0x001021c0, vr: 'US', value }], transferSyntax)
      expect(bytes.subarray(4, 8).equals(hex('554e 0000'))).toBe(true)
      expect(bytes.subarray(12).equals(value)).toBe(true)
      expect(readDataSet(bytes, transferSyntax)).toEqual([{ tag: 0x001021c0, vr: 'US', value }])
    },
  )

  it('keeps the VR of a value that is as long as its length can say', () => {
    const longest = (length: number) =>
      writeDataSet([{ tag: 0x00100020, vr: 'LO', value: Buffer.alloc(length, 'x') }], ELE)
    expect(longest(0xfffe).subarray(0, 8)).toEqual(hex('1000 2000 4c4f feff'))
    expect(longest(0xffff).subarray(0, 12)).toEqual(hex('1000 2000 554e 0000 00000100'))
  })

  it('swaps the numbers of a long VR however many there are, and writes its length in 32 bits', () => {
    const bytes = writeDataSet(
      [{ tag: 0x7fe00010, vr: 'OW', value: Buffer.alloc(0x1_0002, hex('0100')) }],
      EBE,
    )
    expect(bytes.subarray(0, 16)).toEqual(hex('7fe0 0010 4f57 0000 00010002 00010001'))
    const padded = writeDataSet([{ tag: 0x7fe00010, vr: 'OB', value: hex('070809') }], ELE)
    expect(padded).toEqual(hex('e07f 1000 4f42 0000 04000000 07080900'))
  })

  it('leaves group lengths out, of items too', () => {
    const groupLength = { tag: 0x00100000, vr: 'UL', value: hex('ffffffff') }
    const id = { tag: 0x00100020, vr: 'LO', value: text('ID') }
    expect(writeDataSet([groupLength, id], ELE)).toEqual(writeDataSet([id], ELE))
    const sequenceOf = (item: DataSet): DataSet => [{ tag: 0x00400100, vr: 'SQ', value: [item] }]
    for (const syntax of [ILE, ELE, EBE])
      expect(writeDataSet(sequenceOf([groupLength, id]), syntax)).toEqual(
        writeDataSet(sequenceOf([id]), syntax),
      )
  })

  it('refuses to write a VR or a syntax that does not exist', () => {
    const unknown = [{ tag: 0x00100020, vr: 'ZZ', value: text('') }]
    for (const syntax of [ILE, ELE])
      expect(() => writeDataSet(unknown, syntax)).toThrow(
        new RangeError('no such value representation: ZZ'),
      )
    expect(() => writeDataSet([], '1.2.840.10008.1.2.4.50')).toThrow(
      new RangeError('no such transfer syntax: 1.2.840.10008.1.2.4.50'),
    )
  })
})

describe('reading what devices send', () => {
  const SPS: DataSet = [
    { tag: 0x00400100, vr: 'SQ', value: [[{ tag: 0x00080060, vr: 'CS', value: text('CT') }]] },
  ]

  it.each([
    [
      'explicit',
      ELE,
      '4000 0001 5351 0000 ffffffff  feff 00e0 ffffffff  0800 6000 4353 0200 4354  feff 0de0 00000000  feff dde0 00000000',
    ],
    [
      'implicit',
      ILE,
      '4000 0001 ffffffff  feff 00e0 ffffffff  0800 6000 02000000 4354  feff 0de0 00000000  feff dde0 00000000',
    ],
    [
      'an item of defined length',
      ELE,
      '4000 0001 5351 0000 ffffffff  feff 00e0 0a000000  0800 6000 4353 0200 4354  feff dde0 00000000',
    ],
    [
      'a sequence of defined length',
      ELE,
      '4000 0001 5351 0000 1a000000  feff 00e0 ffffffff  0800 6000 4353 0200 4354  feff 0de0 00000000',
    ],
    [
      'UN of undefined length, implicit inside',
      ELE,
      '4000 0001 554e 0000 ffffffff  feff 00e0 0a000000  0800 6000 02000000 4354  feff dde0 00000000',
    ],
    [
      'UN of defined length, implicit inside',
      ELE,
      '4000 0001 554e 0000 12000000  feff 00e0 0a000000  0800 6000 02000000 4354',
    ],
    [
      'undefined lengths in Big Endian',
      EBE,
      '0040 0100 5351 0000 ffffffff  fffe e000 ffffffff  0008 0060 4353 0002 4354  fffe e00d 00000000  fffe e0dd 00000000',
    ],
    [
      'UN in Big Endian, Little Endian inside',
      EBE,
      '0040 0100 554e 0000 00000012  feff 00e0 0a000000  0800 6000 02000000 4354',
    ],
  ])('reads a sequence: %s', (_what, transferSyntax, bytes) => {
    expect(readDataSet(hex(bytes), transferSyntax)).toEqual(SPS)
  })

  it('takes an unknown private element of undefined length for a sequence', () => {
    const bytes = hex('1100 1010 ffffffff  feff 00e0 00000000  feff dde0 00000000')
    expect(readDataSet(bytes, ILE)).toEqual([{ tag: 0x00111010, vr: 'SQ', value: [[]] }])
  })

  it('reads a number that travels as UN in Little Endian, also in Big Endian', () => {
    expect(readDataSet(hex('0010 21c0 554e 0000 00000002 0400'), EBE)).toEqual([
      { tag: 0x001021c0, vr: 'US', value: hex('0400') },
    ])
    expect(readDataSet(hex('0010 21c0 5553 0002 0004'), EBE)).toEqual([
      { tag: 0x001021c0, vr: 'US', value: hex('0400') },
    ])
  })

  it('reads items one after the other, and what follows their sequence', () => {
    const bytes = hex(
      '4000 0001 ffffffff  feff 00e0 00000000  feff 00e0 ffffffff feff 0de0 00000000  feff dde0 00000000  4000 0902 00000000',
    )
    expect(readDataSet(bytes, ILE)).toEqual([
      { tag: 0x00400100, vr: 'SQ', value: [[], []] },
      { tag: 0x00400209, vr: 'UN', value: Buffer.alloc(0) },
    ])
  })

  it('puts elements in the order of their tags', () => {
    const bytes = hex('1000 2000 4c4f 0200 4944   0800 6000 4353 0200 4354')
    expect(readDataSet(bytes, ELE).map(({ tag }) => tag)).toEqual([0x00080060, 0x00100020])
  })

  it('takes values of odd length, and drops trailing padding', () => {
    const bytes = hex('1000 2000 4c4f 0300 494431   fcff fcff 4f42 0000 02000000 0000')
    expect(readDataSet(bytes, ELE)).toEqual([{ tag: 0x00100020, vr: 'LO', value: text('ID1') }])
  })

  it('takes an empty data set', () => {
    expect(readDataSet(Buffer.alloc(0), ILE)).toEqual([])
  })
})

describe('refusing a data set', () => {
  it.each([
    [
      'an element that ends too early',
      ELE,
      '1000 1000 504e',
      'Data set ends within an element',
      undefined,
    ],
    [
      'a long header that ends too early',
      ELE,
      '1100 1010 4f42 0000',
      'Data set ends within an element',
      0x00111010,
    ],
    [
      'a length past the end',
      ELE,
      '1000 1000 504e 0400 4142',
      'Element longer than what holds it',
      0x00100010,
    ],
    [
      'a length of FFFFFFF0',
      ELE,
      '4100 0010 4f42 0000 f0ffffff',
      'Element longer than what holds it',
      0x00411000,
    ],
    [
      'an unknown VR',
      ELE,
      '1000 1000 0400 0000 4142 4344',
      'Unknown value representation',
      0x00100010,
    ],
    [
      'an undefined length outside a sequence',
      ELE,
      '1100 1010 4f42 0000 ffffffff',
      'Undefined length of an element that is no sequence',
      0x00111010,
    ],
    [
      'a sequence without its end',
      ELE,
      '4000 0001 5351 0000 ffffffff',
      'Sequence without its end',
      0x00400100,
    ],
    [
      'an item without its end',
      ELE,
      '4000 0001 5351 0000 ffffffff feff 00e0 ffffffff',
      'Item without its end',
      0x00400100,
    ],
    [
      'an item longer than its sequence',
      ELE,
      '4000 0001 5351 0000 08000000 feff 00e0 0a000000',
      'Item longer than its sequence',
      0x00400100,
    ],
    [
      'something else in a sequence',
      ELE,
      '4000 0001 5351 0000 08000000 0800 6000 4353 0000',
      'Something else than an item in a sequence',
      0x00400100,
    ],
    [
      'a delimiter at the top',
      ILE,
      'feff 0de0 00000000',
      'Delimiter outside its sequence',
      undefined,
    ],
    [
      'an element that occurs twice, apart',
      ILE,
      '1000 2000 00000000 0800 6000 00000000 1000 2000 00000000',
      'Element occurs twice',
      0x00100020,
    ],
    [
      'the end of a sequence within its item',
      ILE,
      '4000 0001 ffffffff feff 00e0 ffffffff feff dde0 00000000',
      'Delimiter outside its sequence',
      0x00400100,
    ],
    [
      'the end of an item that says its length',
      ILE,
      '4000 0001 10000000 feff 00e0 08000000 feff 0de0 00000000',
      'Delimiter outside its sequence',
      0x00400100,
    ],
    [
      'the end of a sequence that says its length',
      ILE,
      '4000 0001 08000000 feff dde0 00000000',
      'Something else than an item in a sequence',
      0x00400100,
    ],
    [
      'an element that ends too early in an item',
      ILE,
      '4000 0001 0c000000 feff 00e0 04000000 0800 6000',
      'Data set ends within an element',
      0x00400100,
    ],
    [
      'an item that ends too early',
      ILE,
      '4000 0001 04000000 feff 00e0',
      'Data set ends within an element',
      0x00400100,
    ],
    [
      'an element longer than its item',
      ILE,
      '4000 0001 12000000 feff 00e0 08000000 0800 6000 02000000 4354',
      'Element longer than what holds it',
      0x00080060,
    ],
    [
      'an element that occurs twice',
      ILE,
      '1000 2000 00000000 1000 2000 00000000',
      'Element occurs twice',
      0x00100020,
    ],
    ['what cannot be inflated', DEFLATED, 'ffffffff', 'Data set cannot be inflated', undefined],
    [
      'another transfer syntax',
      '1.2.840.10008.1.2.4.50',
      '',
      'Transfer syntax not supported',
      undefined,
    ],
  ])('answers A900 to %s', (_what, transferSyntax, bytes, errorComment, element) => {
    const offending = element === undefined ? {} : { offendingElements: [element] }
    expect(refusal(() => readDataSet(hex(bytes), transferSyntax))).toEqual({
      status: 0xa900,
      errorComment,
      ...offending,
    })
  })

  it('answers A900 to sequences 1000 deep, at the ninth', () => {
    const open = '4000 0001 5351 0000 ffffffff feff 00e0 ffffffff'
    const close = 'feff 0de0 00000000 feff dde0 00000000'
    const nested = (depth: number) => hex(open.repeat(depth) + close.repeat(depth))
    expect(readDataSet(nested(8), ELE)).toHaveLength(1)
    expect(refusal(() => readDataSet(nested(9), ELE)).errorComment).toBe(
      'Sequences more than 8 deep',
    )
    expect(refusal(() => readDataSet(nested(1000), ELE)).errorComment).toBe(
      'Sequences more than 8 deep',
    )
    // As they are written here, every length is defined.
    let dataSet: DataSet = []
    for (let depth = 1; depth <= 9; depth++) {
      dataSet = [{ tag: 0x00400100, vr: 'SQ', value: [dataSet] }]
      const bytes = writeDataSet(dataSet, ELE)
      if (depth <= 8) expect(readDataSet(bytes, ELE)).toEqual(dataSet)
      else
        expect(refusal(() => readDataSet(bytes, ELE)).errorComment).toBe(
          'Sequences more than 8 deep',
        )
    }
  })

  it('answers A900 to more than 512 elements, items counted', () => {
    const elements = (count: number) =>
      Buffer.concat(
        Array.from({ length: count }, (_, i) =>
          hex(`0900 ${(0x1000 + i).toString(16).replace(/(..)(..)/, '$2$1')} 00000000`),
        ),
      )
    expect(readDataSet(elements(512), ILE)).toHaveLength(512)
    expect(refusal(() => readDataSet(elements(513), ILE)).errorComment).toBe(
      'More than 512 elements',
    )
    const items = Buffer.concat([
      hex('4000 0001 ffffffff'),
      ...Array.from({ length: 512 }, () => hex('feff 00e0 00000000')),
      hex('feff dde0 00000000'),
    ])
    expect(refusal(() => readDataSet(items, ILE)).errorComment).toBe('More than 512 elements')
  })

  it('answers A900 to more bytes than the limit', () => {
    const limits = { ...IDENTIFIER_LIMITS, bytes: 10 }
    expect(readDataSet(hex('1000 2000 4c4f 0200 4944'), ELE, limits)).toHaveLength(1)
    expect(
      refusal(() => readDataSet(hex('1000 2000 4c4f 0300 494431'), ELE, limits)).errorComment,
    ).toBe('Data set longer than 10 bytes')
    const deflated = writeDataSet([{ tag: 0x00100020, vr: 'LO', value: text('ID') }], DEFLATED)
    expect(
      readDataSet(deflated, DEFLATED, { ...limits, bytes: Math.max(10, deflated.length) }),
    ).toHaveLength(1)
  })

  it('names the element that is one too many', () => {
    const bytes = hex('1000 2000 00000000 1000 4000 00000000')
    expect(refusal(() => readDataSet(bytes, ILE, { ...IDENTIFIER_LIMITS, elements: 1 }))).toEqual({
      ...{ status: 0xa900, errorComment: 'More than 1 elements', offendingElements: [0x00100040] },
    })
  })

  it('inflates no more than the limit, whatever was deflated', () => {
    const bomb = deflateRawSync(Buffer.alloc(64 << 20))
    expect(bomb.length).toBeLessThan(IDENTIFIER_LIMITS.bytes)
    expect(refusal(() => readDataSet(bomb, DEFLATED)).errorComment).toBe(
      'Data set cannot be inflated',
    )
  })

  it('never throws anything but A900 with a short ASCII comment, whatever the bytes', {
    timeout: RUNS_TIMEOUT_MS,
  }, () => {
    const whole = writeDataSet(IDENTIFIER, ELE)
    fc.assert(
      fc.property(
        fc.constantFrom(ILE, ELE, EBE, DEFLATED),
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
          fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, value]) => {
            const bytes = Buffer.from(whole)
            bytes[at] = value
            return bytes
          }),
          fc.nat(whole.length - 1).map((length) => whole.subarray(0, length)),
        ),
        (transferSyntax, bytes) => {
          try {
            readDataSet(bytes, transferSyntax)
          } catch (error) {
            expect(error).toBeInstanceOf(DimseError)
            const { status, errorComment } = (error as DimseError).result
            expect(status).toBe(0xa900)
            expect(errorComment).toMatch(/^[ -~]{1,64}$/)
          }
        },
      ),
      runs(500),
    )
  })
})

function multipleOf(size: number) {
  return fc
    .array(fc.uint8Array({ minLength: size, maxLength: size }), { maxLength: 6 })
    .map((parts) => Buffer.concat(parts))
}
