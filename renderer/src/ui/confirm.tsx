import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ProblemError } from '../api/client.ts'
import { useCutOff } from '../api/status.ts'
import { t } from '../i18n/t.ts'
import { Failed } from './page.tsx'
import { Notice } from './tone.tsx'

/** Asks before something that is not easily undone. The button says what will happen. */
export function Confirm(props: {
  isOpen: boolean
  title: string
  action: string
  /** What the other button says. */
  keep?: string
  isBusy: boolean
  /** It cannot be done now; the children say why. */
  isBlocked?: boolean
  error: ProblemError | null
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}) {
  const {
    isOpen,
    title,
    action,
    keep = t('ui.common.keep'),
    isBusy,
    isBlocked = false,
    error,
    onConfirm,
    onClose,
    children,
  } = props
  const isCutOff = useCutOff() !== null
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <div>{children}</div>
        {error && <Failed error={error} />}
        {isOpen && isCutOff && <Notice tone="warning">{t('ui.common.cutOff')}</Notice>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {keep}
          </Button>
          <Button color="red" loading={isBusy} disabled={isBlocked || isCutOff} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
