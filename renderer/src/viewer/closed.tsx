import { Button, Title } from '@mantine/core'
import {
  type Icon,
  IconBrowserX,
  IconLinkOff,
  IconPhotoOff,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../i18n/t.ts'
import { Mark } from '../ui/brand.tsx'
import { ErrorReference } from '../ui/error-reference.tsx'
import type { OpeningState } from './entrance.ts'
import css from './landing.module.css'

type ClosedReason = Extract<OpeningState, { state: 'closed' }>['why']
const SHAPES: Readonly<Record<ClosedReason, Icon>> = {
  nothing: IconPhotoOff,
  link: IconLinkOff,
  view: IconPhotoOff,
  unreachable: IconPlugConnectedX,
  browser: IconBrowserX,
  broken: IconBrowserX,
}

/** Why there are no images here. Also of a view that has ended while it was open. */
export function ClosedView(props: {
  why: Extract<OpeningState, { state: 'closed' }>['why']
  /** In the language of the page. */
  sentence: string
  isFinal: boolean
  /** What was thrown, where that is known. */
  error?: unknown
  onRetry?: () => void
}) {
  const { why, sentence, isFinal, error, onRetry } = props
  const Shape = SHAPES[why]
  return (
    <Card>
      <div role="alert" className={css.closed}>
        <Shape size={30} stroke={1.5} className={css.shape ?? ''} aria-hidden />
        <Title order={1}>{t(`ui.viewer.landing.titles.${why}`)}</Title>
        {why !== 'unreachable' && sentence && <p>{sentence}</p>}
        {!sentence.includes(t(`ui.viewer.landing.remedies.${why}`)) && (
          <p className={css.remedy}>{t(`ui.viewer.landing.remedies.${why}`)}</p>
        )}
        {!isFinal && onRetry && (
          <Button leftSection={<IconRefresh size={16} />} onClick={onRetry}>
            {t('ui.viewer.landing.retry')}
          </Button>
        )}
        {why !== 'nothing' && <ErrorReference error={error} />}
      </div>
    </Card>
  )
}

export function Card({ children }: { children: ReactNode }) {
  return (
    // The page of a report shows the viewer beside its own main part.
    <main className={css.ground} aria-label={t('ui.viewer.landing.heading')}>
      <div className={css.card}>
        <div className={css.brand}>
          <Mark size={26} />
          {t('ui.viewer.landing.brand')}
        </div>
        {children}
      </div>
    </main>
  )
}
