import { Loader } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { t } from '../i18n/t.ts'
import { Card, ClosedView } from './closed.tsx'
import type { OpeningState } from './entrance.ts'
import css from './landing.module.css'

const Viewer = lazy(() => import('./viewer.tsx').then(({ Viewer }) => ({ default: Viewer })))

/**
 * From the link to the images: a plain page while it opens, and where it does not, one that says
 * why and what to do.
 */
export function LandingPage({
  opening,
  again,
}: {
  opening: Promise<OpeningState>
  again: () => Promise<OpeningState>
}) {
  const [awaited, setAwaited] = useState(opening)
  const [came, setCame] = useState<{
    readonly of: Promise<OpeningState>
    readonly opening: OpeningState
  }>()
  useEffect(() => {
    let isLeft = false
    void awaited.then((opening) => isLeft || setCame({ of: awaited, opening }))
    return () => {
      isLeft = true
    }
  }, [awaited])
  // Until the images are open; then `PatientBar` has the title.
  useEffect(() => {
    document.title = t('ui.viewer.landing.title')
  }, [])

  const now = came?.of === awaited ? came.opening : undefined
  if (now?.state === 'closed') return <ClosedView {...now} onRetry={() => setAwaited(again())} />
  if (now?.state !== 'open') return <OpeningNotice />
  return (
    <Suspense fallback={<OpeningNotice />}>
      <Viewer view={now.view} />
    </Suspense>
  )
}

function OpeningNotice() {
  return (
    <Card>
      <p className={css.opens} role="status">
        <Loader size="sm" />
        {t('ui.viewer.landing.opening')}
      </p>
    </Card>
  )
}
