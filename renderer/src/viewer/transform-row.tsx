import { Menu } from '@mantine/core'
import {
  IconArrowAutofitContent,
  IconChevronDown,
  IconContrast,
  IconFlipHorizontal,
  IconFlipVertical,
  IconRefresh,
  IconRotate2,
  IconRotateClockwise2,
} from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { BarMenu } from './bar-menu.tsx'
import { run } from './commands.ts'
import { type Command, keyText } from './key-map.ts'
import { CommandButton, ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import { useActivePaneId, usePaneState, useViewerContext } from './viewer-context.ts'

const TRANSFORMS = [
  ['rotate', IconRotateClockwise2],
  ['flipHorizontally', IconFlipVertical],
  ['flipVertically', IconFlipHorizontal],
  ['invert', IconContrast],
  ['fit', IconArrowAutofitContent],
  ['reset', IconRefresh],
] as const satisfies readonly (readonly [Command, unknown])[]

/** Turning, mirroring, inverting, and back. */
export function TransformRow() {
  const paneId = useActivePaneId()
  const isInverted = usePaneState(paneId, (state) => state.isInverted)
  return TRANSFORMS.map(([command, icon]) => (
    <CommandButton
      key={command}
      command={command}
      icon={icon}
      {...(command === 'invert' && { isOn: isInverted })}
    />
  ))
}

/** The same where there is little room. */
export function TransformMenu() {
  const viewerContext = useViewerContext()
  return (
    <BarMenu>
      <Menu.Target>
        <ToolButton icon={IconRotate2} label={t('ui.viewer.toolbar.transform')}>
          <IconChevronDown size={11} aria-hidden />
        </ToolButton>
      </Menu.Target>
      <Menu.Dropdown>
        {TRANSFORMS.map(([command, Shape]) => (
          <Menu.Item
            key={command}
            leftSection={<Shape size={17} stroke={1.7} />}
            rightSection={<kbd className={css.key}>{keyText(command)}</kbd>}
            onClick={() => run(command, viewerContext)}
          >
            {t(`ui.viewer.commands.${command}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </BarMenu>
  )
}
