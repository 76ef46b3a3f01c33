import {
  decodeText,
  encodeText,
  specificCharacterSetFor,
} from '#server/dicom/character-sets/character-set.ts'
import { foldName } from '#server/dicom/matching/person-name.ts'
import { alphabeticForm, isSameName } from '#server/modules/images/person-name.ts'
import {
  differencesOf,
  personDifferencesOf,
  rowDifferencesOf,
} from '#server/modules/studies/same-patient.ts'
import { PATIENT_NAME, ROOT_ATTRIBUTES, ROW_KEYWORDS } from '#server/modules/worklist/attributes.ts'
import { encodedLength, truncateToBytes } from '#server/modules/worklist/character-set-fallback.ts'
import {
  cleanIdentifier,
  cleanName,
  cleanText,
  isDamaged,
} from '#server/modules/worklist/cleaning.ts'
import { nameKey } from '#server/modules/worklist/matching.ts'
import { type WorklistRow, worklistRow } from '#server/modules/worklist/row.ts'
import { transliterate } from '#server/modules/worklist/transliteration.ts'
import { CHARACTER_SETS } from '#shared/contract/devices.ts'
import { perTier } from '../../support/tier.ts'
import { mutateBytes } from '../mutate.ts'
import { hold, QUICK, same, type Target } from '../target.ts'

/**
 * Specific Character Sets by one byte: those of devices, and what devices are known to send
 * besides.
 */
export const TERMS: readonly (readonly string[])[] = [
  [],
  ...CHARACTER_SETS.map((set) => specificCharacterSetFor(set)),
  ...[
    ['', 'ISO 2022 IR 87'],
    ['ISO 2022 IR 13', 'ISO 2022 IR 87'],
    ['', 'ISO 2022 IR 149'],
    ['', 'ISO 2022 IR 58'],
    ['', 'ISO 2022 IR 159', 'ISO 2022 IR 87'],
  ],
  ...[
    ['ISO_IR 101'],
    ['ISO_IR 109'],
    ['ISO_IR 110'],
    ['ISO_IR 144'],
    ['ISO_IR 127'],
    ['ISO_IR 126'],
    ['ISO_IR 138'],
    ['ISO_IR 148'],
    ['ISO_IR 203'],
    ['ISO_IR 166'],
  ],
  ...[
    ['ISO_IR 13'],
    ['GB18030'],
    ['GBK'],
    ['ISO_IR 192'],
    ['nonsense'],
    ['ISO 2022 IR 6', 'ISO 2022 IR 100', 'ISO 2022 IR 144', 'ISO 2022 IR 126'],
  ],
]

/**
 * The forms of a name: read from bytes in a set, put in order, folded, matched, compared, said in
 * other letters. One byte chooses the set.
 */
export const personNames: Target = {
  name: 'person-names',
  ...QUICK,
  // What a header's value may be (HEADER_LIMITS).
  mostBytes: (64 << 10) + 1,
  testExecutions: perTier(200, 4000),
  open: () => ({
    mutate(input, random, other) {
      const rules = {
        mostBytes: personNames.mostBytes - 1,
        tokens: TOKENS,
        other: () => other().subarray(1),
      }
      return Buffer.concat([
        random.isOnce(4) ? random.bytes(1) : input.subarray(0, 1),
        mutateBytes(input.subarray(1), random, rules),
      ])
    },
    run(input) {
      const terms = TERMS[(input[0] ?? 0) % TERMS.length] ?? []
      const { text, isExact } = decodeText(input.subarray(1), terms, 'PN')
      hold(
        text.length <= input.length,
        () => `${input.length} bytes become ${text.length} characters`,
      )
      hold(isExact !== text.includes('\ufffd'), 'It says that it is exact, and it is not')
      const said = isExact ? saidAgain(text, terms) : 'inexact'
      compared(text)
      const cleaned = inOrder(text)
      if (text.length <= 1024) matched(text)
      return `${terms.join('\\')} ${said} ${cleaned} ${inLatin(text)}`
    },
  }),
}

/** What a set can say comes back. */
function saidAgain(text: string, terms: readonly string[]): string {
  const bytes = encodeText(text, terms, 'PN')
  if (!bytes) return 'unsayable'
  const again = decodeText(bytes, terms, 'PN')
  same('A name that was written is read as another one', [again.text, again.isExact], [text, true])
  // Each group of it is as wide as the whole is long, at most.
  const width = encodedLength(text, terms, 'PN')
  hold(width === undefined || width <= bytes.length, 'A part of a name is wider than the name')
  return 'said'
}

function compared(text: string): void {
  hold(isSameName(text, text), 'A name is not the same as itself')
  const composed = text.normalize('NFC')
  // A stroke over a delimiter makes another sign of it (≠), and a mark that stands alone is no
  // letter.
  if (delimitersOf(composed) === delimitersOf(text))
    hold(isSameName(text, composed), 'A name is not the same as itself composed')
  const isOfLetters = text
    .split('=')
    .every((group) => /^[\s^]*$/.test(group) || /[\p{L}\p{N}]/u.test(group))
  if (isOfLetters)
    hold(isSameName(text, '') === isSameName('', text), 'It depends on which name is first')
  const form = alphabeticForm(text)
  hold(
    form.length <= text.length && !form.endsWith('^'),
    'The alphabetic form is longer than the name, or ends with empty components',
  )
  same('The alphabetic form has another alphabetic form', alphabeticForm(form), form)
  // The same form, and nobody's name twice.
  const [patient, other] = [
    patientOf(text),
    patientOf(text.replace(/[^^=]+/g, (part) => `q${part}q`)),
  ]
  hold(
    differencesOf(patient, patient).length === 0 &&
      personDifferencesOf(patient, patient).length === 0,
    'A patient differs from itself',
  )
  hold(
    rowDifferencesOf(patient, { patientName: text, mrn: 'P1' }).length === 0,
    'A patient differs from its own row',
  )
  hold(
    personDifferencesOf(patient, other).length === personDifferencesOf(other, patient).length,
    'It depends on which patient is first',
  )
}

const delimitersOf = (text: string) => text.replace(/[^\\^=]/g, '')
const patientOf = (patientName: string) => ({
  patientName,
  patientId: 'P1',
  patientBirthDate: '19700102',
})

function inOrder(text: string): string {
  const [clean, name] = [cleanText(text), cleanName(text)]
  same('A clean text is not clean', cleanText(clean), clean)
  same('A name in order is not in order', cleanName(name), name)
  hold(name.length <= text.normalize('NFC').length, 'A name grew when it was put in order')
  hold(
    name.split('=').length <= 3 && name.split('=').every((group) => group.split('^').length <= 5),
    'A name in order has too many parts',
  )
  const identifier = cleanIdentifier(text)
  hold(
    identifier === undefined ||
      (!isDamaged(identifier) && identifier === text.trim().normalize('NFC')),
    'An identifier was changed',
  )
  return name === text ? 'clean' : 'cleaned'
}

const ATTRIBUTE = ROOT_ATTRIBUTES.get(PATIENT_NAME)
const rowOf = (name: string): WorklistRow =>
  worklistRow(
    {
      ...(Object.fromEntries(
        ROW_KEYWORDS.map((keyword) => [keyword, '']),
      ) as WorklistRow['values']),
      PatientName: name,
    },
    null,
    [],
  )

/** A name meets itself as a key, unless there is nothing of it. */
function matched(text: string): void {
  if (!ATTRIBUTE) return
  const folded = foldName(text)
  hold(folded.length <= 3, 'A name has more than three groups')
  // U+FDFA becomes 18 characters by its compatibility form (Unicode), and nothing becomes more.
  hold(folded.join('').length <= 18 * text.length, 'A folded name is longer than any form of it')
  const isUniversal = folded.some((group) => /^\**$/.test(group)) || /[?*]/.test(folded.join(''))
  if (!isUniversal)
    hold(nameKey(ATTRIBUTE, [text], true).matches(rowOf(text)), 'A name does not meet itself')
  for (const key of [`${text.slice(0, 3)}*`, `*${text.slice(-2)}`, '*?*?*', `${text}*`])
    nameKey(ATTRIBUTE, [key], false).matches(rowOf(text))
}

function inLatin(text: string): string {
  if (text.length > 2048) return 'long'
  const latin = transliterate(text)
  if (latin === undefined) return 'no letters'
  hold(/^[\t\n\f\r\x20-\x7e]*$/.test(latin), 'Latin letters that are none')
  same('Another number of delimiters', delimitersOf(latin), delimitersOf(text))
  const cut = text.length <= 64 ? truncateToBytes(text, ['ISO_IR 192'], 'LO') : undefined
  hold(!cut || cut.length <= 64, 'A text that was cut is too long')
  return 'latin'
}

const TOKENS: readonly Buffer[] = [
  ...['^', '=', '\\', '^^^^', '==', '*', '?', ' ', '  ', '\0', '\t', 'x', 'a^'].map((text) =>
    Buffer.from(text),
  ),
  ...[
    '1b2442',
    '1b284a',
    '1b2842',
    '1b242943',
    '1b242941',
    '1b242844',
    '1b2d41',
    '1b2d4c',
    '1b2d47',
    '1b2d46',
    '1b2d48',
    '1b2d54',
    '1b2949',
    '1b',
  ].map((hex) => Buffer.from(hex, 'hex')),
  ...[
    '山田',
    '홍',
    'ß',
    'İ',
    'ﷺ',
    '\u0301',
    '\u200b',
    '\u202e',
    '\ufeff',
    '𝕏',
    'ç',
    'Ж',
    'ς',
    'ﬁ',
    'Å',
    '＾',
    '＝',
  ].map((text) => Buffer.from(text)),
  ...[
    '81308130',
    '8139fe39',
    '90308130',
    'fe39fe39',
    'a1a1',
    'fdfd',
    'ff',
    '80',
    'c080',
    'eda080',
    'f4908080',
  ].map((hex) => Buffer.from(hex, 'hex')),
]
