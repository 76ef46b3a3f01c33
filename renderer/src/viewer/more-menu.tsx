import { Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { BarMenu } from './bar-menu.tsx'
import { HELP, run } from './commands.ts'
import { type Command, keyText } from './key-map.ts'
import { ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import {
  useActivePaneId,
  useImages,
  usePaneState,
  useViewerContext,
  useViewerState,
} from './viewer-context.ts'

/** What has no button of its own; where there is little room, also what has one elsewhere. */
export function MoreMenu({ hasAll }: { hasAll: boolean }) {
  const viewerContext = useViewerContext()
  const { media } = useImages()
  const isSmooth = usePaneState(useActivePaneId(), (state) => state.isSmooth)
  const hasLines = useViewerState((state) => state.hasLines)
  const hasOverlay = useViewerState((state) => state.hasOverlay)
  const isAnonymous = useViewerState((state) => state.isAnonymous)
  const chosen: Partial<Record<Command, boolean>> = {
    smooth: isSmooth,
    lines: hasLines,
    overlay: hasOverlay,
    anonymous: isAnonymous,
  }
  const item = (command: Command) => (
    <Menu.Item
      key={command}
      className={css.item ?? ''}
      data-chosen={chosen[command] || undefined}
      rightSection={<kbd className={css.key}>{keyText(command)}</kbd>}
      onClick={() => run(command, viewerContext)}
    >
      {t(`ui.viewer.commands.${command}`)}
    </Menu.Item>
  )
  const lists: readonly Command[] = [
    'priors',
    ...(media.length > 0 ? (['media'] as const) : []),
    'drawings',
    'captures',
    'faults',
  ]
  // Inside another page, that page ends the view.
  const isOwn = window.parent === window
  return (
    <BarMenu position="bottom-end">
      <Menu.Target>
        <ToolButton icon={IconDots} label={t('ui.viewer.toolbar.more')} />
      </Menu.Target>
      <Menu.Dropdown>
        {(['oneToOne', 'smooth', 'rotateBack', 'alone', 'elements'] as const).map(item)}
        <Menu.Divider />
        {item('secondWindow')}
        {item('anonymous')}
        {hasAll && (
          <>
            <Menu.Divider />
            {(['link', 'lines', 'overlay'] as const).map(item)}
            <Menu.Divider />
            {lists.map(item)}
            {item('sheet')}
          </>
        )}
        <Menu.Divider />
        <Menu.Item
          component="a"
          {...HELP}
          className={css.item ?? ''}
          rightSection={<kbd className={css.key}>{keyText('help')}</kbd>}
        >
          {t('ui.viewer.commands.help')}
        </Menu.Item>
        {isOwn && (
          <>
            <Menu.Divider />
            {item('close')}
          </>
        )}
      </Menu.Dropdown>
    </BarMenu>
  )
}
