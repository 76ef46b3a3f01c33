import type { Severity } from '#shared/contract/values.ts'
import type { Tone } from '../display/tones.ts'
import { words } from '../lists/words.ts'
import { Tag } from './tone.tsx'

export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = { stat: 'danger', high: 'warning', normal: 'plain' }

/** How urgent a study is, in text, shape and colour; nothing where it is not. */
export function SeverityTag({ severity }: { severity: Severity }) {
  const [name, meaning] = words.severities[severity]
  if (severity === 'normal') return null
  return (
    <Tag tone={SEVERITY_TONES[severity]} meaning={meaning}>
      {name}
    </Tag>
  )
}
