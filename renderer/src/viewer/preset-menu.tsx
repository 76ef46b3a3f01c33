import { Menu } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconChevronDown } from '@tabler/icons-react'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { BarMenu } from './bar-menu.tsx'
import { useActivePaneId, usePane, usePaneState } from './desk-context.ts'
import type { WindowPreset } from './engine/pane.ts'
import { amount } from './overlay-text.ts'
import { ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'

/** Those with a number key first, in the order of the keys. */
const byKey = (presets: readonly WindowPreset[]) =>
  presets.toSorted((one, other) => (one.keys?.[0] ?? 10) - (other.keys?.[0] ?? 10))

/** Windows that fit what the active pane shows. */
export function PresetMenu() {
  const paneId = useActivePaneId()
  const pane = usePane(paneId)
  const now = usePaneState(paneId, (state) => state.window)
  const series = usePaneState(paneId, (state) => state.series?.key)
  const presets = series === undefined ? [] : byKey(pane.presets())
  return (
    <BarMenu>
      <Menu.Target>
        <ToolButton
          icon={IconAdjustmentsHorizontal}
          label={t('ui.viewer.toolbar.presets')}
          keys="1–9"
          whyNot={presets.length === 0 ? t('ui.viewer.toolbar.noPresets') : ''}
        >
          <IconChevronDown size={11} aria-hidden />
        </ToolButton>
      </Menu.Target>
      <Menu.Dropdown hidden={presets.length === 0}>
        {presets.map((preset) => (
          <Menu.Item
            key={translateMessage(preset.name)}
            className={css.item ?? ''}
            data-chosen={(now?.center === preset.center && now.width === preset.width) || undefined}
            rightSection={
              <span className={css.right}>
                <span className={css.values}>
                  {t('ui.viewer.overlay.window', {
                    center: amount(preset.center),
                    width: amount(preset.width),
                  })}
                </span>
                <kbd className={css.key}>{preset.keys?.join(', ')}</kbd>
              </span>
            }
            onClick={() => pane.setWindow(preset)}
          >
            {translateMessage(preset.name)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </BarMenu>
  )
}
