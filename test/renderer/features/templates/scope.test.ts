import { expect, it } from 'vitest'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { scopeText } from '../../../../renderer/src/features/templates/scope.ts'

const template = (more: Partial<ReportTemplate> = {}) =>
  ({
    modalities: [],
    sex: null,
    ageFrom: null,
    ageTo: null,
    keywords: [],
    ...more,
  }) as unknown as ReportTemplate

it.each([
  [{}, 'any study'],
  [{ modalities: ['CT', 'MR'] }, 'CT, MR'],
  [{ sex: 'female' as const, ageFrom: 18 }, 'women; from 18 years'],
  [{ ageTo: 17 }, 'to 17 years'],
  [{ ageFrom: 0, ageTo: 2 }, '0 to 2 years'],
  [{ modalities: ['CT'], keywords: ['thorax', 'chest'] }, 'CT; “thorax”, “chest”'],
])('says where %j is offered', (more, text) => {
  expect(scopeText(template(more))).toBe(text)
})
