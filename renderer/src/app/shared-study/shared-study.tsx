import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { type View, viewing } from '#shared/contract/viewing.ts'
import { call, keyOf, useReply } from '../../api/queries.ts'
import { warnBeforeUnload } from '../../api/window-drafts.ts'
import { ReadingWorkspace } from '../../features/reports/reading-workspace.tsx'
import { t } from '../../i18n/t.ts'
import { useImages } from '../../ui/image-panel/use-images.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'

warnBeforeUnload()
/** There is no live line below a view. */
const POLL_MS = 5000

/** The study of the view, its images beside as the link promises. */
export function SharedStudy({
  view,
  userId,
  endedBecause,
}: {
  view: View
  userId: string
  endedBecause: string
}) {
  const client = useQueryClient()
  const reply = useReply(
    dashboardReports.read,
    { params: { studyId: view.studyId as Reading['studyId'] } },
    { every: endedBecause ? 60_000 : POLL_MS, staleTime: 0, enabled: view.studyId !== null },
  )
  const isRefused = reply.isError && reply.error.code !== 'unreachable'
  useEffect(() => {
    // The view may have ended: it is asked itself, and says why.
    if (isRefused) void client.invalidateQueries({ queryKey: keyOf(viewing.read) })
  }, [isRefused, client])
  const reading = reply.data
  if (reading && reply.isFetchedAfterMount)
    return <Opened reading={reading} view={view} userId={userId} endedBecause={endedBecause} />
  return reply.isError ? (
    <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  ) : (
    <LoadingPlaceholder rows={8} height={40} />
  )
}

interface OpenedProps {
  readonly reading: Reading
  readonly view: View
  readonly userId: string
  readonly endedBecause: string
}

function Opened({ reading, view: { viewId }, userId, endedBecause }: OpenedProps) {
  const images = useImages(
    userId,
    viewId,
    () => call(viewing.read, { params: { viewId } }),
    'beside',
  )
  return (
    <>
      {endedBecause && (
        <Notice tone="danger" title={t('ui.shared-study.ended')}>
          {endedBecause} {t('ui.shared-study.endedUnsaved')}
        </Notice>
      )}
      <ReadingWorkspace reading={reading} userId={userId} images={images} />
    </>
  )
}
