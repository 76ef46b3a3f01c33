import { ActionIcon, Title, Tooltip } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { CaptureList } from './capture-list.tsx'
import type { Drawer } from './desk.ts'
import { useBench, useDesk } from './desk-context.ts'
import { DrawingsList } from './drawings-list.tsx'
import { FaultsList } from './faults-list.tsx'
import { MediaList } from './media-list.tsx'
import { PriorsList } from './priors-list.tsx'
import css from './side.module.css'
import { words } from './words.ts'

const DRAWERS: Readonly<Record<Drawer, readonly [title: string, Body: ComponentType]>> = {
  priors: [words.priors.title, PriorsList],
  media: [words.media.title, MediaList],
  drawings: [words.drawings.title, DrawingsList],
  faults: [words.faults.title, FaultsList],
  captures: [words.capture.listTitle, CaptureList],
}

/** The list at the right. It lies beside the images, which stay in use. */
export function Side() {
  const { desk } = useBench()
  const drawer = useDesk((state) => state.drawer)
  if (drawer === null) return null
  const [title, Body] = DRAWERS[drawer]
  return (
    <aside className={css.side} aria-label={title} data-scrolls>
      <header className={css.head}>
        <Title order={2}>{title}</Title>
        <Tooltip label={words.toolbar.withKey(words.side.close, 'Esc')}>
          <ActionIcon
            size="md"
            aria-label={words.side.close}
            onClick={() => desk.set({ drawer: null })}
          >
            <IconX size={17} />
          </ActionIcon>
        </Tooltip>
      </header>
      <Body />
    </aside>
  )
}
