import { ActionIcon } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { Tooltip } from './tooltip.tsx'
import { useCopy } from './use-copy.ts'

/** Copies a value; says so. `what` names it for screen readers. */
export function Copy({ value, what }: { value: string; what: string }) {
  const { isCopied, copy } = useCopy(value)
  const label = isCopied ? t('ui.common.copied') : t('ui.common.copy', { what })
  return (
    <Tooltip label={label}>
      <ActionIcon size="sm" onClick={copy} aria-label={label}>
        {isCopied ? <IconCheck size={15} /> : <IconCopy size={15} />}
      </ActionIcon>
    </Tooltip>
  )
}
