import type { ReadingStudy } from '#shared/contract/reports.ts'
import { SeverityTag } from '../../ui/severity-tag.tsx'
import { StatusTags } from '../../ui/study-list/status-tags.tsx'

/** How urgent a study is and how far its report. */
export function StudyTags({
  study,
  hasStatus,
}: {
  study: Pick<ReadingStudy, 'severity' | 'status' | 'isCancelled' | 'isCritical'>
  hasStatus: boolean
}) {
  return (
    <>
      <SeverityTag severity={study.severity} />
      {hasStatus && <StatusTags study={study} />}
    </>
  )
}
