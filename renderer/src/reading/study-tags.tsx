import type { ReadingStudy } from '#shared/contract/reports.ts'
import { Tag } from '../components/tone.tsx'
import { SEVERITY_TONES, STATUS_TONES } from './states.ts'
import { words } from './words.ts'

type Tagged = Pick<ReadingStudy, 'severity' | 'status' | 'isCancelled' | 'isCritical'>

/** How urgent a study is; nothing where it is not. */
export function SeverityTag({ severity }: Pick<Tagged, 'severity'>) {
  const [name, meaning] = words.severities[severity]
  if (severity === 'normal') return null
  return (
    <Tag tone={SEVERITY_TONES[severity]} meaning={meaning}>
      {name}
    </Tag>
  )
}

/** How far its report is. */
export function StatusTags({ study }: { study: Tagged }) {
  const [name, meaning] = words.statuses[study.status]
  return (
    <>
      <Tag tone={STATUS_TONES[study.status]} meaning={meaning}>
        {name}
      </Tag>
      {study.isCritical && (
        <Tag tone="danger" meaning={words.list.criticalMeaning}>
          {words.list.critical}
        </Tag>
      )}
      {study.isCancelled && (
        <Tag tone="warning" meaning={words.list.cancelledMeaning}>
          {words.list.cancelled}
        </Tag>
      )}
    </>
  )
}

/** Both. */
export function StudyTags({ study, hasStatus }: { study: Tagged; hasStatus: boolean }) {
  return (
    <>
      <SeverityTag severity={study.severity} />
      {hasStatus && <StatusTags study={study} />}
    </>
  )
}
