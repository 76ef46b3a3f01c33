import { Button, Loader, Title } from '@mantine/core'
import {
  type Icon,
  IconBrowserX,
  IconLinkOff,
  IconPhotoOff,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { said } from '../language/said.ts'
import { Mark } from '../shell/brand.tsx'
import type { Opening } from './entrance.ts'
import css from './landing.module.css'
import { words } from './words.ts'

const { landing: texts } = words
const Viewer = lazy(() => import('./viewer.tsx').then(({ Viewer }) => ({ default: Viewer })))

/**
 * From the link to the images: a plain page while it opens, and where it does not, one that says
 * why and what to do.
 */
export function Landing({
  opening,
  again,
}: {
  opening: Promise<Opening>
  again: () => Promise<Opening>
}) {
  const [awaited, setAwaited] = useState(opening)
  const [came, setCame] = useState<{ readonly of: Promise<Opening>; readonly opening: Opening }>()
  useEffect(() => {
    let isLeft = false
    void awaited.then((opening) => isLeft || setCame({ of: awaited, opening }))
    return () => {
      isLeft = true
    }
  }, [awaited])
  // No patient in the title: it is in the browser's history and on the task bar.
  useEffect(() => {
    document.title = texts.title
  }, [])

  const now = came?.of === awaited ? came.opening : undefined
  if (now?.state === 'closed') return <Closed {...now} onRetry={() => setAwaited(again())} />
  if (now?.state !== 'open') return <Opens />
  return (
    <Suspense fallback={<Opens />}>
      <Viewer view={now.view} />
    </Suspense>
  )
}

function Opens() {
  return (
    <Card>
      <p className={css.opens} role="status">
        <Loader size="sm" />
        {texts.opening}
      </p>
    </Card>
  )
}

type Why = Extract<Opening, { state: 'closed' }>['why']
const SHAPES: Readonly<Record<Why, Icon>> = {
  nothing: IconPhotoOff,
  link: IconLinkOff,
  view: IconPhotoOff,
  unreachable: IconPlugConnectedX,
  browser: IconBrowserX,
  broken: IconBrowserX,
}

/** Why there are no images here. Also of a view that has ended while it was open. */
export function Closed(props: {
  why: Extract<Opening, { state: 'closed' }>['why']
  sentence: string
  isFinal: boolean
  onRetry?: () => void
}) {
  const { why, sentence, isFinal, onRetry } = props
  const Shape = SHAPES[why]
  return (
    <Card>
      <div role="alert" className={css.closed}>
        <Shape size={30} stroke={1.5} className={css.shape ?? ''} aria-hidden />
        <Title order={1}>{texts.titles[why]}</Title>
        {why !== 'unreachable' && sentence && <p>{said(sentence)}</p>}
        {!said(sentence).includes(texts.remedies[why]) && (
          <p className={css.remedy}>{texts.remedies[why]}</p>
        )}
        {!isFinal && onRetry && (
          <Button leftSection={<IconRefresh size={16} />} onClick={onRetry}>
            {texts.retry}
          </Button>
        )}
      </div>
    </Card>
  )
}

function Card({ children }: { children: ReactNode }) {
  return (
    <main className={css.ground}>
      <div className={css.card}>
        <div className={css.brand}>
          <Mark size={26} />
          {texts.brand}
        </div>
        {children}
      </div>
    </main>
  )
}
