import { expect, it } from 'vitest'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { bodyOf, valuesOf } from '../../../../renderer/src/features/templates/template-values.ts'
import { contractFaults, topField } from '../../../../renderer/src/ui/use-contract-form.ts'

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

it('shows each fault at its field', async () => {
  const faultsOf = (change: object) =>
    contractFaults(
      dashboardReports.addTemplate,
      bodyOf({ ...valuesOf(template, null), ...change }),
      topField,
    )
  expect(await faultsOf({})).toEqual({})
  expect(Object.keys(await faultsOf({ name: ' ', ageFrom: 200 })).sort()).toEqual([
    'ageFrom',
    'name',
  ])
})
