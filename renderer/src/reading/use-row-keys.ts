import { type RefObject, useEffect } from 'react'

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 }

/** J and K move the focus from row to row of a list, so that Enter opens as it does for every link. The link of a row has `data-row`. */
export function useRowKeys(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const step = STEPS[event.key]
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, [contenteditable], [role="dialog"], [role="menu"]')
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
      const rows = [...(place.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
      const at = rows.indexOf(document.activeElement as HTMLElement)
      const next = at === -1 ? rows[0] : rows[at + step]
      if (!next) return
      event.preventDefault()
      next.focus()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [place])
}
