import { EditorView } from '@codemirror/view'

/** The editor in the window's own colours, which follow the light and the dark scheme. */
export const editorTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--mantine-color-text)', backgroundColor: 'var(--panel)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '15px',
    lineHeight: '1.62',
    padding: '14px 0 40px',
  },
  '.cm-content': {
    maxWidth: '78ch',
    width: '100%',
    margin: '0 auto',
    padding: '0 20px',
    caretColor: 'var(--mantine-color-text)',
  },
  '.cm-line': { padding: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    {
      background: 'var(--selection)',
    },
  '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
  '.cm-section': { paddingTop: '10px' },
  '.cm-heading': { fontWeight: '660', color: 'var(--tone-info-text)', letterSpacing: '0.01em' },
  '.cm-field': {
    // Seen through, so that a field that is selected looks so.
    background: 'color-mix(in srgb, var(--tone-warning-text) 13%, transparent)',
    color: 'var(--tone-warning-text)',
    borderRadius: '3px',
    boxShadow: '0 0 0 1px color-mix(in srgb, var(--tone-warning-text) 40%, transparent)',
    cursor: 'pointer',
  },
  '.cm-choice': {
    background: 'color-mix(in srgb, var(--tone-info-text) 13%, transparent)',
    color: 'var(--tone-info-text)',
  },
  '.cm-searchMatch': {
    background: 'var(--tone-warning-soft)',
    outline: '1px solid var(--tone-warning-text)',
  },
  '.cm-searchMatch-selected': { background: 'var(--nav-active)' },
  '.cm-selectionMatch': { background: 'var(--tone-plain-soft)' },
  '.cm-panels': {
    background: 'var(--nav)',
    color: 'var(--mantine-color-text)',
    fontFamily: 'var(--mantine-font-family)',
  },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield, .cm-button': {
    ...{
      border: '1px solid var(--mantine-color-default-border)',
      borderRadius: '5px',
      fontSize: '13px',
    },
    ...{ background: 'var(--panel)', backgroundImage: 'none', color: 'inherit' },
  },
  '.cm-panel.cm-search label': { fontSize: '13px' },
  // Patterns are for programmers.
  '.cm-panel.cm-search label:has([name=re]), .cm-panel.cm-search [name=select]': {
    display: 'none',
  },
  '.cm-panel.cm-search [name=close]': { color: 'inherit' },
  '.cm-tooltip': {
    ...{
      background: 'var(--panel)',
      color: 'var(--mantine-color-text)',
      border: '1px solid var(--line)',
    },
    ...{ borderRadius: '7px', boxShadow: 'var(--mantine-shadow-md)', overflow: 'hidden' },
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '14px',
    maxHeight: '16em',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '5px 12px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--nav-active)',
    color: 'var(--nav-active-text)',
  },
  '.cm-completionDetail': {
    fontStyle: 'normal',
    color: 'inherit',
    opacity: '0.85',
    marginLeft: '12px',
  },
  '.cm-tooltip.cm-completionInfo': {
    padding: '8px 12px',
    maxWidth: '380px',
    whiteSpace: 'pre-wrap',
    fontSize: '13px',
  },
})
