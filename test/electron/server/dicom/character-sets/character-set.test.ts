import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeText,
  encodeText,
  specificCharacterSetFor,
} from '#server/dicom/character-sets/character-set.ts'
import { runs } from '../../../../support/property-runs.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

// The bytes of the standard's own examples.
const EXAMPLES = [
  {
    of: 'PS3.5 H.3.1, Japanese in ISO 2022 IR 87',
    terms: ['', 'ISO 2022 IR 87'],
    text: 'Yamada^Tarou=山田^太郎=やまだ^たろう',
    bytes: hex(`59616d6164615e5461726f753d
      1b24423b3345441b28425e1b244242404f3a1b28423d
      1b2442246424 5e24401b28425e1b2442243f246d24261b2842`),
  },
  {
    of: 'PS3.5 H.3.2, Japanese in ISO 2022 IR 13 and 87',
    terms: ['ISO 2022 IR 13', 'ISO 2022 IR 87'],
    text: 'ﾔﾏﾀﾞ^ﾀﾛｳ=山田^太郎=やまだ^たろう',
    bytes: hex(`d4cfc0de5ec0dbb33d
      1b24423b3345441b284a5e1b244242404f3a1b284a3d
      1b24422464245e24401b284a5e1b2442243f246d24261b284a`),
  },
  {
    of: 'PS3.5 I.2, Korean in ISO 2022 IR 149',
    terms: ['', 'ISO 2022 IR 149'],
    text: 'Hong^Gildong=洪^吉洞=홍^길동',
    bytes: hex(`486f6e675e47696c646f6e673d
      1b242943fbf35e1b242943d1ced4d73d
      1b242943c8ab5e1b242943b1e6b5bf`),
  },
  {
    of: 'PS3.5 J.1, Chinese in ISO_IR 192',
    terms: ['ISO_IR 192'],
    text: 'Wang^XiaoDong=王^小東=',
    bytes: hex('57616e675e5869616f446f6e673de78e8b5ee5b08fe69db13d'),
  },
  {
    of: 'PS3.5 J.2, Chinese in GB18030',
    terms: ['GB18030'],
    text: 'Wang^XiaoDong=王^小东=',
    bytes: hex('57616e675e5869616f446f6e673dcdf55ed0a1b6ab3d'),
  },
  {
    of: 'PS3.5 K.2, Chinese in ISO 2022 IR 58',
    terms: ['', 'ISO 2022 IR 58'],
    text: 'Zhang^XiaoDong=张^小东=',
    bytes: hex('5a68616e675e5869616f446f6e673d1b242941d5c55e1b242941d0a1b6ab3d'),
  },
  {
    of: 'ISO_IR 100',
    terms: ['ISO_IR 100'],
    text: 'Buc^Jérôme',
    bytes: hex('4275635e4ae972f46d65'),
  },
  { of: 'ISO_IR 101', terms: ['ISO_IR 101'], text: 'Wałęsa', bytes: hex('5761b3ea7361') },
  { of: 'ISO_IR 109', terms: ['ISO_IR 109'], text: 'Ĝorĝo', bytes: hex('d86f72f86f') },
  { of: 'ISO_IR 110', terms: ['ISO_IR 110'], text: 'Ģirts', bytes: hex('ab69727473') },
  { of: 'ISO_IR 144', terms: ['ISO_IR 144'], text: 'Люк^Анна', bytes: hex('bbeeda5eb0ddddd0') },
  {
    of: 'ISO_IR 127',
    terms: ['ISO_IR 127'],
    text: 'قباني^لنزار',
    bytes: hex('e2c8c7e6ea5ee4e6d2c7d1'),
  },
  { of: 'ISO_IR 126', terms: ['ISO_IR 126'], text: 'Διονυσιος', bytes: hex('c4e9efedf5f3e9eff2') },
  {
    of: 'ISO_IR 138',
    terms: ['ISO_IR 138'],
    text: 'שרון^דבורה',
    bytes: hex('f9f8e5ef5ee3e1e5f8e4'),
  },
  { of: 'ISO_IR 148', terms: ['ISO_IR 148'], text: 'Çavuşoğlu', bytes: hex('c7617675fe6ff06c75') },
  { of: 'ISO_IR 166', terms: ['ISO_IR 166'], text: 'สมชาย', bytes: hex('cac1aad2c2') },
  { of: 'ISO_IR 203', terms: ['ISO_IR 203'], text: 'Œuvre 5€', bytes: hex('bc757672652035a4') },
  { of: 'ISO_IR 13', terms: ['ISO_IR 13'], text: 'ﾔﾏﾀﾞ^ﾀﾛｳ', bytes: hex('d4cfc0de5ec0dbb3') },
  {
    of: 'GB18030 beyond its two bytes',
    terms: ['GB18030'],
    text: 'ß𐀀',
    bytes: hex('81308938 90308130'),
  },
  {
    of: 'GB18030 where its editions differ',
    terms: ['GB18030'],
    text: '︐',
    bytes: hex('84318236'),
  },
  { of: 'GBK', terms: ['GBK'], text: 'Wang=王^小東', bytes: hex('57616e673dcdf55ed0a1967c') },
  {
    of: 'two single-byte sets with code extensions',
    terms: ['ISO 2022 IR 100', 'ISO 2022 IR 144'],
    text: 'Jérôme Люк é',
    bytes: hex('4ae972f46d65201b2d4cbbeeda201b2d41e9'),
    vr: 'LO',
  },
  {
    of: 'ISO 2022 IR 159 beside 87',
    terms: ['', 'ISO 2022 IR 87', 'ISO 2022 IR 159'],
    text: 'X=丂山',
    bytes: hex('583d1b242844302 11b24423b331b2842'),
  },
]

describe('decodeText and encodeText', () => {
  it.each(EXAMPLES)('read $of', ({ terms, text, bytes, vr }) => {
    expect(decodeText(bytes, terms, vr ?? 'PN')).toEqual({ text, isExact: true })
  })
  it.each(EXAMPLES)('write $of', ({ terms, text, bytes, vr }) => {
    expect(encodeText(text, terms, vr ?? 'PN')?.toString('hex')).toBe(bytes.toString('hex'))
  })
})

// What each set can say, to make texts of.
const REPERTOIRES: readonly { readonly terms: readonly string[]; readonly letters: string }[] = [
  { terms: [], letters: 'AZaz09 -~' },
  { terms: ['ISO_IR 100'], letters: 'aÄÖÜßéèñÿ¿×' },
  { terms: ['ISO_IR 101'], letters: 'aĄłżřůőđ' },
  { terms: ['ISO_IR 109'], letters: 'aĦħĉĝŭ' },
  { terms: ['ISO_IR 110'], letters: 'aĄĸģņųŋ' },
  { terms: ['ISO_IR 144'], letters: 'aЯжёЂџ№' },
  { terms: ['ISO_IR 127'], letters: 'aابتث؟' },
  { terms: ['ISO_IR 126'], letters: 'aΆΩώΐς' },
  { terms: ['ISO_IR 138'], letters: 'aאבתך' },
  { terms: ['ISO_IR 148'], letters: 'aĞİışŞ' },
  { terms: ['ISO_IR 166'], letters: 'aกขฃ๙฿' },
  { terms: ['ISO_IR 203'], letters: 'a€ŠšŽŒœŸ' },
  { terms: ['ISO_IR 13'], letters: 'aｱﾝﾞ｡ｯ‾' },
  { terms: ['', 'ISO 2022 IR 87'], letters: 'a山田だュЯΩ　' },
  { terms: ['ISO 2022 IR 13', 'ISO 2022 IR 87'], letters: 'aｱﾝ山田だ' },
  { terms: ['', 'ISO 2022 IR 87', 'ISO 2022 IR 159'], letters: 'a山丂ą' },
  { terms: ['', 'ISO 2022 IR 149'], letters: 'a홍길동洪Ж' },
  { terms: ['', 'ISO 2022 IR 58'], letters: 'a王小东αЖ' },
  {
    terms: ['ISO 2022 IR 100', 'ISO 2022 IR 126', 'ISO 2022 IR 144', 'ISO 2022 IR 87'],
    letters: 'aéΩЖ山',
  },
  { terms: ['GB18030'], letters: 'aé王東ሴ😀ß' },
  { terms: ['GBK'], letters: 'a王東丂' },
  { terms: ['ISO_IR 192'], letters: 'aé山홍ق😀' },
]

describe('every set', () => {
  it.each(REPERTOIRES)('gives back what it wrote: $terms', ({ terms, letters }) => {
    // The Roman set of JIS has no backslash of its own.
    const units = fc.constantFrom(
      ...letters,
      '^',
      '=',
      '\r\n',
      ' ',
      ...(terms[0]?.endsWith('13') ? [] : ['\\']),
    )
    fc.assert(
      fc.property(
        fc.string({ unit: units, maxLength: 40 }),
        fc.constantFrom('LO', 'SH', 'LT'),
        (written, vr) => {
          const bytes = encodeText(written, terms, vr)
          expect(bytes && decodeText(bytes, terms, vr)).toEqual({ text: written, isExact: true })
        },
      ),
      runs(100),
    )
  })

  it.each(REPERTOIRES)('reads any bytes, and says what it could not read: $terms', ({ terms }) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const { text, isExact } = decodeText(Buffer.from(bytes), terms, 'PN')
        expect(isExact).toBe(!text.includes('\uFFFD'))
        if (bytes.some((byte) => byte > 0x20 && byte !== 0x1b)) expect(text).not.toBe('')
      }),
      runs(100),
    )
  })

  it.each(REPERTOIRES)(
    'returns to value 1 before each delimiter and at the end: $terms',
    ({ terms, letters }) => {
      const word = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 4 })
      fc.assert(
        fc.property(fc.array(word, { minLength: 2, maxLength: 4 }), (words) => {
          const whole = encodeText(words.join('\\'), terms, 'LO') as Buffer
          const parts = words.map((part) => encodeText(part, terms, 'LO') as Buffer)
          expect(
            whole.equals(
              Buffer.concat(
                parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from('\\'), part])),
              ),
            ),
          ).toBe(true)
        }),
        runs(100),
      )
    },
  )
})

describe('encodeText', () => {
  it.each([
    ['a kanji in the default repertoire', '山', []],
    ['an umlaut in the default repertoire', 'ä', []],
    ['a euro in Latin-1', '€', ['ISO_IR 100']],
    ['a euro in the Greek set of 1987', '€', ['ISO_IR 126']],
    ['Cyrillic in Latin-2', 'Ж', ['ISO_IR 101']],
    ['an unlisted syllable in KS X 1001', '똠', ['', 'ISO 2022 IR 149']],
    ['a traditional form in GB 2312', '東', ['', 'ISO 2022 IR 58']],
    ['a character of NEC in JIS X 0208', '①', ['', 'ISO 2022 IR 87']],
    ['a euro in GBK', '€', ['GBK']],
    ['an emoji in GBK', '😀', ['GBK']],
    ['a lone surrogate in UTF-8', '\ud800', ['ISO_IR 192']],
    ['a replacement character in UTF-8', 'M\uFFFDller', ['ISO_IR 192']],
    ['an escape in UTF-8', 'a\x1b', ['ISO_IR 192']],
    ['a C1 control in Latin-1', '\x85ä', ['ISO_IR 100']],
    ['a tilde in the Roman set of JIS', 'a~', ['ISO_IR 13']],
    ['a yen sign where 5C is the delimiter', '¥', ['ISO_IR 13']],
    ['an umlaut in a set that PS3.3 does not define', 'ä', ['ISO_IR 999']],
    ['a private-use character in GB 18030', '\ue000', ['GB18030']],
    ['a sign of one edition of GB 18030 in GBK', '︐', ['GBK']],
  ])('refuses %s', (_what, text, terms) => {
    expect(encodeText(text, terms, 'LO')).toBeUndefined()
  })

  it('keeps component group 1 in the set of value 1 (PS3.5 6.2.1.2)', () => {
    expect(encodeText('홍^길동', ['', 'ISO 2022 IR 149'], 'PN')).toBeUndefined()
    expect(encodeText('=홍^길동', ['', 'ISO 2022 IR 149'], 'PN')?.toString('hex')).toBe(
      '3d1b242943c8ab5e1b242943b1e6b5bf',
    )
    expect(encodeText('Kim^길동', ['', 'ISO 2022 IR 149'], 'PN')).toBeUndefined()
    expect(encodeText('A=山\\山', ['', 'ISO 2022 IR 87'], 'PN')).toBeUndefined()
  })

  it('writes attributes outside the reach of (0008,0005) in the default repertoire only', () => {
    expect(encodeText('CT1', ['ISO_IR 192'], 'AE')).toEqual(Buffer.from('CT1'))
    expect(encodeText('Ä', ['ISO_IR 192'], 'AE')).toBeUndefined()
  })

  it('switches back to value 1 before a delimiter and at the end, of G0 and of G1 (PS3.5 6.1.2.5.3)', () => {
    const [latinAndCyrillic, kanji] = [
      ['ISO 2022 IR 100', 'ISO 2022 IR 144'],
      ['', 'ISO 2022 IR 87'],
    ]
    expect(encodeText('Л', latinAndCyrillic)?.toString('hex')).toBe('1b2d4cbb1b2d41')
    expect(encodeText('Л\\é', latinAndCyrillic)?.toString('hex')).toBe('1b2d4cbb1b2d415ce9')
    expect(encodeText('山\r\n山', kanji, 'LT')?.toString('hex')).toBe(
      '1b24423b331b28420d0a1b24423b331b2842',
    )
  })

  it('stays in a set that was invoked for as long as it can', () => {
    expect(encodeText('Л§', ['ISO 2022 IR 100', 'ISO 2022 IR 144'])?.toString('hex')).toBe(
      '1b2d4cbbfd1b2d41',
    )
    expect(encodeText('¥100', ['', 'ISO 2022 IR 13'], 'LT')?.toString('hex')).toBe(
      '1b284a5c3130301b2842',
    )
  })

  it('writes what Microsoft and the standard name differently in JIS X 0208', () => {
    expect(encodeText('〜', ['', 'ISO 2022 IR 87'])?.toString('hex')).toBe('1b244221411b2842')
    expect(encodeText('～', ['', 'ISO 2022 IR 87'])?.toString('hex')).toBe('1b244221411b2842')
  })
})

describe('decodeText', () => {
  it('marks a byte of an undeclared repertoire and keeps its place', () => {
    expect(decodeText(hex('48fc667465'), [], 'PN')).toEqual({ text: 'H\uFFFDfte', isExact: false })
  })

  it('does not take ISO_IR 100 for windows-1252', () => {
    expect(decodeText(hex('80419341'), ['ISO_IR 100'])).toEqual({
      text: '\uFFFDA\uFFFDA',
      isExact: false,
    })
  })

  it('reads an undefined set as the default repertoire', () => {
    expect(decodeText(hex('41e442'), ['ISO_IR 999'])).toEqual({ text: 'A\uFFFDB', isExact: false })
    expect(decodeText(hex('4142'), ['ISO_IR 999'])).toEqual({ text: 'AB', isExact: true })
  })

  it('marks every byte that is not UTF-8', () => {
    expect(decodeText(hex('4de46c'), ['ISO_IR 192'])).toEqual({ text: 'M\uFFFDl', isExact: false })
  })

  it('reads terms in the spellings seen in the field', () => {
    for (const term of [
      'ISO_IR 100',
      'ISO IR 100',
      'ISO-IR 100',
      'iso_ir_100',
      ' ISO 2022 IR 100 ',
      'ISO2022IR100',
      'ISOIR 100',
    ]) {
      expect(decodeText(hex('e9'), [term]).text).toBe('é')
    }
    for (const term of ['X ISO_IR 100', 'ISO_IR 100 X', 'ISO_IR 1000']) {
      expect(decodeText(hex('e9'), [term]), term).toEqual({ text: '\uFFFD', isExact: false })
    }
  })

  it('reads attributes outside the reach of (0008,0005) in the default repertoire', () => {
    expect(decodeText(hex('e9'), ['ISO_IR 100'], 'AE')).toEqual({ text: '\uFFFD', isExact: false })
  })

  it('takes a two-byte set in value 1 as if value 1 were empty', () => {
    expect(decodeText(hex('413d1b24423b331b2842'), ['ISO 2022 IR 87'], 'PN').text).toBe('A=山')
    expect(decodeText(hex('413db0a1'), ['ISO 2022 IR 149'], 'PN').text).toBe('A=가')
  })

  it('guesses at no set that was declared and never invoked, unless it is the only two-byte one of G1', () => {
    const read = (terms: readonly string[]) => decodeText(hex('b0a1'), terms).text
    expect(read(['', 'ISO 2022 IR 149'])).toBe('가')
    expect(read(['', 'ISO 2022 IR 144', 'ISO 2022 IR 58'])).toBe('啊')
    expect(read(['', 'ISO 2022 IR 149', 'ISO 2022 IR 58'])).toBe('\uFFFD\uFFFD')
    expect(read(['', 'ISO 2022 IR 144'])).toBe('\uFFFD\uFFFD')
    expect(read(['', 'ISO 2022 IR 87'])).toBe('\uFFFD\uFFFD')
    expect(read(['ISO 2022 IR 100', 'ISO 2022 IR 149'])).toBe('°¡')
  })

  it('stays in a set past a space, which no set has another sign for', () => {
    expect(decodeText(hex('1b2d4cbb20e9'), ['ISO 2022 IR 100', 'ISO 2022 IR 144']).text).toBe('Л щ')
    expect(decodeText(hex('1b24423b33203b331b2842'), ['', 'ISO 2022 IR 87']).text).toBe('山 山')
  })

  it('reads the last cell of a row', () => {
    expect(decodeText(hex('c8fe'), ['', 'ISO 2022 IR 149'])).toEqual({ text: '힝', isExact: true })
  })

  it.each([
    ['whose second half is of ASCII', 'c841', '\uFFFDA'],
    ['whose first byte no row has', 'a0b0a1', '\uFFFD가'],
    ['whose first byte is above all rows', 'ffb0a1', '\uFFFD가'],
    ['whose second byte no cell has', 'b0a0b0a1', '\uFFFD\uFFFD가'],
    ['that the set does not have', 'c9a1', '\uFFFD\uFFFD'],
  ])('marks a two-byte character %s', (_what, bytes, text) => {
    expect(decodeText(hex(bytes), ['', 'ISO 2022 IR 149'])).toEqual({ text, isExact: false })
  })

  it('marks DEL and the control characters of G1', () => {
    expect(decodeText(hex('417f8042'), ['ISO_IR 100'])).toEqual({
      text: 'A\uFFFD\uFFFDB',
      isExact: false,
    })
  })

  it('reads a two-byte G1 invoked once for the whole value, or declared and never invoked', () => {
    const terms = ['', 'ISO 2022 IR 149']
    expect(decodeText(hex('1b242943c8ab5eb1e6b5bf'), terms, 'PN')).toEqual({
      text: '홍^길동',
      isExact: true,
    })
    expect(decodeText(hex('c8ab5eb1e6b5bf'), terms, 'PN')).toEqual({
      text: '홍^길동',
      isExact: true,
    })
  })

  it('takes a delimiter inside a two-byte character for half of that character', () => {
    // 山 is 3B 33; だ is 24 40; ま is 24 5E, whose second byte is ^.
    expect(decodeText(hex('1b2442245e1b2842'), ['', 'ISO 2022 IR 87'], 'PN').text).toBe('ま')
    // GB 18030 has second bytes in the range of ASCII.
    expect(decodeText(hex('965c5c41'), ['GB18030'], 'PN').text).toBe('朶\\A')
  })

  it('is in value 1 again after a delimiter even where the writer forgot to say so', () => {
    expect(decodeText(hex('1b2d4cbb5ee9'), ['ISO 2022 IR 100', 'ISO 2022 IR 144'], 'PN').text).toBe(
      'Л^é',
    )
    expect(decodeText(hex('1b2d4cbb5ee9'), ['ISO 2022 IR 100', 'ISO 2022 IR 144'], 'LT').text).toBe(
      'Л^щ',
    )
  })

  it('marks an escape sequence that no set has, and half a character at the end', () => {
    expect(decodeText(hex('411b2842421b2e41'), [])).toEqual({ text: 'AB\uFFFD.A', isExact: false })
    expect(decodeText(hex('1b24423b33 3b'), ['', 'ISO 2022 IR 87'])).toEqual({
      text: '山\uFFFD',
      isExact: false,
    })
  })

  it('reads 5C as the delimiter and, where there is none, as the yen sign of the Roman set of JIS', () => {
    expect(decodeText(hex('b15cb2'), ['ISO_IR 13'], 'SH').text).toBe('ｱ\\ｲ')
    expect(decodeText(hex('b15cb2'), ['ISO_IR 13'], 'LT').text).toBe('ｱ¥ｲ')
  })
})

describe('specificCharacterSetFor', () => {
  it.each([
    ['ISO_IR 6', []],
    ['', []],
    ['ISO_IR 100', ['ISO_IR 100']],
    ['ISO_IR 192', ['ISO_IR 192']],
    ['ISO_IR 13', ['ISO_IR 13']],
    ['ISO 2022 IR 87', ['', 'ISO 2022 IR 87']],
    ['ISO 2022 IR 159', ['', 'ISO 2022 IR 87', 'ISO 2022 IR 159']],
    ['ISO 2022 IR 149', ['', 'ISO 2022 IR 149']],
    ['ISO 2022 IR 58', ['', 'ISO 2022 IR 58']],
    ['ISO 2022 IR 13\\ISO 2022 IR 87', ['ISO 2022 IR 13', 'ISO 2022 IR 87']],
  ])('sends for %s the values %j', (set, terms) => {
    expect(specificCharacterSetFor(set)).toEqual(terms)
  })
})
