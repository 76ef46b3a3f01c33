import { Menu } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconChevronDown } from '@tabler/icons-react'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { BarMenu } from './bar-menu.tsx'
import type { Rendering, WindowPreset } from './engine/pane.ts'
import { amountText } from './overlay-text.ts'
import { ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import { useActivePaneId, usePane, usePaneState } from './viewer-context.ts'

/** Those with a number key first, in the order of the keys. */
const byKey = (presets: readonly WindowPreset[]) =>
  presets.toSorted((one, other) => (one.keys?.[0] ?? 10) - (other.keys?.[0] ?? 10))

/** Windows, or the colours of a volume, that fit what the active pane shows. */
export function PresetMenu() {
  const paneId = useActivePaneId()
  const pane = usePane(paneId)
  const kind = usePaneState(paneId, (state) => state.kind)
  const series = usePaneState(paneId, (state) => state.series?.key)
  // Presets are known once there is a picture.
  usePaneState(paneId, (state) => state.isShown)
  const presets = series === undefined ? [] : byKey(pane.presets())
  const renderings = series === undefined ? [] : pane.renderings()
  const isEmpty = presets.length + renderings.length === 0
  const label = t(kind === 'volume' ? 'ui.viewer.toolbar.renderings' : 'ui.viewer.toolbar.presets')
  return (
    <BarMenu>
      <Menu.Target>
        <ToolButton
          icon={IconAdjustmentsHorizontal}
          label={label}
          keys="1–9"
          whyNot={isEmpty ? t('ui.viewer.toolbar.noPresets') : ''}
        >
          <IconChevronDown size={11} aria-hidden />
        </ToolButton>
      </Menu.Target>
      <Menu.Dropdown hidden={isEmpty}>
        {presets.map((preset) => (
          <WindowItem key={translateMessage(preset.name)} paneId={paneId} preset={preset} />
        ))}
        {renderings.map((rendering, at) => (
          <RenderingItem key={rendering.name.code} paneId={paneId} rendering={rendering} at={at} />
        ))}
      </Menu.Dropdown>
    </BarMenu>
  )
}

function WindowItem({ paneId, preset }: { paneId: string; preset: WindowPreset }) {
  const pane = usePane(paneId)
  const now = usePaneState(paneId, (state) => state.window)
  const { center, width, name, keys } = preset
  return (
    <Menu.Item
      className={css.item ?? ''}
      data-chosen={(now?.center === center && now.width === width) || undefined}
      rightSection={
        <span className={css.right}>
          <span className={css.values}>
            {t('ui.viewer.overlay.window', {
              center: amountText(center),
              width: amountText(width),
            })}
          </span>
          <kbd className={css.key}>{keys?.join(', ')}</kbd>
        </span>
      }
      onClick={() => pane.setWindow(preset)}
    >
      {translateMessage(name)}
    </Menu.Item>
  )
}

function RenderingItem({
  paneId,
  rendering,
  at,
}: {
  paneId: string
  rendering: Rendering
  at: number
}) {
  const pane = usePane(paneId)
  const now = usePaneState(paneId, (state) => state.rendering)
  return (
    <Menu.Item
      className={css.item ?? ''}
      data-chosen={now?.name.code === rendering.name.code || undefined}
      rightSection={<kbd className={css.key}>{at + 1}</kbd>}
      onClick={() => pane.setRendering(rendering)}
    >
      {translateMessage(rendering.name)}
    </Menu.Item>
  )
}
