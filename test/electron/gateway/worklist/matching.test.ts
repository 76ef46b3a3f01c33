import { describe, expect, it } from 'vitest'
import { PATIENT_NAME, ROOT_ATTRIBUTES, START_DATE, START_TIME, STEP_ATTRIBUTES } from '#gateway/worklist/attributes.ts'
import { rowsOfItem } from '#gateway/worklist/item.ts'
import { intervalKey, isInterval, nameKey, spanKey, textKey, wildCard } from '#gateway/worklist/matching.ts'
import type { WorklistRow } from '#gateway/worklist/row.ts'
import { dateSpan, type Span, timeSpan } from '#gateway/worklist/span.ts'
import { item } from './worklist-fixture.ts'

const context = { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' }
const row = (fields = {}, step = {}) => rowsOfItem(item(1, fields, step), context)[0] as WorklistRow
const attribute = (tag: number) => {
  const found = ROOT_ATTRIBUTES.get(tag) ?? STEP_ATTRIBUTES.get(tag)
  if (!found) throw new Error(`no attribute ${tag}`)
  return found
}
const named = (PatientName: string) => row({ PatientName })
const matchesName = (key: string, name: string) => nameKey(attribute(PATIENT_NAME), [key], true).matches(named(name))

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
  ])('%s held against %j is %s', (pattern, text, expected) => expect(wildCard(pattern)(text)).toBe(expected))

  it('of many stars against a long value ends in a bounded number of steps', () => {
    expect(wildCard(`${'*a'.repeat(5000)}*b`)('a'.repeat(20_000))).toBe(false)
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
  ])('%s and %s: %s', (key, name, expected) => expect(matchesName(key, name)).toBe(expected))

  it('goes on after its last component where bytes of the key were not understood', () => {
    expect(nameKey(attribute(PATIENT_NAME), ['M*ller'], false).matches(named('Müller^Anna'))).toBe(true)
    expect(nameKey(attribute(PATIENT_NAME), ['M*ller'], true).matches(named('Müller^Anna'))).toBe(false)
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
    expect(textKey(accession, ['?*']).matches(row({ AccessionNumber: '' }))).toBe(false)
  })
  it('matches when one value of a list does', () => {
    expect(textKey(attribute(0x0020000d), ['1.2.3', '2.25.10001']).matches(row())).toBe(true)
    expect(textKey(attribute(0x0020000d), ['1.2.3']).matches(row())).toBe(false)
    expect(textKey(attribute(0x00080060), ['CT', 'MR']).matches(row({}, { Modality: 'mr' }))).toBe(true)
  })
  it('takes a wild card in a UID as what it is', () => {
    expect(textKey(attribute(0x0020000d), ['2.25.*']).matches(row())).toBe(false)
  })
  it('compares decimals by value', () => {
    expect(textKey(attribute(0x00101030), ['70.0']).matches(row())).toBe(true)
  })
})

describe('start date and time', () => {
  const rowAt = (date: string, time: string) => row({}, { ScheduledProcedureStepStartDate: date, ScheduledProcedureStepStartTime: time })
  const date = (text: string) => dateSpan(text) as Span
  const time = (text: string) => timeSpan(text) as Span

  it('as two ranges are one interval (PS3.4 K.6-1)', () => {
    const key = intervalKey(date('19950101-19960101'), time('1200-1300'), '')
    expect(key.matches(rowAt('19950615', '085607'))).toBe(true)
    expect(key.matches(rowAt('19950101', '115959'))).toBe(false)
    expect(key.matches(rowAt('19960101', '130059'))).toBe(true)
    expect(key.matches(rowAt('19960101', '130100'))).toBe(false)
  })
  it.each([
    ['19950101-19960101', '1200-1300', true],
    ['19950101-', '1200-', true],
    ['-19960101', '-1300', true],
    ['19950101', '1200-1300', false],
    ['19950101-19960101', '1200', false],
    ['19950101-', '-1300', false],
    ['', '1200-1300', false],
  ])('%s with %s are an interval: %s', (dates, times, expected) => {
    expect(isInterval(dateSpan(dates), timeSpan(times))).toBe(expected)
  })
  it('are matched each for itself otherwise', () => {
    const key = spanKey(attribute(START_TIME), time('120000-'), '')
    expect([key.matches(rowAt('20261120', '1200')), key.matches(rowAt('20261120', '115959'))]).toEqual([true, false])
    const day = spanKey(attribute(START_DATE), date('20261120'), '')
    expect([day.matches(rowAt('20261120', '1200')), day.matches(rowAt('20261121', '1200'))]).toEqual([true, false])
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
