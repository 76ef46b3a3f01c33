import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state'
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { t, textsOf } from '../../i18n/t.ts'
import { withSpacing } from './dictated-text.ts'
import { type Macro, replaceRange, reportKeys } from './editor-keys.ts'
import { reportMarks } from './editor-marks.ts'
import { editorTheme } from './editor-theme.ts'

const PHRASES = textsOf(
  'ui.reports.editor.phrases',
  ...(['Find', 'Replace', 'next', 'previous', 'match case', 'by word'] as const),
  ...(['replace', 'replace all', 'close'] as const),
)

export interface EditorHandle {
  focus(): void
  /** Puts a text in place of what is selected. */
  insert(text: string): void
  /**
   * Puts a dictated text in place of what is selected, as one step to undo; false where the report
   * cannot be edited.
   */
  insertDictated(text: string): boolean
}

interface EditorProps {
  readonly handle: Ref<EditorHandle>
  readonly text: string
  /** The editor takes `text` when this changes; what it holds otherwise is what was typed. */
  readonly loads: number
  readonly isReadOnly: boolean
  readonly macros: readonly Macro[]
  readonly label: string
  readonly onChange: (text: string) => void
  /** The editor lost the focus. */
  readonly onLeave: () => void
}

/** Plain text with its headings and fill-in fields shown as such (CodeMirror 6). */
export function ReportEditor(props: EditorProps) {
  const { handle, text, loads, isReadOnly, label } = props
  const container = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const writable = useRef(new Compartment())
  // The editor is made once; what it calls is read when it calls.
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    if (!container.current) return
    const { current: now } = latest
    const view = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: now.text,
        extensions: [
          history(),
          drawSelection({
            cursorBlinkRate: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 1200,
          }),
          EditorView.lineWrapping,
          search({ top: true }),
          EditorState.phrases.of(PHRASES),
          highlightSelectionMatches(),
          placeholder(t('ui.reports.editor.placeholder')),
          reportMarks,
          reportKeys(() => latest.current.macros),
          // F3 leads to the next field here, Ctrl+Enter signs, and Ctrl+Shift+D, which with Caps
          // Lock reads as Ctrl+D, dictates.
          keymap.of([
            ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
            ...historyKeymap,
            ...searchKeymap.filter(({ key }) => key !== 'F3' && key !== 'Mod-d'),
          ]),
          editorTheme,
          writable.current.of(editabilityExtension(now)),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (docChanged && !transactions.every((one) => one.annotation(Transaction.remote)))
              latest.current.onChange(state.doc.toString())
          }),
          EditorView.domEventHandlers({ blur: () => latest.current.onLeave() }),
        ],
      }),
    })
    editor.current = view
    return () => {
      editor.current = null
      view.destroy()
    }
  }, [])

  useEffect(() => {
    editor.current?.dispatch({
      effects: writable.current.reconfigure(editabilityExtension({ isReadOnly, label })),
    })
  }, [isReadOnly, label])

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a load replaces what was typed
  useEffect(() => {
    const view = editor.current
    if (!view || view.state.doc.toString() === text) return
    const changes = { from: 0, to: view.state.doc.length, insert: text }
    view.dispatch({
      changes,
      annotations: Transaction.remote.of(true),
      selection: { anchor: 0 },
      scrollIntoView: true,
    })
  }, [loads])

  useImperativeHandle(handle, () => ({
    focus: () => editor.current?.focus(),
    insert(added) {
      const view = editor.current
      if (!view || view.state.readOnly) return
      const { from, to } = view.state.selection.main
      replaceRange(view, added, from, to)
      view.focus()
    },
    insertDictated(added) {
      const view = editor.current
      if (!view || view.state.readOnly) return false
      const { from, to } = view.state.selection.main
      const spacedText = withSpacing(view.state.sliceDoc(0, from), added, view.state.sliceDoc(to))
      view.dispatch({
        changes: { from, to, insert: spacedText },
        selection: { anchor: from + spacedText.length },
        annotations: isolateHistory.of('full'),
        scrollIntoView: true,
        userEvent: 'input.dictate',
      })
      view.focus()
      return true
    },
  }))
  return <div ref={container} style={{ display: 'contents' }} />
}

const editabilityExtension = ({
  isReadOnly,
  label,
}: Pick<EditorProps, 'isReadOnly' | 'label'>): Extension => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-readonly': String(isReadOnly),
    // Spelling services of a browser may send the text elsewhere.
    ...{ spellcheck: 'false', autocorrect: 'off', 'data-gramm': 'false' },
  }),
]
