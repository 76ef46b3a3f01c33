import { describe, expect, it } from 'vitest'
import type { PriorReport, Reading } from '#shared/contract/reports.ts'
import { expandTemplate } from '#shared/report-text.ts'
import { comparedLines } from '../../../renderer/src/features/reports/lines.ts'
import {
  ageText,
  priorsMatching,
  priorTitle,
  templateValues,
} from '../../../renderer/src/format/patient.ts'

const TODAY = '2026-11-20'
const prior = (more: Partial<PriorReport> = {}): PriorReport => ({
  ...{
    source: 'partner' as const,
    studyId: null,
    studyInstanceUid: null,
    studyDescription: 'CT thorax',
    modality: 'CT',
  },
  ...{ studyDate: '2025-03-12' as PriorReport['studyDate'], text: 'No nodule.', ...more },
})

describe('the age of a patient', () => {
  const born = (dateOfBirth: string, more: object = {}) =>
    ({ dateOfBirth, ...more }) as Reading['reportMetadata']
  it('is as the partner gave it, else counted at the day of the scan', () => {
    expect(
      ageText({ age: '054Y', dateOfBirth: '1971-05-03' } as Reading['reportMetadata'], TODAY),
    ).toBe('054Y')
    expect(ageText({ age: '3 weeks' }, TODAY)).toBe('3 weeks')
    expect(ageText(born('1971-05-03', { scanDate: '2026-05-02' }), TODAY)).toBe('54 years')
    expect(ageText(born('1971-05-03', { scanDate: '2026-05-03' }), TODAY)).toBe('55 years')
    expect(ageText(born('1971-11-21'), TODAY)).toBe('54 years')
  })
  it('is in months below two years, and never of somebody who is not born', () => {
    expect(ageText(born('2026-10-19'), TODAY)).toBe('1 month')
    expect(ageText(born('2025-01-20'), TODAY)).toBe('22 months')
    expect(ageText(born('2027-01-01'), TODAY)).toBe('')
    expect(ageText({}, TODAY)).toBe('')
  })
})

describe('what templates are filled in with', () => {
  const reading = {
    reportMetadata: {
      patientName: 'TEST^MAJA',
      sex: 'female',
      scanDate: '2026-11-20',
    } as Reading['reportMetadata'],
    context: { clinicalIndication: 'Cough' } as Reading['context'],
    priors: [prior(), prior({ studyDescription: 'older' })],
  }
  it('is what is known of the study, the newest earlier report as the comparison', () => {
    expect(templateValues(reading, TODAY)).toMatchObject({
      ...{ patientName: 'TEST, MAJA', sex: 'female', scanDate: '20 Nov 2026', indication: 'Cough' },
      ...{ comparison: 'CT thorax, 12 Mar 2025', age: '', referringPhysician: '' },
    })
  })
  it('leaves a field where nothing is known', () => {
    const filled = expandTemplate(
      '{sex}, {age}. Comparison: {comparison}',
      templateValues({ ...reading, priors: [] }, TODAY),
    )
    expect(filled).toBe('female, [age]. Comparison: [comparison]')
  })
})

describe('earlier reports', () => {
  it('are named by what was done and when, the modality once', () => {
    expect(priorTitle(prior())).toBe('CT thorax, 12 Mar 2025')
    expect(priorTitle(prior({ modality: 'MR', studyDescription: 'brain', studyDate: null }))).toBe(
      'MR brain',
    )
    expect(priorTitle(prior({ modality: '', studyDescription: '' }))).toBe('Report, 12 Mar 2025')
    expect(priorTitle(prior({ modality: '', studyDescription: '', studyDate: null }))).toBe(
      'Report',
    )
  })
  it('are found by every word, in the name and in the text, in any case', () => {
    const priors = [prior(), prior({ text: 'A NODULE of 7 mm.', studyDescription: 'CT neck' })]
    expect(priorsMatching(priors, 'nodule')).toHaveLength(2)
    expect(priorsMatching(priors, 'nodule 7')).toEqual([priors[1]])
    expect(priorsMatching(priors, '  thorax 2025 ')).toEqual([priors[0]])
    expect(priorsMatching(priors, '')).toHaveLength(2)
    expect(priorsMatching(priors, 'spleen')).toEqual([])
  })
})

describe('two texts beside each other', () => {
  const own = (text: string, other: string) =>
    comparedLines(text, other)
      .filter(({ isOwn }) => isOwn)
      .map(({ line }) => line)
  it('mark the lines that the other one lacks, however often', () => {
    expect(own('a\nb\nb', 'b\nc')).toEqual(['a', 'b'])
    expect(own('b\nc', 'a\nb\nb')).toEqual(['c'])
  })
  it('mark neither moved lines nor blank ones, nor spaces', () => {
    expect(own('b\n\na ', 'a\nb')).toEqual([])
  })
})
