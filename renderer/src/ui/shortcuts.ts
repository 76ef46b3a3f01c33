import { type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { t } from '../i18n/t.ts'
import {
  hasModifier,
  isCharacter,
  isFunctionKey,
  isModifier,
  isPressed,
  strokesOf,
} from './keys.ts'

/** A key of the window, the viewer or a table. All are registered here, and shown in the sheet. */
export interface Shortcut {
  /** `j`, `/`, `g s`, `mod+k`, `shift+s`: strokes one after another, `mod` is Ctrl or ⌘. */
  readonly keys: string
  /** Shortcuts of one name are one row of the sheet. */
  readonly name: string
  /** Without it, the element that has the focus hears the key itself, as the editor of reports. */
  readonly run?: () => void
  /** Also while a dialog is open. */
  readonly isEverywhere?: true
  /** It runs again while the key is held down. */
  readonly repeats?: true
}

/** Shortcuts of one group, as the sheet and the palette show them. */
export interface ShortcutGroup {
  readonly group: string
  readonly shortcuts: readonly Shortcut[]
}

interface Entry extends ShortcutGroup {
  shortcuts: readonly Shortcut[]
  /** It belongs to a dialog: what is behind one hears no keys. */
  isInDialog: boolean
  /** The element that must have the focus; without it, the whole page hears them. */
  readonly within?: RefObject<Element | null> | undefined
}

const SEQUENCE_TIMEOUT_MS = 1500
const INPUT_SELECTOR =
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="range"]), textarea, select, [contenteditable="true"]'
/**
 * They read letters themselves; and a panel with choices is no place to do something with a list
 * behind it.
 */
const KEY_CONSUMERS = '[role="menu"], [role="listbox"], [role="dialog"]:not([aria-modal="true"])'
const DIALOG_SELECTOR = '[role="dialog"][aria-modal="true"]'
/** Enter and Space press these. */
const PRESSABLE_SELECTOR = 'a, button, input, summary, video, [role="button"]'
/** Arrows, Home, End and the page keys move these. */
const ARROW_KEY_SELECTOR =
  'input[type="range"], input[type="radio"], [role="slider"], video, [data-scrolls]'
const MOVES = /^(Arrow\w+|Page(Up|Down)|Home|End)$/

const entries = new Set<Entry>()
const listeners = new Set<() => void>()
let shown: readonly ShortcutGroup[] = []
let pendingStroke: { readonly stroke: string; readonly at: number } | null = null
let areCharacterKeysAllowed = true

/** Those that can be pressed now, by group. What they do is that of the row that is current now. */
export function shortcutGroups(): readonly ShortcutGroup[] {
  const groups = new Map<string, Shortcut[]>()
  for (const { group, shortcuts } of entries)
    groups.set(group, [...(groups.get(group) ?? []), ...shortcuts])
  // What the present screen has comes before what every screen has.
  const general = [t('ui.shell.sheet.general'), t('ui.shell.sheet.goTo')]
  return [...groups]
    .map(([group, shortcuts]) => ({ group, shortcuts }))
    .toSorted((a, b) => general.indexOf(a.group) - general.indexOf(b.group))
}

function tell(): void {
  shown = shortcutGroups()
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The same for the sheet, which shows their names. */
export const useShortcutGroups = (): readonly ShortcutGroup[] =>
  useSyncExternalStore(subscribe, () => shown)

/** Switches keys that write a character off or on (WCAG 2.1.4). */
export function allowCharacterKeys(isAllowed: boolean): void {
  areCharacterKeysAllowed = isAllowed
}

/** Adds shortcuts. @returns what takes them away again */
export function registerShortcuts(entry: Entry): () => void {
  entries.add(entry)
  // The same listener once, however often it is added.
  document.addEventListener('keydown', pressShortcut)
  tell()
  return () => {
    entries.delete(entry)
    tell()
  }
}

/**
 * While the component is mounted; shown in the sheet (?) under `group` and offered by the palette.
 * Where text is typed only function keys and those with Ctrl or Alt are heard. Where two have the
 * same keys the one that was mounted last runs. `group` and `within` are those of the first render.
 */
export function useShortcuts(
  group: string,
  shortcuts: readonly Shortcut[],
  within?: RefObject<Element | null>,
): void {
  const entry = useRef<Entry>({ group, shortcuts, within, isInDialog: false }).current
  useLayoutEffect(() => {
    entry.shortcuts = shortcuts
  })
  useEffect(() => {
    entry.isInDialog = document.querySelector(DIALOG_SELECTOR) !== null
    return registerShortcuts(entry)
  }, [entry])
  const names = shortcuts.map(({ keys, name }) => `${keys} ${name}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sheet is told when a name changes, not when a function does
  useEffect(tell, [names])
}

/** What is heard where the focus is, the newest first. */
function heardAt(target: Element | null): readonly Shortcut[] {
  const isTyping = target?.closest(`${INPUT_SELECTOR}, ${KEY_CONSUMERS}`) != null
  const isDialogOpen = document.querySelector(DIALOG_SELECTOR) !== null
  return [...entries]
    .reverse()
    .filter(({ within }) => !within || within.current?.contains(target))
    .flatMap(({ isInDialog, shortcuts }) =>
      shortcuts.filter(({ isEverywhere }) => isEverywhere || isInDialog || !isDialogOpen),
    )
    .filter(({ keys, run }) => run && (hasModifier(keys) || isFunctionKey(keys) || !isTyping))
    .filter(({ keys }) => areCharacterKeysAllowed || !isCharacter(keys))
}

/** Whether the browser does something itself with a key on the element that has the focus. */
function isNative({ key, ctrlKey, metaKey }: KeyboardEvent, target: Element | null): boolean {
  if (key === 'Enter' || key === ' ')
    return !ctrlKey && !metaKey && target?.closest(PRESSABLE_SELECTOR) != null
  return MOVES.test(key) && target?.matches(ARROW_KEY_SELECTOR) === true
}

/** Runs the shortcut of a pressed key. */
export function pressShortcut(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event)) return
  const target = event.target instanceof Element ? event.target : null
  const before =
    pendingStroke && event.timeStamp - pendingStroke.at < SEQUENCE_TIMEOUT_MS
      ? pendingStroke.stroke
      : null
  pendingStroke = null
  if (isNative(event, target)) return
  const heard = heardAt(target).map((shortcut) => ({ shortcut, strokes: strokesOf(shortcut.keys) }))
  const now =
    heard.find(({ strokes: [a, b] }) => b !== undefined && a === before && isPressed(b, event)) ??
    heard.find(({ strokes: [a = '', b] }) => b === undefined && isPressed(a, event))
  if (now) {
    event.preventDefault()
    if (!event.repeat || now.shortcut.repeats) now.shortcut.run?.()
    return
  }
  const stroke = heard.find(({ strokes: [a = ''] }) => isPressed(a, event))?.strokes[0]
  if (stroke !== undefined) pendingStroke = { stroke, at: event.timeStamp }
}
