import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { t } from '../../i18n/t.ts'

function agesText(from: number | null, to: number | null): string {
  if (from !== null && to !== null) return t('ui.templates.ages', { from, to })
  if (from !== null) return t('ui.templates.agesFrom', { from })
  return to === null ? '' : t('ui.templates.agesTo', { to })
}

/** Where a template is offered, in words: `CT, MR; women; from 18 years; thorax, chest`. */
export function scopeText({ modalities, sex, ageFrom, ageTo, keywords }: ReportTemplate): string {
  const parts = [
    modalities.join(', '),
    sex === null ? '' : t(`ui.templates.sexes.${sex}`),
    agesText(ageFrom, ageTo),
    keywords.map((word) => t('ui.templates.quoted', { word })).join(', '),
  ]
  return parts.filter(Boolean).join('; ') || t('ui.templates.anyStudy')
}
