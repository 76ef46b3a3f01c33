import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete'
import { type EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { fieldAround, fieldBeside, type Span, shortcutBefore } from './fields.ts'

/** A piece of text that is put in where the caret is. */
export interface Macro {
  readonly shortcut: string | null
  readonly name: string
  /** Its variables are filled in. */
  readonly text: string
}

const textOf = (state: EditorState) => state.doc.toString()

/** Selects the field beside; a list of choices opens by itself. */
function goToField(
  view: EditorView,
  direction: 'next' | 'previous',
  selected: Span = view.state.selection.main,
): boolean {
  const field = fieldBeside(textOf(view.state), selected, direction)
  if (!field) return false
  view.dispatch({
    selection: { anchor: field.from, head: field.to },
    scrollIntoView: true,
    userEvent: 'select',
  })
  if (field.choices.length > 0) startCompletion(view)
  return true
}

/** Puts a text in place of a span, the caret on its first field, else behind it. */
export function replaceRange(view: EditorView, text: string, from: number, to: number): void {
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + text.length },
    scrollIntoView: true,
    userEvent: 'input.complete',
  })
  const first = fieldBeside(textOf(view.state), { from, to: from }, 'next')
  if (first && first.from >= from && first.to <= from + text.length)
    goToField(view, 'next', { from, to: from })
}

function expandShortcut(view: EditorView, macros: readonly Macro[]): boolean {
  const { main } = view.state.selection
  if (!main.empty || view.state.readOnly) return false
  const line = view.state.doc.lineAt(main.head)
  const found = shortcutBefore(line.text.slice(0, main.head - line.from), macros)
  if (!found) return false
  replaceRange(view, found.macro.text, line.from + found.at, main.head)
  return true
}

function suggestions(
  context: CompletionContext,
  macros: readonly Macro[],
): CompletionResult | null {
  const { state } = context
  if (state.readOnly || !context.explicit) return null
  const field = fieldAround(textOf(state), state.selection.main)
  if (field && field.choices.length > 0) {
    return {
      from: field.from,
      to: field.to,
      filter: false,
      options: field.choices.map((label) => ({ label, apply: chosen })),
    }
  }
  const word = context.matchBefore(/[\p{L}\p{N}_.-]*/u)
  // Behind a word that is no beginning of a macro the whole list is offered.
  const isMacroPrefix =
    word !== null &&
    macros.some(({ shortcut, name }) =>
      (shortcut ?? name).toLowerCase().startsWith(word.text.toLowerCase()),
    )
  const options = macros.map(
    ({ shortcut, name, text }): Completion => ({
      label: shortcut ?? name,
      ...(shortcut !== null && { detail: name }),
      info: text,
      apply: (view, _, from, to) => replaceRange(view, text, from, to),
    }),
  )
  return { from: isMacroPrefix ? word.from : context.pos, options }
}

function chosen(view: EditorView, { label }: Completion, from: number, to: number): void {
  view.dispatch({
    changes: { from, to, insert: label },
    selection: { anchor: from + label.length },
    userEvent: 'input.complete',
  })
  goToField(view, 'next')
}

/** One click on a field selects it: what is typed then takes its place. */
const clickedField = EditorView.domEventHandlers({
  click(event, view) {
    if (
      !(event.target instanceof Element) ||
      !event.target.closest('.cm-field') ||
      view.state.readOnly
    )
      return false
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
    const field = at === null ? undefined : fieldAround(textOf(view.state), { from: at, to: at })
    if (!field || !view.state.selection.main.empty) return false
    return goToField(view, 'next', { from: field.from, to: field.from })
  },
})

/**
 * Fields: F2 or F3, with Shift the one before. Macros: a shortcut and Tab, or Ctrl+. for their
 * list. Tab without a shortcut before it leaves the editor (WCAG 2.1.2). They edit text, so they are
 * a keymap of CodeMirror; the registry of shortcuts has them for the sheet alone (`EDITOR_KEYS`).
 */
export function reportKeys(macros: () => readonly Macro[]): Extension {
  return [
    autocompletion({
      activateOnTyping: false,
      icons: false,
      override: [(context) => suggestions(context, macros())],
    }),
    Prec.high(
      keymap.of([
        { key: 'Tab', run: (view) => expandShortcut(view, macros()) },
        { key: 'Mod-.', run: startCompletion, preventDefault: true },
        ...['F2', 'F3'].map((key) => ({
          key,
          run: (view: EditorView) => goToField(view, 'next'),
          shift: (view: EditorView) => goToField(view, 'previous'),
          preventDefault: true,
        })),
      ]),
    ),
    clickedField,
  ]
}
