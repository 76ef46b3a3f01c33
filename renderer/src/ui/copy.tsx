import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'

/** Copies a value; says so. `what` names it for screen readers. */
export function Copy({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('ui.common.copied') : t('ui.common.copy', { what })}>
          <ActionIcon
            size="sm"
            onClick={copy}
            aria-label={copied ? t('ui.common.copied') : t('ui.common.copy', { what })}
          >
            {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
