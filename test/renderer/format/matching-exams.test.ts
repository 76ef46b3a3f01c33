import { expect, it } from 'vitest'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { addDays } from '../../../renderer/src/features/worklist/days.ts'
import { examKey, matchingExams } from '../../../renderer/src/format/matching-exams.ts'

const exam = (more: Partial<Exam>) =>
  ({
    ...{
      studyInstanceUid: '2.25.1',
      scheduledProcedureStepId: 'S1',
      patientName: 'Müller^Jörg',
      patientId: 'P1',
      accessionNumber: 'A77',
    },
    ...{ modality: 'CT', description: 'CT head' },
    ...more,
  }) as Exam
const exams = [
  exam({}),
  exam({
    patientName: 'Smith^Alex',
    patientId: 'P2',
    accessionNumber: 'B12',
    modality: 'MR',
    description: 'MR knee',
  }),
]
const names = (typed: string) => matchingExams(exams, typed).map(({ patientName }) => patientName)

it.each([
  ['', ['Müller^Jörg', 'Smith^Alex']],
  ['muller', ['Müller^Jörg']],
  ['jorg, MULLER', ['Müller^Jörg']],
  ['b12', ['Smith^Alex']],
  ['knee mr', ['Smith^Alex']],
  ['knee müller', []],
])('finds exams by each word typed, whatever its case and accents: %j', (typed, wanted) => {
  expect(names(typed)).toEqual(wanted)
})

it('tells exams apart that have no UID', () => {
  const key = (accessionNumber: string) =>
    examKey(exam({ studyInstanceUid: '', scheduledProcedureStepId: '', accessionNumber }))
  expect(key('A1')).not.toBe(key('A2'))
})

it('counts days by the calendar, over months and leap years', () => {
  expect([addDays('2026-03-01', -1), addDays('2028-03-01', -1), addDays('2026-12-31', 1)]).toEqual([
    '2026-02-28',
    '2028-02-29',
    '2027-01-01',
  ])
})
