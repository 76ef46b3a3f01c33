import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldName } from '#server/dicom/matching/person-name.ts'
import { alphabeticForm, isSameName } from '#server/modules/images/person-name.ts'
import { ROW_KEYWORDS, type RowKeyword } from '#server/modules/worklist/attributes.ts'
import { byStart, rowAt, worklistRow } from '#server/modules/worklist/row.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'

// Person names (PS3.5 §6.2.1) as the worklist matches them and as images are compared with what was
// handed out.

const letters = fc.constantFrom(..."abzEMOSäöüßÅøéçñłŽїЖωςΣ山田太郎ヤマダ김ａ１ -'.".split(''))
const part = fc.array(letters, { maxLength: 6 }).map((all) => all.join(''))
const group = fc.array(part, { maxLength: 5 }).map((parts) => parts.join('^'))
const names = fc.array(group, { minLength: 1, maxLength: 3 }).map((groups) => groups.join('='))
const anyText = fc.oneof(names, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
/** The same name in another writing. */
const WRITINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.normalize('NFD'),
  (name) => name.normalize('NFC'),
  (name) =>
    name
      .split('=')
      .map((one) => `${one}^^`)
      .join('='),
  (name) =>
    name
      .split('^')
      .map((one) => ` ${one} `)
      .join('^'),
  (name) =>
    name
      .split('=')
      .map((one) => one.trim())
      .join('='),
]
const writing = fc.constantFrom(...WRITINGS)
const isEmpty = (name: string) => name.replace(/[\s^=]/g, '') === ''

describe('a person’s name', () => {
  it(
    'is folded to what folding leaves alone, the same for every way to write it',
    () => {
      fc.assert(
        fc.property(names, writing, (name, written) => {
          const folded = foldName(name)
          expect(foldName(folded.join('='))).toEqual(folded)
          expect(foldName(written(name))).toEqual(folded)
          expect(folded.length).toBeLessThanOrEqual(3)
        }),
        runs(500),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'is that of the same person in every writing, from either side, and nobody’s where there is none',
    () => {
      fc.assert(
        fc.property(anyText, anyText, writing, (one, other, written) => {
          expect(isSameName(one, one)).toBe(true)
          expect(isSameName(one, other)).toBe(isSameName(other, one))
          expect(isSameName(one, written(one))).toBe(true)
          expect(isSameName(one, one.toLowerCase())).toBe(true)
          if (!isEmpty(one)) expect(isSameName(one, '')).toBe(false)
        }),
        runs(500),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'is shown by one group, which is a name of its own',
    () => {
      fc.assert(
        fc.property(names, (name) => {
          const form = alphabeticForm(name)
          expect(form).not.toContain('=')
          expect(alphabeticForm(form)).toBe(form)
          expect(form === '').toBe(isEmpty(name))
        }),
        runs(300),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})

it.each([
  ['SMITH^JOHN^^', ['smith^john']],
  ['Müller ^ Änne', ['muller^anne']],
  ['MÜLLER', ['muller']],
  ['Straße', ['strasse']],
  ['Ｓｍｉｔｈ', ['smith']],
  ['ПЁТР', ['петр']],
  ['ΔΙΟΝΥΣΙΟΣ', ['διονυσιοσ']],
  ['Διονύσιος', ['διονυσιοσ']],
  ['Yamada=山田=やまだ', ['yamada', '山田', 'やまだ']],
  ['홍^길동', ['홍^길동']],
  ['A=B=C=D', ['a', 'b', 'c']],
  ['Ｓｍｉｔｈ ^^', ['smith']],
  ['Ångström', ['angstrom']],
  ['ſmith', ['smith']],
  ['が', ['が']],
  ['', ['']],
])('folds %s to %j', (name, groups) => expect(foldName(name)).toEqual(groups))

describe('a row', () => {
  const row = (values: Partial<Record<RowKeyword, string>>) => {
    const empty = Object.fromEntries(ROW_KEYWORDS.map((keyword) => [keyword, '']))
    return worklistRow({ ...empty, ...values } as Record<RowKeyword, string>, null, [])
  }
  const start = { ScheduledProcedureStepStartDate: '20261120' }

  it('stands before others by date, time, name and step', () => {
    const rows = [
      row({ ScheduledProcedureStepStartDate: '20261119', PatientName: 'Z' }),
      row({ ...start, ScheduledProcedureStepStartTime: '0900', PatientName: 'B' }),
      row({ ...start, ScheduledProcedureStepStartTime: '1000', PatientName: 'A' }),
      row({
        ...start,
        ScheduledProcedureStepStartTime: '1000',
        PatientName: 'B',
        ScheduledProcedureStepID: '1',
      }),
      row({
        ...start,
        ScheduledProcedureStepStartTime: '1000',
        PatientName: 'B',
        ScheduledProcedureStepID: '2',
      }),
    ]
    expect(rows.toReversed().sort(byStart)).toEqual(rows)
    expect(byStart(row(start), row(start))).toBe(0)
  })

  it('knows its folded name, and whether all of it is ASCII', () => {
    expect(row({ PatientName: 'DOE^Jane', PatientID: 'P1' })).toMatchObject({
      foldedName: ['doe^jane'],
      isAscii: true,
    })
    expect(row({ StudyDescription: 'Schädel' }).isAscii).toBe(false)
  })

  it('is not there at a place after the last', () => {
    expect(rowAt([row({ PatientID: 'P1' })], 0).values.PatientID).toBe('P1')
    expect(() => rowAt([], 0)).toThrow('no row 0')
  })
})
