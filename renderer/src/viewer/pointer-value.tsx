import { type RefObject, useEffect, useState } from 'react'
import { t } from '../i18n/t.ts'
import type { Pane, ProbedValue } from './engine/pane.ts'
import css from './overlay.module.css'
import { useViewerState } from './viewer-context.ts'

/**
 * The pixel under the pointer and its value after the modality's rescale, such as `256, 400: 700 HU`.
 * @param place the element that the pane draws into
 */
export function PointerValue({
  pane,
  place,
}: {
  pane: Pane
  place: RefObject<HTMLElement | null>
}) {
  const hasOverlay = useViewerState((desk) => desk.hasOverlay)
  const probed = useProbedValue(pane, place, hasOverlay)
  if (!probed) return null
  const { column, row, value, stored, unit } = probed
  const values = value === null ? stored.join(' ') : `${Number(value.toPrecision(6))}`
  return (
    <span className={css.pointer} data-testid="pointer-value" aria-hidden="true">
      {t('ui.viewer.overlay.pointer', { column, row, value: unit ? `${values} ${unit}` : values })}
    </span>
  )
}

function useProbedValue(
  pane: Pane,
  place: RefObject<HTMLElement | null>,
  isWanted: boolean,
): ProbedValue | undefined {
  const [probed, setProbed] = useState<ProbedValue>()
  useEffect(() => {
    const element = place.current
    if (!element || !isWanted) return
    let at: readonly [number, number] | undefined
    let waiting: number | undefined
    const read = () => {
      waiting = undefined
      setProbed(at && pane.probeAt(...at))
    }
    // Many moves come between two pictures of the screen.
    const scheduleRead = () => {
      waiting ??= requestAnimationFrame(read)
    }
    const move = ({ clientX, clientY, pointerType }: PointerEvent) => {
      // A finger covers what it points to.
      if (pointerType === 'touch') return
      const { left, top } = element.getBoundingClientRect()
      at = [clientX - left, clientY - top]
      scheduleRead()
    }
    const leave = () => {
      at = undefined
      scheduleRead()
    }
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerleave', leave)
    const unsubscribe = pane.subscribe(scheduleRead)
    return () => {
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerleave', leave)
      unsubscribe()
      if (waiting !== undefined) cancelAnimationFrame(waiting)
      setProbed(undefined)
    }
  }, [pane, place, isWanted])
  return probed
}
