import { expect, it } from 'vitest'
import type { ListedElement } from '#shared/contract/viewed-objects.ts'
import { foundElements, wordsOf } from '../../../renderer/src/viewer/documents/element-search.ts'

const element = (
  depth: number,
  tag: string,
  keyword: string,
  value = '',
  kind: ListedElement['kind'] = 'text',
): ListedElement => ({ depth, tag, keyword, vr: 'LO', length: 8, value, kind, items: 0 })

const ELEMENTS = [
  element(0, '(0010,0010)', 'PatientName', 'Müller^Jörg'),
  element(0, '(0010,0020)', 'PatientID', 'P-0815'),
  element(0, '(0040,0275)', 'RequestAttributesSequence', '', 'sequence'),
  element(1, '', '', '', 'item'),
  element(2, '(0040,0009)', 'ScheduledProcedureStepID', 'S-1'),
  element(2, '(0040,1001)', 'RequestedProcedureID', 'R-1'),
  element(1, '', '', '', 'item'),
  element(2, '(0040,0009)', 'ScheduledProcedureStepID', 'S-2'),
  element(0, '(7FE0,0010)', 'PixelData', '', 'binary'),
]
const found = (text: string) =>
  foundElements(ELEMENTS, text).map(({ tag, value, kind }) => tag + value || kind)

it.each([
  ['patient id', ['(0010,0020)P-0815']],
  ['PATIENTNAME', ['(0010,0010)Müller^Jörg']],
  ['müller', ['(0010,0010)Müller^Jörg']],
  ['(0010,0020)', ['(0010,0020)P-0815']],
  ['0010', ['(0010,0010)Müller^Jörg', '(0010,0020)P-0815']],
  ['7fe00010', ['(7FE0,0010)']],
  ['S-2', ['(0040,0275)', 'item', '(0040,0009)S-2']],
  ['nothing of the kind', []],
])('a search for %s finds %o', (text, elements) => {
  expect(found(text)).toEqual(elements)
})

it('an empty search lists all of them', () => expect(found(' ')).toHaveLength(ELEMENTS.length))

it('a sequence is listed once for several of its elements', () => {
  expect(found('0040').filter((one) => one === '(0040,0275)')).toHaveLength(1)
})

it('a keyword is written in words', () => {
  expect(['PatientBirthDate', 'SOPInstanceUID', 'VOILUTFunction'].map(wordsOf)).toEqual([
    'Patient Birth Date',
    'SOP Instance UID',
    'VOILUT Function',
  ])
})
