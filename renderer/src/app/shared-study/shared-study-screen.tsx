import { useIdle } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type View, viewing } from '#shared/contract/viewing.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { call, useReply } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { linkedViewId } from '../../api/shared-study.ts'
import { VIEW_ENDED } from '../../api/views.ts'
import { hasUnsavedDrafts, whenDraftsReleased } from '../../api/window-drafts.ts'
import { t } from '../../i18n/t.ts'
import { closeImagesWindow } from '../../ui/image-panel/held-window.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { showRefusal } from '../../ui/refused.ts'
import { SharedStudyHeader } from './header.tsx'
import { MessagePage } from './plain.tsx'
import css from './shared-study.module.css'
import { SharedStudy } from './shared-study.tsx'

const POLL_MS = 30_000
/**
 * The polls of an open page are signs of life to the gateway, so the page watches for use itself,
 * as the window does.
 */
const IDLE_MS = 30 * 60_000

type Step = 'open' | 'closing' | 'closed'

/**
 * The reading screen for who came by a link for viewing and dictation: one study, and nothing else
 * of the window.
 */
export function LinkedScreen() {
  const [step, setStep] = useState<Step>('open')
  const viewId = linkedViewId ?? ''
  const reply = useReply(
    viewing.read,
    { params: { viewId } },
    { enabled: step === 'open', every: POLL_MS, staleTime: 0 },
  )
  useEffect(() => {
    // No patient in the title: it is in the browser's history and on the task bar.
    document.title = `${t('ui.shared-study.title')} · Isthmus`
  }, [])
  const view = reply.data
  const mayDictate = view?.mayDictate ?? true
  useEffect(() => {
    if (!mayDictate) window.location.replace(viewPaths.page(viewId))
  }, [mayDictate, viewId])

  if (step === 'closed')
    return (
      <MessagePage title={t('ui.shared-study.closed')}>
        {t('ui.shared-study.closedText')}
      </MessagePage>
    )
  if (step === 'closing') return <ClosingView viewId={viewId} onEnd={setStep} />
  const hasEnded = reply.isError && VIEW_ENDED.includes(reply.error.code)
  if (hasEnded && !(view && hasUnsavedDrafts()))
    return <EndedNotice sentence={reply.error.message} />
  if (reply.isError && !view) {
    return (
      <main className={css.plain}>
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      </main>
    )
  }
  if (!view || !mayDictate) return <LoadingPlaceholder rows={8} height={40} />
  return (
    <Frame
      view={view}
      endedBecause={hasEnded ? reply.error.message : ''}
      onClose={() => setStep('closing')}
    />
  )
}

function Frame({
  view,
  endedBecause,
  onClose,
}: {
  view: View
  endedBecause: string
  onClose: () => void
}) {
  const session = useSession()
  const isIdle = useIdle(IDLE_MS, { initialState: false })
  useEffect(() => {
    if (isIdle) onClose()
  }, [isIdle, onClose])
  return (
    <div className={css.page}>
      <SharedStudyHeader
        name={view.user?.name ?? ''}
        clinicName={session.data?.clinicName ?? ''}
        onClose={onClose}
      />
      <main className={css.main}>
        {session.isError && !session.data && (
          <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />
        )}
        {session.isPending && <LoadingPlaceholder rows={8} height={40} />}
        {session.data?.user && (
          <SharedStudy view={view} userId={session.data.user.userId} endedBecause={endedBecause} />
        )}
      </main>
    </div>
  )
}

/** What is written is saved while the view is still open: without it nothing can be. */
function ClosingView({ viewId, onEnd }: { viewId: string; onEnd: (step: Step) => void }) {
  const client = useQueryClient()
  useEffect(() => {
    let isLeft = false
    const close = async () => {
      await whenDraftsReleased()
      if (isLeft) return
      if (hasUnsavedDrafts()) {
        showRefusal(t('ui.shared-study.notClosed'))
        return onEnd('open')
      }
      closeImagesWindow()
      await call(viewing.close, { params: { viewId } }).catch(() => undefined)
      // Nothing about the patient stays in the memory of the page.
      client.clear()
      onEnd('closed')
    }
    void close()
    return () => {
      isLeft = true
    }
  }, [viewId, client, onEnd])
  return <MessagePage title={t('ui.shared-study.closing')} />
}

function EndedNotice({ sentence }: { sentence: string }) {
  useEffect(closeImagesWindow, [])
  return <MessagePage title={t('ui.shared-study.ended')}>{sentence}</MessagePage>
}
