import type { LintReport } from '#shared/contract/devices.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'

/** What a check of the rows comes to: the gravest thing first. */
export function verdictOf({
  rows,
  refused,
  findings,
}: Pick<LintReport, 'rows' | 'refused' | 'findings'>): {
  tone: Tone
  title: string
  text: string
} {
  const checked = t('ui.devices.checks.checked', {
    rows: t('ui.devices.checks.exams', { count: rows }),
  })
  if (rows === 0)
    return {
      tone: 'plain',
      title: t('ui.devices.checks.empty'),
      text: t('ui.devices.checks.emptyText'),
    }
  if (refused > 0)
    return {
      tone: 'danger',
      title: t('ui.devices.checks.refused', {
        rows: t('ui.devices.checks.exams', { count: refused }),
      }),
      text: `${t('ui.devices.checks.whole')} ${checked}`,
    }
  if (findings.length > 0)
    return { tone: 'warning', title: t('ui.devices.checks.altered'), text: checked }
  return { tone: 'good', title: t('ui.devices.checks.good'), text: checked }
}
