import { ActionIcon, Tooltip } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { WINDOW_ID, warnBeforeUnload } from '../../api/window-drafts.ts'
import { t } from '../../i18n/t.ts'
import { viewOfStudy } from '../../ui/image-panel/study-view.ts'
import { useImages } from '../../ui/image-panel/use-images.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { AssignMenu } from '../../ui/study-list/assign-menu.tsx'
import { ReadingWorkspace } from './reading-workspace.tsx'
import css from './reports.module.css'

const route = getRouteApi('/shell/reading/$studyId')
warnBeforeUnload()

/**
 * Events say what changes, but for the draft that another window is writing, and its lock, which
 * may expire.
 */
const POLL_MS = 60_000
const POLL_WRITTEN_ELSEWHERE_MS = 10_000
const POLL_CUT_OFF_MS = 4000

/**
 * One study: what is known of the patient, the report as it is written, its images, and what became
 * of it.
 */
export function ReadingScreen() {
  const { studyId } = route.useParams()
  const { isOpen } = useEventStream()
  const userId = useSession().data?.user?.userId
  const reply = useReply(
    dashboardReports.read,
    { params: { studyId } as { studyId: Reading['studyId'] } },
    { every: (reading) => (isOpen ? openMs(reading) : POLL_CUT_OFF_MS), staleTime: 0 },
  )
  useEffect(() => {
    // No patient in the title: it is in the browser's history and on the task bar.
    document.title = `${t('ui.reports.screen.title')} · Isthmus`
  }, [])
  const reading = reply.data
  // What an earlier look left in the cache may be older than the draft is.
  if (reading && userId && reply.isFetchedAfterMount)
    return <OpenedReport key={studyId} reading={reading} userId={userId} />
  return (
    <div className={css.wait}>
      {reply.isError && reply.error.code === 'not-found' && (
        <EmptyState
          title={t('ui.reports.screen.gone')}
          action={<Link to="/reading">{t('ui.reports.screen.back')}</Link>}
          error={reply.error}
        >
          {t('ui.reports.screen.goneText')}
        </EmptyState>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {!reply.isError && <LoadingPlaceholder rows={8} height={40} />}
    </div>
  )
}

const openMs = (reading: Reading | undefined) =>
  reading?.lock && reading.lock.windowId !== WINDOW_ID ? POLL_WRITTEN_ELSEWHERE_MS : POLL_MS

function OpenedReport({ reading, userId }: { reading: Reading; userId: string }) {
  const { studyId } = reading
  const images = useImages(userId, studyId, () => viewOfStudy(userId, studyId), 'hidden')
  return (
    <ReadingWorkspace
      reading={reading}
      userId={userId}
      images={images}
      before={
        <Tooltip label={t('ui.reports.screen.back')}>
          <ActionIcon
            aria-label={t('ui.reports.screen.back')}
            renderRoot={(props) => <Link to="/reading" {...props} />}
          >
            <IconArrowLeft size={18} />
          </ActionIcon>
        </Tooltip>
      }
      aside={<AssignMenu study={{ ...reading, area: 'scribe' }} />}
    />
  )
}
