import { Menu } from '@mantine/core'
import { IconChevronDown, IconLink, IconLinkOff } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { BarMenu } from './bar-menu.tsx'
import { keyText } from './key-map.ts'
import { ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import { useViewerContext, useViewerState } from './viewer-context.ts'
import { LINK_MODES } from './viewer-store.ts'

/** How panes follow the active one when it is scrolled. */
export function LinkMenu() {
  const { viewerStore } = useViewerContext()
  const link = useViewerState((state) => state.link)
  return (
    <BarMenu>
      <Menu.Target>
        <ToolButton
          icon={link === 'off' ? IconLinkOff : IconLink}
          label={t('ui.viewer.link.label')}
          keys={keyText('link')}
          isOn={link !== 'off'}
        >
          <IconChevronDown size={11} aria-hidden />
        </ToolButton>
      </Menu.Target>
      <Menu.Dropdown>
        {LINK_MODES.map((one) => (
          <Menu.Item
            key={one}
            className={css.item ?? ''}
            data-chosen={one === link || undefined}
            onClick={() => viewerStore.set({ link: one })}
          >
            {t(`ui.viewer.link.${one}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </BarMenu>
  )
}
