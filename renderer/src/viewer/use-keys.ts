import { useEffect } from 'react'
import { run } from './commands.ts'
import { useBench } from './desk-context.ts'
import { commandOf } from './key-map.ts'

const TYPING =
  'input:not([type="range"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]'
/** Where these keys do what they do everywhere. */
const ON_CONTROLS: ReadonlySet<string> = new Set([' ', 'Enter'])
const ON_SLIDERS: ReadonlySet<string> = new Set([
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Home',
  'End',
  'PageUp',
  'PageDown',
])

/**
 * Keys of the whole page. The frame that has the focus gets them: a report beside keeps its own.
 */
export function useKeys(): void {
  const { desk, engine, list } = useBench()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const at = event.target instanceof Element ? event.target : null
      if (at?.closest(TYPING)) return
      // Cornerstone takes every key of its element, even Tab, which then would not lead out of it
      // (WCAG 2.1.2).
      if (at?.closest('[data-pane]')) event.stopPropagation()
      if (ON_CONTROLS.has(event.key) && at?.closest('button, a, summary, video')) return
      if (ON_SLIDERS.has(event.key) && at?.matches('[role="slider"], input, video, [data-scrolls]'))
        return
      const command = commandOf(event, desk.state().hasLetterKeys)
      if (!command) return
      event.preventDefault()
      run(command, { desk, engine, list })
    }
    window.addEventListener('keydown', listen, true)
    return () => window.removeEventListener('keydown', listen, true)
  }, [desk, engine, list])
}
