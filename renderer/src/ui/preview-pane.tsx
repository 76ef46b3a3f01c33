import { ActionIcon, Tooltip } from '@mantine/core'
import { useLocalStorage, useMediaQuery } from '@mantine/hooks'
import { IconLayoutSidebarRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../i18n/t.ts'
import { Panel } from './page.tsx'
import css from './preview-pane.module.css'

/** Beside a list in a narrower window there is no room (preview-pane.module.css). */
const WIDE_WINDOW_QUERY = '(min-width: 1081px)'

export interface PreviewChoice {
  readonly isShown: boolean
  /** Whether the window is wide enough for it. */
  readonly hasRoom: boolean
  toggle(): void
}

/**
 * Whether a list shows more of its current row beside it, as a person last wanted it on this PC.
 * @param keptAt where the browser keeps the choice
 */
export function usePreviewChoice(keptAt: string): PreviewChoice {
  const hasRoom =
    useMediaQuery(WIDE_WINDOW_QUERY, undefined, { getInitialValueInEffect: false }) ?? true
  const [choice, setChoice] = useLocalStorage({
    key: keptAt,
    defaultValue: 'on',
    getInitialValueInEffect: false,
    serialize: String,
    deserialize: (value = 'on') => value,
  })
  const isChosen = choice !== 'off'
  return {
    isShown: isChosen && hasRoom,
    hasRoom,
    toggle: () => setChoice(isChosen ? 'off' : 'on'),
  }
}

/** Opens and closes the preview; absent where there is no room for it. */
export function PreviewButton({ choice }: { choice: PreviewChoice }) {
  if (!choice.hasRoom) return null
  const name = choice.isShown ? t('ui.common.preview.hide') : t('ui.common.preview.show')
  return (
    <Tooltip label={name}>
      <ActionIcon size="lg" aria-label={name} aria-pressed={choice.isShown} onClick={choice.toggle}>
        <IconLayoutSidebarRight size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  )
}

/** More of the current row of a list. @param children null: no row was chosen yet */
export function PreviewPane({ children }: { children: ReactNode | null }) {
  return (
    <Panel className={css.pane}>
      <section aria-label={t('ui.common.preview.label')}>
        {children ?? <p className={css.none}>{t('ui.common.preview.none')}</p>}
      </section>
    </Panel>
  )
}

/** A list with what is shown beside it. */
export function PreviewLayout({ side, children }: { side: ReactNode; children: ReactNode }) {
  return (
    <div className={css.body}>
      <div className={css.list}>{children}</div>
      {side && <aside className={css.side}>{side}</aside>}
    </div>
  )
}
