import {
  IconAlertOctagon,
  IconAlertTriangle,
  IconCircle,
  IconCircleCheck,
  IconInfoSquareRounded,
  type Icon as TablerIcon,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Tone } from '../format/tones.ts'
import css from './tone.module.css'
import { Tooltip } from './tooltip.tsx'

// A shape for each tone: ring, square, check, triangle, octagon. WCAG 1.4.1: colour is never the
// only sign. In a badge a bare octagon looks like the ring: it has a mark in it.
const SHAPES: Record<Tone, TablerIcon> = {
  plain: IconCircle,
  info: IconInfoSquareRounded,
  good: IconCircleCheck,
  warning: IconAlertTriangle,
  danger: IconAlertOctagon,
}

/** The shape and colour of a tone; decoration beside words. */
export function ToneIcon({ tone, size = 16 }: { tone: Tone; size?: number }) {
  const Shape = SHAPES[tone]
  return <Shape size={size} stroke={2} className={css.icon} data-tone={tone} aria-hidden />
}

/**
 * A short state with its shape; `meaning` explains it on hover. `isWrapped` lets it take two lines.
 */
export function Tag(props: {
  tone: Tone
  children: ReactNode
  meaning?: string
  isWrapped?: boolean
}) {
  const { tone, children, meaning, isWrapped } = props
  const tag = (
    <span className={`${css.tag} ${isWrapped ? css.wrapped : ''}`} data-tone={tone}>
      <ToneIcon tone={tone} size={13} />
      <span>{children}</span>
    </span>
  )
  return meaning ? <Tooltip label={meaning}>{tag}</Tooltip> : tag
}

/** A message in the page. */
export function Notice({
  tone,
  title,
  children,
  actions,
}: {
  tone: Tone
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className={css.notice} data-tone={tone} role={tone === 'danger' ? 'alert' : 'note'}>
      <ToneIcon tone={tone} size={19} />
      <div className={css.noticeBody}>
        {title && <div className={css.noticeTitle}>{title}</div>}
        {children}
      </div>
      {actions}
    </div>
  )
}
