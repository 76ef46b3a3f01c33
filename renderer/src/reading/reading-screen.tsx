import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { may } from '#shared/lifecycle.ts'
import { Empty, Failed, Waiting } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { useReply } from '../gateway.ts'
import { useLive } from '../live.ts'
import { useSession } from '../session.ts'
import { AssignMenu } from './assign-menu.tsx'
import { ContextPane } from './context-pane.tsx'
import type { EditorHandle } from './editor.tsx'
import { PatientBanner } from './patient-banner.tsx'
import { PriorsPane } from './priors-pane.tsx'
import css from './reading.module.css'
import { SignedPane } from './signed-pane.tsx'
import { ReportText, SignedTexts } from './signed-text.tsx'
import { warnBeforeUnload } from './window-drafts.ts'
import { words } from './words.ts'
import { Writing } from './writing.tsx'

const route = getRouteApi('/shell/reading/$studyId')
warnBeforeUnload()

/** What may change of itself: locks, drafts of other windows, deliveries. */
const POLL_MS = 10_000
const POLL_CUT_OFF_MS = 4000

/** One study: what is known of the patient, the report as it is written, and what became of it. */
export function ReadingScreen() {
  const { studyId } = route.useParams()
  const { isOpen } = useLive()
  const userId = useSession().data?.user?.userId
  const reply = useReply(
    dashboardReports.read,
    { params: { studyId } as { studyId: Reading['studyId'] } },
    { every: isOpen ? POLL_MS : POLL_CUT_OFF_MS, staleTime: 0 },
  )
  useEffect(() => {
    // No patient in the title: it is in the browser's history and on the task bar.
    document.title = `${words.screen.title} · Isthmus`
  }, [])
  const reading = reply.data
  // What an earlier look left in the cache may be older than the draft is.
  if (reading && userId && reply.isFetchedAfterMount) return <Opened key={studyId} reading={reading} userId={userId} />
  return (
    <div className={css.wait}>
      {reply.isError && reply.error.code === 'not-found' && (
        <Empty title={words.screen.gone} action={<Link to="/reading">{words.screen.back}</Link>}>
          {words.screen.goneText}
        </Empty>
      )}
      {reply.isError && reply.error.code !== 'not-found' && <Failed error={reply.error} onRetry={() => void reply.refetch()} />}
      {!reply.isError && <Waiting rows={8} height={40} />}
    </div>
  )
}

function Opened({ reading, userId }: { reading: Reading; userId: string }) {
  const editor = useRef<EditorHandle>(null)
  const signed = reading.reports.filter(({ status }) => status === 'completed')
  const me = useSession().data?.user
  // Somebody else's, too: it can be taken over.
  const isWritten = reading.status !== 'completed' && !reading.isCancelled && Boolean(me && may(me, 'writeReports'))
  const insert = isWritten && reading.mayWrite ? (text: string) => editor.current?.insert(text) : null
  return (
    <div className={css.screen}>
      <PatientBanner
        study={reading}
        before={
          <Tooltip label={words.screen.back}>
            <ActionIcon aria-label={words.screen.back} renderRoot={(props) => <Link to="/reading" {...props} />}>
              <IconArrowLeft size={18} />
            </ActionIcon>
          </Tooltip>
        }
        aside={<AssignMenu study={reading} />}
      />
      <div className={css.panes}>
        <div className={css.left}>
          <ContextPane reading={reading} onInsert={insert} />
          <PriorsPane priors={reading.priors} onInsert={insert} />
        </div>
        {isWritten ? (
          // Another one is written after each signature.
          <Writing key={signed.length} reading={reading} userId={userId} editor={editor} />
        ) : (
          <ReadOnly reading={reading} />
        )}
        <div className={css.right}>
          <SignedPane reading={reading} />
        </div>
      </div>
    </div>
  )
}

/** For whoever may not write now: what is signed, else the draft as it is. */
function ReadOnly({ reading }: { reading: Reading }) {
  const { draft, whyNot, status } = reading
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
    <section className={`${css.centre} ${css.scrolls}`} aria-label={words.editor.label} tabIndex={0}>
      {status !== 'completed' && whyNot && <Notice tone="plain">{whyNot}</Notice>}
      <SignedTexts reports={reading.reports} />
      {draft && draft.text !== '' && (
        <article className={css.signedText} aria-label={words.statuses.in_progress[0]}>
          <header>
            <h2 className={css.signedTitle}>{draft.isAddendum ? words.editor.addendum : words.statuses.in_progress[0]}</h2>
            <Text fz="sm" c="dimmed">
              {draft.savedBy.name}
            </Text>
          </header>
          <ReportText text={draft.text} />
        </article>
      )}
    </section>
  )
}
