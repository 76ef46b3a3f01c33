import { expect, it } from 'vitest'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import {
  bodyOf,
  faultsOf,
  valuesOf,
} from '../../../../renderer/src/features/templates/template-values.ts'

const template = {
  ...{
    templateId: 'one',
    kind: 'macro',
    owner: null,
    name: 'Normal chest',
    shortcut: 'nc',
    updatedAt: '2026-11-20T08:00:00.000Z',
  },
  ...{
    modalities: ['CT'],
    sex: 'female',
    ageFrom: 18,
    ageTo: null,
    keywords: ['chest'],
    text: 'No finding.',
  },
} as unknown as ReportTemplate

it('gives back what it was given', () => {
  expect(bodyOf(valuesOf(template, null))).toEqual({
    ...{ kind: 'macro', for: 'everybody', name: 'Normal chest', shortcut: 'nc' },
    ...{
      modalities: ['CT'],
      sex: 'female',
      ageFrom: 18,
      ageTo: null,
      keywords: ['chest'],
      text: 'No finding.',
    },
  })
})

it('begins a new one like another, for oneself', () => {
  expect(valuesOf(null, template)).toMatchObject({ name: 'Normal chest', for: 'mine' })
  expect(bodyOf(valuesOf(null, null))).toMatchObject({
    kind: 'template',
    shortcut: null,
    sex: null,
    ageFrom: null,
  })
})

it('tells each fault at its field', () => {
  expect(faultsOf(valuesOf(template, null))).toEqual({})
  expect(Object.keys(faultsOf({ ...valuesOf(template, null), name: ' ', ageFrom: 200 }))).toEqual([
    'name',
    'ageFrom',
  ])
})
