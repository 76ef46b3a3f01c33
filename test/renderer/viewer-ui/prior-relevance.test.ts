import { describe, expect, it } from 'vitest'
import { regionsOf } from '../../../renderer/src/viewer/body-regions.ts'
import { ageText, priorText } from '../../../renderer/src/viewer/prior-age.ts'
import {
  type ComparedStudy,
  currentStudy,
  priorMatch,
  rankedPriors,
} from '../../../renderer/src/viewer/prior-relevance.ts'
import { instance, series, stacks, study } from '../viewer/viewed.ts'

const of = (text: string, modality = 'CT', studyDate = '20260101'): ComparedStudy => ({
  modalities: [modality],
  text,
  studyDate,
})

describe('the relevance of a prior study', () => {
  it.each([
    ['CT Chest', 'TC de tórax', 'exam'],
    ['CT CHEST', 'CT Abdomen', 'modality'],
    ['CT head and neck', 'Neck CT', 'exam'],
    // Neither names a region that is known: the same name is the same exam.
    ['Angio runoff', 'Angio runoff bilateral', 'exam'],
    ['', 'CT Chest', 'modality'],
  ])('compares %j with %j: %s', (current, prior, match) => {
    expect(priorMatch(of(current), of(prior))).toBe(match)
  })

  it('needs a common kind of image: computed and digital radiography are one, reports are none', () => {
    expect(priorMatch(of('Chest', 'CR'), of('Chest', 'DX'))).toBe('exam')
    expect(priorMatch(of('Chest', 'CT'), of('Chest', 'MR'))).toBe('other')
    expect(priorMatch(of('Chest', 'SR'), of('Chest', 'SR'))).toBe('other')
  })

  it('comes before the date, and the newest counts among equals; what is later is no prior', () => {
    const priors = [
      of('CT abdomen', 'CT', '20251201'),
      of('CT chest', 'CT', '20230101'),
      of('MR chest', 'MR', '20251231'),
      of('CT chest', 'CT', '20250101'),
      of('CT chest', 'CT', '20260601'),
      of('CT chest', 'CT', ''),
    ]
    const ranked = rankedPriors(of('CT Thorax'), priors, (prior) => prior)
    expect(ranked.map(({ prior, match }) => [match, prior.studyDate])).toEqual([
      ['exam', '20250101'],
      ['exam', '20230101'],
      ['exam', ''],
      ['modality', '20251201'],
      ['other', '20251231'],
    ])
  })

  it('takes the body part of the series where the study does not name one', () => {
    const states = stacks([instance(1)]).map((one) => ({
      ...one,
      series: series({ bodyPartExamined: 'KNEE' }),
    }))
    const images = { studies: [{ study: study(), series: states, nonImageInstances: [] }] }
    expect(regionsOf(currentStudy(images)?.text ?? '')).toEqual(new Set(['knee']))
    expect(currentStudy({ studies: [] })).toBeNull()
    // What a device sends for every exam does not make another one of it.
    const named = { ...images.studies[0], study: study({ studyDescription: 'CT abdomen' }) }
    const current = currentStudy({ studies: [named as (typeof images.studies)[0]] })
    expect(current && priorMatch(current, of('Knee'))).toBe('modality')
    expect(current && priorMatch(current, of('Abdomen'))).toBe('exam')
  })
})

describe('the age of a prior study', () => {
  it.each([
    ['20261120', 'same day'],
    ['20261119', '1 day earlier'],
    ['20261001', '50 days earlier'],
    ['20250921', '13 months earlier'],
    ['20250920', '14 months earlier'],
    ['20241121', '23 months earlier'],
    ['20241120', '2 years earlier'],
    ['20230820', '3 years 3 months earlier'],
    ['20261121', '1 day later'],
    ['', ''],
  ])('of %j on 20 Nov 2026 is %j', (prior, age) => {
    expect(ageText(prior, '20261120')).toBe(age)
  })

  it('stands beside its date', () => {
    expect(priorText('20250920', '20261120')).toBe('Prior, 20 Sep 2025, 14 months earlier')
    expect(priorText('20250920', '')).toBe('Prior, 20 Sep 2025')
    expect(priorText('', '20261120')).toBe('Prior')
  })
})
