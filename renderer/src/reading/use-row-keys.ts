import { type RefObject, useEffect } from 'react'

const NONE: RowActions = {}
const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 }

/** What else a key does with the row that has the focus, named by its `data-row`. */
export type RowActions = Readonly<Record<string, (row: string) => void>>

/**
 * J and K move the focus from row to row of a list, so that Enter opens as it does for every link. The link of a row has `data-row`.
 * @param actions the same at every call
 */
export function useRowKeys(place: RefObject<HTMLElement | null>, actions: RowActions = NONE): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const step = STEPS[event.key]
      const act = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, [contenteditable], [role="dialog"], [role="menu"]')
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return
      const focused = document.activeElement
      if (act && focused instanceof HTMLElement && focused.dataset.row && place.current?.contains(focused)) act(focused.dataset.row)
      if (step === undefined) return
      const rows = [...(place.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
      const at = rows.indexOf(document.activeElement as HTMLElement)
      const next = at === -1 ? rows[0] : rows[at + step]
      if (!next) return
      event.preventDefault()
      next.focus()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [place, actions])
}
