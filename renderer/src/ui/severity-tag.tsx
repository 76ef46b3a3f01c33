import type { Severity } from '#shared/contract/values.ts'
import type { Tone } from '../format/tones.ts'
import { t } from '../i18n/t.ts'
import { Tag } from './tone.tsx'

export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {
  stat: 'danger',
  high: 'warning',
  normal: 'plain',
}

/**
 * How urgent a study is, in text, shape and colour; nothing where it is not.
 * @param isLight for rows of a long list: the browser's own tooltip
 */
export function SeverityTag({
  severity,
  isLight = false,
}: {
  severity: Severity
  isLight?: boolean
}) {
  if (severity === 'normal') return null
  if (isLight) {
    return (
      <span title={t(`ui.study-list.severities.${severity}.description`)}>
        <Tag tone={SEVERITY_TONES[severity]}>{t(`ui.study-list.severities.${severity}.label`)}</Tag>
      </span>
    )
  }
  return (
    <Tag
      tone={SEVERITY_TONES[severity]}
      meaning={t(`ui.study-list.severities.${severity}.description`)}
    >
      {t(`ui.study-list.severities.${severity}.badge`)}
    </Tag>
  )
}
