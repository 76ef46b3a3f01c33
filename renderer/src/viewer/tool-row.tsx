import { Menu } from '@mantine/core'
import { IconChevronDown, IconRuler2 } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { BarMenu } from './bar-menu.tsx'
import type { ToolName } from './engine/tools.ts'
import { TOOL_ICONS } from './icons.ts'
import { type Command, keyText } from './key-map.ts'
import { ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import { useViewerContext, useViewerState } from './viewer-context.ts'

/** The command that chooses a tool. */
const commandOfTool = (tool: ToolName) => `tool${tool[0]?.toUpperCase()}${tool.slice(1)}` as Command

/** Tools of the left button, one of them chosen. */
export function ToolRow({ tools }: { tools: readonly ToolName[] }) {
  const { viewerStore } = useViewerContext()
  const chosen = useViewerState((state) => state.tool)
  return tools.map((tool) => (
    <ToolButton
      key={tool}
      icon={TOOL_ICONS[tool]}
      label={t(`ui.viewer.tools.${tool}`)}
      keys={keyText(commandOfTool(tool))}
      isOn={chosen === tool}
      onClick={() => viewerStore.set({ tool })}
    />
  ))
}

/** The same where there is little room; its button shows the one that is chosen. */
export function ToolMenu({ tools }: { tools: readonly ToolName[] }) {
  const { viewerStore } = useViewerContext()
  const chosen = useViewerState((state) => state.tool)
  const isOn = tools.includes(chosen)
  return (
    <BarMenu>
      <Menu.Target>
        <ToolButton
          icon={isOn ? TOOL_ICONS[chosen] : IconRuler2}
          label={t('ui.viewer.toolbar.measure')}
          {...(isOn && { isOn })}
        >
          <IconChevronDown size={11} aria-hidden />
        </ToolButton>
      </Menu.Target>
      <Menu.Dropdown>
        {tools.map((tool) => {
          const Shape = TOOL_ICONS[tool]
          return (
            <Menu.Item
              key={tool}
              leftSection={<Shape size={17} stroke={1.7} />}
              rightSection={<kbd className={css.key}>{keyText(commandOfTool(tool))}</kbd>}
              data-chosen={tool === chosen || undefined}
              className={css.item ?? ''}
              onClick={() => viewerStore.set({ tool })}
            >
              {t(`ui.viewer.tools.${tool}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </BarMenu>
  )
}
