import { ActionIcon } from '@mantine/core'
import type { Icon as TablerIcon } from '@tabler/icons-react'
import { Tooltip } from './tooltip.tsx'

/** Something that can be done, as an icon; its name on hover and for screen readers. */
export function IconAction(props: {
  icon: TablerIcon
  label: string
  isBusy?: boolean
  onClick: () => void
}) {
  const { icon: Icon, label, isBusy = false, onClick } = props
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} loading={isBusy} onClick={onClick}>
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  )
}
