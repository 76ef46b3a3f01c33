import type { ReactNode } from 'react'
import { numberText } from '../format/amounts.ts'
import css from './section-tabs.module.css'

/** The links between the lists of one screen. */
export const SectionTabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className={css.tabs} aria-label={label}>
    {children}
  </nav>
)

/** How many wait there; nothing where none do. */
export const TabCount = ({ of, tone }: { of: number; tone: 'warning' | 'danger' }) =>
  of > 0 && <span className={`${css.count} ${css[tone]}`}>{numberText(of)}</span>
