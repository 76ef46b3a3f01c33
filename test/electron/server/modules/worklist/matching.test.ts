import { describe, expect, it } from 'vitest'
import { dateSpan, isInterval, type Span, timeSpan } from '#server/dicom/matching/range.ts'
import { wildCardTest } from '#server/dicom/matching/wild-card.ts'
import {
  PATIENT_NAME,
  ROOT_ATTRIBUTES,
  START_DATE,
  START_TIME,
  STEP_ATTRIBUTES,
} from '#server/modules/worklist/attributes.ts'
import { rowsOfItem } from '#server/modules/worklist/item.ts'
import {
  intervalKey,
  isMatch,
  nameKey,
  spanKey,
  textKey,
  unmatchableKey,
} from '#server/modules/worklist/matching.ts'
import type { WorklistRow } from '#server/modules/worklist/row.ts'
import { verbatim } from '#shared/messages/message.ts'
import { item } from './worklist-values-fixture.ts'

const context = { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' }
const row = (fields = {}, step = {}) => rowsOfItem(item(1, fields, step), context)[0] as WorklistRow
const attribute = (tag: number) => {
  const found = ROOT_ATTRIBUTES.get(tag) ?? STEP_ATTRIBUTES.get(tag)
  if (!found) throw new Error(`no attribute ${tag}`)
  return found
}
const named = (PatientName: string) => row({ PatientName })
const matchesName = (key: string, name: string) =>
  nameKey(attribute(PATIENT_NAME), [key], true).matches(named(name))

describe('a wild card', () => {
  it.each([
    ['*', '', true],
    ['', '', true],
    ['', 'A', false],
    ['A*', 'ABC', true],
    ['A*', 'BA', false],
    ['*C', 'ABC', true],
    ['A?C', 'ABC', true],
    ['A?C', 'AC', false],
    ['?', '𠮷', true],
    ['*?B', 'AAB', true],
    ['*?B', 'B', false],
    ['A*B*C', 'AxxBxxBC', true],
    ['A*B*C', 'AxxCxxB', false],
    ['A.C', 'ABC', false],
    ['[A]*', 'A', false],
    ['AB', 'ABC', false],
    ['A?*', 'ABC', true],
    ['A?*', 'AB', true],
    ['A*B*', 'AXB', true],
    ['A?*', 'A', false],
    ['A**', 'ABC', true],
    ['**A', 'ABA', true],
    ['A*B', 'AXB', true],
    ['A*B', 'A*X', false],
    ['A*B', 'AB', true],
    ['A*B*C', 'ABC', true],
    ['?A', '\uffffA', true],
    ['?A', '\u{10000}A', true],
    ['??', '𠮷', false],
    ['*??B', '𠮷B', false],
    ['*𠮷', '𠮷吉𠮷', true],
    ['𠮷*', '𠮷', true],
  ])('%s held against %j is %s', (pattern, text, expected) =>
    expect(wildCardTest(pattern)(text)).toBe(expected),
  )

  it('of many stars against a long value ends in a bounded number of steps', () => {
    expect(wildCardTest(`${'*a'.repeat(5000)}*b`)('a'.repeat(20_000))).toBe(false)
  })
})

describe('PatientName', () => {
  it.each([
    ['vivaldi*', 'VIVALDI^ANTONIO', true],
    ['VIVALDI', 'VIVALDI^ANTONIO', true],
    ['SMITH', 'SMITHSON^JOHN', false],
    ['SMITH^JOHN', 'Smith^John^Paul', true],
    ['SMITH^J', 'SMITH^JOHN', false],
    ['SMITH^^^', 'SMITH', true],
    ['MULLER', 'Müller^Anna', true],
    ['müller', 'MULLER^ANNA', true],
    ['strasse', 'Straße^Eva', true],
    ['ΠΑΠΑΔΟΠΟΥΛΟΣ*', 'Παπαδόπουλος^Διονύσιος', true],
    ['Ｙａｍａｄａ', 'Yamada^Tarou=山田^太郎=やまだ^たろう', true],
    ['山田*', 'Yamada^Tarou=山田^太郎=やまだ^たろう', true],
    ['やまた', 'Yamada^Tarou=山田^太郎=やまだ^たろう', false],
    ['=山田^太郎', 'Yamada^Tarou=山田^太郎=やまだ^たろう', true],
    ['=Yamada', 'Yamada^Tarou=山田^太郎=やまだ^たろう', false],
    ['*^JOHN*', 'SMITH^JOHNNY', true],
    ['?oe', 'Doe', true],
    ['Hong^Gildong=洪^吉洞=홍^길동', 'Hong^Gildong', true],
    ['山田^太郎=Yamada^Tarou', 'Yamada^Tarou=山田^太郎', false],
    ['Kim=*a*', 'Hong', false],
    ['*=Hong', 'Kim', false],
    ['SM*', 'SMITH', true],
    ['SMITH^', 'SMITH^JOHN', true],
    ['', 'SMITH', false],
    ['SMITH', '', false],
  ])('%s and %s: %s', (key, name, expected) => expect(matchesName(key, name)).toBe(expected))

  it('is met by any of several names', () => {
    const key = nameKey(attribute(PATIENT_NAME), ['SMITH', 'M*'], true)
    expect(['SMITH^JOHN', 'Meier', 'Keller'].map((name) => key.matches(named(name)))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('goes on after its last component where bytes of the key were not understood', () => {
    expect(nameKey(attribute(PATIENT_NAME), ['M*ller'], false).matches(named('Müller^Anna'))).toBe(
      true,
    )
    expect(nameKey(attribute(PATIENT_NAME), ['M*ller'], true).matches(named('Müller^Anna'))).toBe(
      false,
    )
  })
})

describe('other text', () => {
  const accession = attribute(0x00080050)
  it('is compared with its case', () => {
    expect(textKey(accession, ['A001']).matches(row())).toBe(true)
    expect(textKey(accession, ['a001']).matches(row())).toBe(false)
    expect(textKey(accession, ['A0*']).matches(row())).toBe(true)
  })
  it('without a value matches no value, not even a wild one', () => {
    expect(textKey(accession, ['*']).matches(row({ AccessionNumber: '' }))).toBe(false)
    expect(textKey(accession, ['?*']).matches(row({ AccessionNumber: '' }))).toBe(false)
  })
  it('matches when one value of a list does', () => {
    expect(textKey(attribute(0x0020000d), ['1.2.3', '2.25.10001']).matches(row())).toBe(true)
    expect(textKey(attribute(0x0020000d), ['1.2.3']).matches(row())).toBe(false)
    expect(textKey(attribute(0x00080060), ['CT', 'MR']).matches(row({}, { Modality: 'mr' }))).toBe(
      true,
    )
  })
  it('takes a wild card in a UID as what it is', () => {
    expect(textKey(attribute(0x0020000d), ['2.25.*']).matches(row())).toBe(false)
  })
  it('compares decimals by value', () => {
    const weight = attribute(0x00101030)
    expect(textKey(weight, ['70.0']).matches(row())).toBe(true)
    expect(textKey(weight, ['70.1']).matches(row())).toBe(false)
    expect(textKey(weight, ['0']).matches(row({ PatientWeight: '' }))).toBe(false)
  })
})

describe('start date and time', () => {
  const rowAt = (date: string, time: string) =>
    row({}, { ScheduledProcedureStepStartDate: date, ScheduledProcedureStepStartTime: time })
  const date = (text: string) => dateSpan(text) as Span
  const time = (text: string) => timeSpan(text) as Span

  it('as two ranges are one interval (PS3.4 K.6-1)', () => {
    const key = intervalKey(date('19950101-19960101'), time('1200-1300'), '')
    expect(key.matches(rowAt('19950615', '085607'))).toBe(true)
    expect(key.matches(rowAt('19950101', '115959'))).toBe(false)
    expect(key.matches(rowAt('19960101', '130059'))).toBe(true)
    expect(key.matches(rowAt('19960101', '130100'))).toBe(false)
    const from = intervalKey(date('19950101-'), time('1200-'), '')
    expect([
      from.matches(rowAt('19950101', '115959')),
      from.matches(rowAt('20261120', '0800')),
    ]).toEqual([false, true])
    const since = intervalKey(date('19950101-19950102'), time('2200-'), '')
    const nights = [
      rowAt('19950101', '2159'),
      rowAt('19950102', '0900'),
      rowAt('19950102', '2359'),
      rowAt('19950103', '0000'),
    ]
    expect(nights.map((one) => since.matches(one))).toEqual([false, true, true, false])
    const until = intervalKey(date('-19960101'), time('-1300'), '')
    expect([
      until.matches(rowAt('19960101', '130100')),
      until.matches(rowAt('19950615', '2300')),
    ]).toEqual([false, true])
  })
  it.each([
    ['19950101-19960101', '1200-1300', true],
    ['19950101-', '1200-', true],
    ['-19960101', '-1300', true],
    ['19950101', '1200-1300', false],
    ['19950101-19960101', '1200', false],
    ['19950101-', '-1300', false],
    ['', '1200-1300', false],
    ['19950101-19960101', '', false],
    ['-19960101', '1200-', false],
    ['19950101-', '1200-1300', false],
    ['19950101-19960101', '-1300', true],
    ['19950101-19960101', '1200-', true],
  ])('%s with %s are an interval: %s', (dates, times, expected) => {
    expect(isInterval(dateSpan(dates), timeSpan(times))).toBe(expected)
  })
  it('are matched each for itself otherwise', () => {
    const key = spanKey(attribute(START_TIME), time('120000-'), '')
    expect([
      key.matches(rowAt('20261120', '1200')),
      key.matches(rowAt('20261120', '115959')),
    ]).toEqual([true, false])
    const day = spanKey(attribute(START_DATE), date('20261120'), '')
    expect([
      day.matches(rowAt('20261120', '1200')),
      day.matches(rowAt('20261121', '1200')),
    ]).toEqual([true, false])
  })
  it('admit both ends to the second, and no row without a value', () => {
    const noon = spanKey(attribute(START_TIME), time('120000-120059'), '')
    expect(
      ['120000', '120059', '120100', '115959'].map((at) => noon.matches(rowAt('20261120', at))),
    ).toEqual([true, true, false, false])
    const birth = attribute(0x00100030)
    expect(spanKey(birth, date('-20261120'), '').matches(row({ PatientBirthDate: '' }))).toBe(false)
    expect(spanKey(birth, date('-20261120'), '').matches(row())).toBe(true)
  })
})

describe('a key', () => {
  const accession = attribute(0x00080050)
  const birth = attribute(0x00100030)
  const [date, time] = [dateSpan('20261120-20261121') as Span, timeSpan('10-12') as Span]
  const nameless = row({ PatientName: '' })

  it.each([
    [
      textKey(accession, ['A1', 'B*']),
      'AccessionNumber',
      'AccessionNumber (0008,0050) “A1” or “B*”',
    ],
    [
      nameKey(attribute(PATIENT_NAME), ['A', 'B'], true),
      'PatientName',
      'PatientName (0010,0010) “A” or “B”',
    ],
    [spanKey(birth, date, '1970-'), 'PatientBirthDate', 'PatientBirthDate (0010,0030) “1970-”'],
    [
      intervalKey(date, time, '2026 10'),
      'ScheduledProcedureStepStartDate',
      'start date and time (0040,0002), (0040,0003) as one interval, “2026 10”',
    ],
    [
      unmatchableKey(accession, verbatim('never')),
      'AccessionNumber',
      'AccessionNumber (0008,0050) never',
    ],
  ])('%# says what it wants', (key, name, words) => {
    expect([key.name, key.words]).toEqual([name, words])
  })

  it('repeats 256 characters of what it wants at most', () => {
    const values = ['x'.repeat(100), 'y'.repeat(300), 'z']
    expect(textKey(accession, values).words).toEqual(
      `AccessionNumber (0008,0050) “${'x'.repeat(100)}” or “${'y'.repeat(149)}`,
    )
  })

  it('knows the rows without a value for it', () => {
    const keys = [
      [textKey(accession, ['A001']), row({ AccessionNumber: '' })],
      [nameKey(attribute(PATIENT_NAME), ['A'], true), nameless],
      [spanKey(birth, date, ''), row({ PatientBirthDate: '' })],
    ] as const
    expect(keys.map(([key, empty]) => [key.hasValue(row()), key.hasValue(empty)])).toEqual(
      keys.map(() => [true, false]),
    )
    const interval = intervalKey(date, time, '')
    const dateless = {
      ...row(),
      values: { ...row().values, ScheduledProcedureStepStartDate: '' },
    } as WorklistRow
    expect([interval.hasValue(row()), interval.hasValue(dateless)]).toEqual([true, false])
  })

  it('that nothing matches is met by no row, also by none that is withheld', () => {
    const key = unmatchableKey(accession, verbatim(''))
    expect([isMatch(key, row()), isMatch(key, nameless)]).toEqual([false, false])
  })

  it('may be met by a withheld row that has no value for it, and by no other row without one', () => {
    const key = nameKey(attribute(PATIENT_NAME), ['TESTER'], true)
    expect(nameless.withheld).not.toBeNull()
    expect(isMatch(key, nameless)).toBe(true)
    expect(isMatch(textKey(accession, ['A999']), nameless)).toBe(false)
    expect(isMatch(textKey(accession, ['A001']), nameless)).toBe(true)
    expect(isMatch(textKey(accession, ['A001']), row({ AccessionNumber: '' }))).toBe(false)
  })
})

it('holds 5,000 rows against three keys in a moment', () => {
  const rows = Array.from({ length: 5000 }, (_, n) => row({ PatientName: `Müller^${n}` }))
  const keys = [
    nameKey(attribute(PATIENT_NAME), ['mul*9'], true),
    textKey(attribute(0x00080060), ['CT']),
    spanKey(attribute(START_DATE), date('20261120'), ''),
  ]
  expect(rows.filter((one) => keys.every((key) => key.matches(one)))).toHaveLength(500)

  function date(text: string): Span {
    return dateSpan(text) as Span
  }
})
