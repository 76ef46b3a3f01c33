import type { Severity } from '#shared/contract/values.ts'
import type { Tone } from '../display/tones.ts'
import { words } from '../lists/words.ts'
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
  const [name, meaning] = words.severities[severity]
  if (severity === 'normal') return null
  if (isLight) {
    return (
      <span title={meaning}>
        <Tag tone={SEVERITY_TONES[severity]}>{name}</Tag>
      </span>
    )
  }
  return (
    <Tag tone={SEVERITY_TONES[severity]} meaning={meaning}>
      {name}
    </Tag>
  )
}
