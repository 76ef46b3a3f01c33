import { IconAlertTriangle } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { faultGroups } from './fault-groups.ts'
import { CommandButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import { useImages, useViewerState } from './viewer-context.ts'

/** How many messages there are; nothing where all is well. */
export function FaultsButton() {
  const { faults } = useImages()
  const isOn = useViewerState((state) => state.drawer === 'faults')
  const groups = faultGroups(faults)
  const worst = groups[0]?.level
  if (!worst) return null
  return (
    <CommandButton
      command="faults"
      icon={IconAlertTriangle}
      isOn={isOn}
      more={t('ui.viewer.faults.count', { number: groups.length })}
    >
      <span className={css.count} data-tone={worst === 'note' ? 'info' : worst}>
        {groups.length}
      </span>
    </CommandButton>
  )
}
