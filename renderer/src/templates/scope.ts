import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { t } from '../i18n/t.ts'
import { words } from './words.ts'

/** Where a template is offered, in words: `CT, MR; women; from 18 years; thorax, chest`. */
export function scopeText({ modalities, sex, ageFrom, ageTo, keywords }: ReportTemplate): string {
  const parts = [
    modalities.join(', '),
    sex === null ? '' : t(`ui.templates.sexes.${sex}`),
    ageFrom === null && ageTo === null ? '' : words.ages(ageFrom, ageTo),
    keywords.map((word) => t('ui.templates.quoted', { word })).join(', '),
  ]
  return parts.filter(Boolean).join('; ') || t('ui.templates.anyStudy')
}
