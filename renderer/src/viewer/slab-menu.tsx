import { Menu } from '@mantine/core'
import { IconChevronDown, IconStack2 } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { BarMenu } from './bar-menu.tsx'
import { keyText } from './key-map.ts'
import { SLAB_KINDS, slabOfKind, slabOfThickness, THICKNESSES } from './slabs.ts'
import { ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import { useActivePaneId, usePane, usePaneState } from './viewer-context.ts'

/** How thick the active plane is, and what of its thickness is seen. */
export function SlabMenu() {
  const paneId = useActivePaneId()
  const pane = usePane(paneId)
  const slab = usePaneState(paneId, (state) => state.slab)
  return (
    <BarMenu>
      <Menu.Target>
        <ToolButton
          icon={IconStack2}
          label={t('ui.viewer.slab.label')}
          keys={keyText('slab')}
          isOn={slab !== null && slab.kind !== 'slice'}
          whyNot={slab ? '' : t('ui.viewer.slab.notHere')}
        >
          <IconChevronDown size={11} aria-hidden />
        </ToolButton>
      </Menu.Target>
      <Menu.Dropdown hidden={slab === null}>
        {slab &&
          SLAB_KINDS.map((kind) => (
            <Menu.Item
              key={kind}
              className={css.item ?? ''}
              data-chosen={kind === slab.kind || undefined}
              onClick={() => pane.setSlab(slabOfKind(slab, kind))}
            >
              {t(`ui.viewer.slab.kinds.${kind}`)}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Menu.Label>{t('ui.viewer.slab.thickness')}</Menu.Label>
        {slab &&
          THICKNESSES.map((millimetres) => (
            <Menu.Item
              key={millimetres}
              className={css.item ?? ''}
              data-chosen={(slab.kind !== 'slice' && millimetres === slab.millimetres) || undefined}
              onClick={() => pane.setSlab(slabOfThickness(slab, millimetres))}
            >
              {t('ui.viewer.slab.millimetres', { millimetres })}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </BarMenu>
  )
}
