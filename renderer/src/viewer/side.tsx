import { ActionIcon, Title, Tooltip } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { t } from '../i18n/t.ts'
import { CaptureList } from './capture-list.tsx'
import { KeyObjectList } from './documents/key-object-list.tsx'
import { DrawingsList } from './drawings-list.tsx'
import { FaultsList } from './faults-list.tsx'
import { LayoutsList } from './layouts-list.tsx'
import { MediaList } from './media-list.tsx'
import { PriorsList } from './priors-list.tsx'
import css from './side.module.css'
import { useViewerContext, useViewerState } from './viewer-context.ts'
import type { Drawer } from './viewer-store.ts'

const DRAWERS: Readonly<Record<Drawer, readonly [title: string, Body: ComponentType]>> = {
  priors: [t('ui.viewer.priors.title'), PriorsList],
  layouts: [t('ui.viewer.layouts.title'), LayoutsList],
  media: [t('ui.viewer.media.title'), MediaList],
  keyImages: [t('ui.viewer.keyObjects.title'), KeyObjectList],
  drawings: [t('ui.viewer.drawings.title'), DrawingsList],
  faults: [t('ui.viewer.faults.title'), FaultsList],
  captures: [t('ui.viewer.capture.listTitle'), CaptureList],
}

/** The list at the right. It lies beside the images, which stay in use. */
export function ViewerSidebar() {
  const { viewerStore } = useViewerContext()
  const drawer = useViewerState((state) => state.drawer)
  if (drawer === null) return null
  const [title, Body] = DRAWERS[drawer]
  return (
    <aside className={css.side} aria-label={title} data-scrolls>
      <header className={css.head}>
        <Title order={2}>{title}</Title>
        <Tooltip
          label={t('ui.viewer.toolbar.withKey', { label: t('ui.viewer.side.close'), keys: 'Esc' })}
        >
          <ActionIcon
            size="md"
            aria-label={t('ui.viewer.side.close')}
            onClick={() => viewerStore.set({ drawer: null })}
          >
            <IconX size={17} />
          </ActionIcon>
        </Tooltip>
      </header>
      <Body />
    </aside>
  )
}
