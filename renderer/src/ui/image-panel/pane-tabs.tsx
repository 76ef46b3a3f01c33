import type { KeyboardEvent, ReactNode } from 'react'
import { t } from '../../i18n/t.ts'
import css from './image-panel.module.css'

const PANES = ['report', 'context', 'signed'] as const
export type PaneName = (typeof PANES)[number]

const KEY_STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }
const tabId = (id: string, pane: PaneName) => `${id}-${pane}-tab`
const paneId = (id: string, pane: PaneName) => `${id}-${pane}`

/** Beside the images the parts of the report are behind each other (ARIA: tabs). */
export function PaneTabs(props: {
  id: string
  chosen: PaneName
  counts: Partial<Record<PaneName, number>>
  onChoose: (pane: PaneName) => void
}) {
  const { id, chosen, counts, onChoose } = props
  const step = (event: KeyboardEvent) => {
    const to =
      PANES[(PANES.indexOf(chosen) + (KEY_STEPS[event.key] ?? 0) + PANES.length) % PANES.length]
    if (!KEY_STEPS[event.key] || !to) return
    event.preventDefault()
    onChoose(to)
    document.getElementById(tabId(id, to))?.focus()
  }
  return (
    <div role="tablist" aria-label={t('ui.image-panel.tabs.label')} className={css.tabs}>
      {PANES.map((pane) => (
        <button
          key={pane}
          type="button"
          role="tab"
          id={tabId(id, pane)}
          aria-controls={paneId(id, pane)}
          aria-selected={pane === chosen}
          tabIndex={pane === chosen ? 0 : -1}
          onClick={() => onChoose(pane)}
          onKeyDown={step}
        >
          {t(`ui.image-panel.tabs.${pane}`)}
          {Boolean(counts[pane]) && <span className={css.count}>{counts[pane]}</span>}
        </button>
      ))}
    </div>
  )
}

/**
 * A part of the report: a column, or behind its tab. It stays where it is in the tree, so that
 * nothing that is written is begun anew.
 */
export function Pane(props: {
  id: string
  name: PaneName
  chosen: PaneName | null
  className: string | undefined
  children: ReactNode
}) {
  const { id, name, chosen, className, children } = props
  const isTab = chosen !== null
  return (
    <div
      className={className}
      id={paneId(id, name)}
      {...(isTab && {
        role: 'tabpanel',
        'aria-labelledby': tabId(id, name),
        hidden: chosen !== name,
      })}
    >
      {children}
    </div>
  )
}
