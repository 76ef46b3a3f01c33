import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { isForInputsToo, isModifier, isPressed, strokesOf } from './keys.ts'
import { STEPS } from './row-steps.ts'

export interface Shortcut {
  /** `j`, `/`, `g s`, `mod+k`, `shift+?`: strokes one after another, `mod` is Ctrl or ⌘. */
  readonly keys: string
  readonly name: string
  readonly run: () => void
  /** Also while a dialog is open. */
  readonly isEverywhere?: true
}

interface Entry {
  readonly group: string
  shortcuts: readonly Shortcut[]
  /** It belongs to a dialog: what is behind one hears no keys. */
  readonly isInDialog: boolean
}

/** Shortcuts of one group, as the sheet and the palette show them. */
export interface ShortcutGroup {
  readonly group: string
  readonly shortcuts: readonly Shortcut[]
}

const SEQUENCE_MS = 1500
const INPUTS =
  'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable="true"]'
/**
 * They read letters themselves; and a panel with choices is no place to do something with a list
 * behind it.
 */
const READERS = '[role="menu"], [role="listbox"], [role="dialog"]:not([aria-modal="true"])'
const DIALOG = '[role="dialog"][aria-modal="true"]'

const entries = new Set<Entry>()
const listeners = new Set<() => void>()
let shown: readonly ShortcutGroup[] = []
let begun: { readonly stroke: string; readonly at: number } | null = null

function tell(): void {
  const groups = new Map<string, Shortcut[]>()
  for (const { group, shortcuts } of entries)
    groups.set(group, [...(groups.get(group) ?? []), ...shortcuts])
  shown = [...groups].map(([group, shortcuts]) => ({ group, shortcuts }))
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Those that can be pressed now, by group. */
export const useShortcutGroups = (): readonly ShortcutGroup[] =>
  useSyncExternalStore(subscribe, () => shown)

/**
 * While the component is mounted; shown in the sheet (?) under `group` and offered by the palette.
 * Not while an input has the focus, except with Ctrl or Alt, and Escape. Where two have the same
 * keys the one that was mounted last runs.
 */
export function useShortcuts(group: string, shortcuts: readonly Shortcut[]): void {
  const held = useRef<Entry | null>(null)
  const names = shortcuts.map(({ keys, name }) => `${keys} ${name}`).join('\n')
  const latest = useRef(shortcuts)
  useLayoutEffect(() => {
    latest.current = shortcuts
    if (held.current) held.current.shortcuts = shortcuts
  })
  useEffect(() => {
    const entry: Entry = {
      group,
      shortcuts: latest.current,
      isInDialog: document.querySelector(DIALOG) !== null,
    }
    held.current = entry
    entries.add(entry)
    listen()
    return () => {
      held.current = null
      entries.delete(entry)
      tell()
    }
  }, [group])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sheet is told when a name changes, not when a function does
  useEffect(tell, [group, names])
}

let isListening = false
function listen(): void {
  if (isListening) return
  isListening = true
  document.addEventListener('keydown', press)
}

/**
 * Whether the next stroke may be the second of a sequence, so that it is nobody else's. @param at
 * `timeStamp` of its event
 */
export const isSequenceBegun = (at: number): boolean =>
  begun !== null && at - begun.at < SEQUENCE_MS

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event)) return
  const target = event.target instanceof Element ? event.target : null
  const isTyped = target?.closest(INPUTS) != null
  const isRead = target?.closest(READERS) != null
  // Enter and space press what has the focus.
  const isNative =
    (event.key === 'Enter' || event.key === ' ') &&
    target?.closest('a, button, summary, [role="button"]') != null
  const before = begun && isSequenceBegun(event.timeStamp) ? begun.stroke : null
  begun = null
  if (isNative) return
  const isDialogOpen = document.querySelector(DIALOG) !== null
  const heard = [...entries]
    .reverse()
    .flatMap(({ isInDialog, shortcuts }) =>
      shortcuts.filter(({ isEverywhere }) => isEverywhere || isInDialog || !isDialogOpen),
    )
    .filter(({ keys }) => !(isTyped || isRead) || isForInputsToo(keys))
  const isNow = ({ keys }: Shortcut) => {
    const [first = '', second] = strokesOf(keys)
    return second === undefined
      ? before === null && isPressed(first, event)
      : first === before && isPressed(second, event)
  }
  const isBegin = ({ keys }: Shortcut) =>
    strokesOf(keys).length > 1 && isPressed(strokesOf(keys)[0] ?? '', event)
  const now =
    heard.find(isNow) ??
    heard.find(({ keys }) => strokesOf(keys).length === 1 && isPressed(keys, event))
  if (now) {
    event.preventDefault()
    // A key that is held down does once what it does; only steps go on.
    if (!event.repeat || STEPS[event.key]) now.run()
    return
  }
  const begins = heard.find(isBegin)
  if (begins) begun = { stroke: strokesOf(begins.keys)[0] ?? '', at: event.timeStamp }
}
