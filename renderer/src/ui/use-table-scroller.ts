import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Of a window in which a table can fill the screen below its filters (`theme.css` has it too). */
const TALL_WINDOW_QUERY = '(min-height: 641px)'
/** Pixels from which a table counts as scrolled down. */
const SCROLLED_DOWN_PX = 8

export interface TableScroller {
  /** The table itself, or what it is in: the screen, a dialog. */
  readonly element: RefObject<HTMLElement | null>
  /** Pixels within it above the first row. */
  readonly above: number
  /** The table scrolls by itself. */
  readonly isOwn: boolean
}

/**
 * What scrolls the rows of a table. A table that fills its screen scrolls by itself where the
 * window is high enough; every other one with the screen or the dialog that it is in, because one
 * thing that scrolls within another is hard to use.
 */
export function useTableScroller(
  table: RefObject<HTMLElement | null>,
  isFilling: boolean,
): TableScroller {
  const isHigh = useMediaQuery(TALL_WINDOW_QUERY, true, { getInitialValueInEffect: false })
  const isOwn = isFilling && isHigh
  const element = useRef<HTMLElement | null>(null)
  const [above, setAbove] = useState(0)
  const aboveNow = useRef(0)
  // After each drawing: what is above the table may have become higher.
  useLayoutEffect(() => {
    const own = table.current
    if (!own) return
    element.current = isOwn ? own : scrollerOf(own)
    const rows = own.querySelector('[data-rows]') ?? own
    const now = isOwn ? 0 : Math.round(distance(rows, element.current))
    // Set only where it differs: setting the same value draws again too, and that without end.
    if (Math.abs(now - aboveNow.current) < 2) return
    aboveNow.current = now
    setAbove(now)
  })
  return { element, above, isOwn }
}

const distance = (inner: Element, scroller: Element): number =>
  inner.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop

function scrollerOf(element: HTMLElement): HTMLElement {
  for (let above = element.parentElement; above; above = above.parentElement)
    if (/auto|scroll/.test(getComputedStyle(above).overflowY)) return above
  return document.documentElement
}

/** Tells whether the rows are scrolled down, each time that changes. */
export function useScrolledDown(
  { element, isOwn }: TableScroller,
  onScrolled: ((isDown: boolean) => void) | undefined,
): void {
  const held = useRef(onScrolled)
  held.current = onScrolled
  // biome-ignore lint/correctness/useExhaustiveDependencies: `isOwn` says which element it is
  useEffect(() => {
    const scroller = element.current
    if (!scroller) return
    let wasDown = false
    const checkPosition = () => {
      const isDown = scroller.scrollTop > SCROLLED_DOWN_PX
      if (isDown !== wasDown) held.current?.(isDown)
      wasDown = isDown
    }
    scroller.addEventListener('scroll', checkPosition, { passive: true })
    return () => scroller.removeEventListener('scroll', checkPosition)
  }, [element, isOwn])
}
