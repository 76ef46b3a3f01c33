import { expect, it } from 'vitest'
import { keywordOf, vrOf } from '#server/dicom/data-set/data-set.ts'
import {
  DEFAULT_STEP_ATTRIBUTES,
  ROOT_ATTRIBUTES,
  ROW_KEYWORDS,
  STEP_ATTRIBUTES,
} from '#server/modules/worklist/attributes.ts'

const all = [...STEP_ATTRIBUTES.values(), ...ROOT_ATTRIBUTES.values()]

it('spells every attribute as PS3.6 does', () => {
  expect(all.map(({ tag, keyword, vr }) => [keyword, vr, tag])).toEqual(
    all.map(({ tag }) => [keywordOf(tag), vrOf(tag), tag]),
  )
})

it('has each attribute once, and a place for every value of a row', () => {
  expect(new Set(all.map(({ tag }) => tag)).size).toBe(all.length)
  expect(all.flatMap(({ source, keyword }) => (source === 'row' ? [keyword] : [])).sort()).toEqual(
    [...ROW_KEYWORDS].sort(),
  )
})

it('can answer every required key and every value of type 1', () => {
  const unanswered = all.filter(
    ({ type, source }) => type === '1' && (source === 'nothing' || source === 'omitted'),
  )
  expect(unanswered).toEqual([])
  expect(
    all
      .filter(({ matching }) => matching === 'R')
      .map(({ keyword }) => keyword)
      .sort(),
  ).toEqual([
    'Modality',
    'PatientID',
    'PatientName',
    'ScheduledPerformingPhysicianName',
    'ScheduledProcedureStepStartDate',
    'ScheduledProcedureStepStartTime',
    'ScheduledStationAETitle',
  ])
})

it('answers an empty step item with what PS3.4 wants in it, in the order of tags', () => {
  const tags = DEFAULT_STEP_ATTRIBUTES.map(({ tag }) => tag)
  expect(tags).toEqual([...tags].sort((a, b) => a - b))
  expect(tags).toHaveLength(11)
})
