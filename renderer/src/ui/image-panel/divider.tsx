import { type PointerEvent, useState } from 'react'
import { t } from '../../i18n/t.ts'
import css from './image-panel.module.css'
import { IMAGE_WIDTH_PERCENT, shareAfter, shareAt } from './split.ts'

/**
 * Splits the width between the images and the report, by pointer or by keys (ARIA: window
 * splitter).
 */
export function Divider({
  share,
  paneId,
  onSplit,
}: {
  share: number
  paneId: string
  onSplit: (share: number) => void
}) {
  const [isDragged, setIsDragged] = useState(false)
  const drag = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.parentElement?.getBoundingClientRect()
    if (isDragged && box) onSplit(shareAt(event.clientX, box.left, box.width))
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> takes no focus and has no value
    <div
      role="separator"
      className={css.divider}
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('ui.image-panel.split')}
      aria-controls={paneId}
      aria-valuenow={share}
      aria-valuemin={IMAGE_WIDTH_PERCENT.least}
      aria-valuemax={IMAGE_WIDTH_PERCENT.most}
      data-dragged={isDragged || undefined}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.focus()
        event.currentTarget.setPointerCapture(event.pointerId)
        setIsDragged(true)
      }}
      onPointerMove={drag}
      onLostPointerCapture={() => setIsDragged(false)}
      onDoubleClick={() => onSplit(IMAGE_WIDTH_PERCENT.initial)}
      onKeyDown={(event) => {
        const to = shareAfter(share, event.key, event.shiftKey)
        if (to === undefined) return
        event.preventDefault()
        onSplit(to)
      }}
    />
  )
}
