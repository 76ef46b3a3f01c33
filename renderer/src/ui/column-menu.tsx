import { ActionIcon, Button, Checkbox, Popover, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'

/** Which columns of a table are shown. */
export function ColumnMenu(props: {
  choice: readonly { readonly name: string; readonly isShown: boolean }[]
  onToggle: (name: string) => void
  onShowAll: () => void
}) {
  const { choice, onToggle, onShowAll } = props
  return (
    <Popover position="bottom-end" shadow="md" withinPortal trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          size="sm"
          aria-label={t('ui.common.columns.menu')}
          title={t('ui.common.columns.menu')}
        >
          <IconColumns3 size={15} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          {choice.map(({ name, isShown }) => (
            <Checkbox
              key={name}
              size="sm"
              label={name}
              checked={isShown}
              onChange={() => onToggle(name)}
            />
          ))}
          <Button
            variant="default"
            size="xs"
            disabled={choice.every(({ isShown }) => isShown)}
            onClick={onShowAll}
          >
            {t('ui.common.columns.showAll')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
