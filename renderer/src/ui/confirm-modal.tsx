import { Button, Group, Modal, Stack } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { ProblemError } from '../api/client.ts'
import { useCutOffSince } from '../api/status.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice } from './page.tsx'
import { Notice } from './tone.tsx'

export interface ConfirmProps {
  readonly isOpen: boolean
  readonly title: string
  readonly action: string
  /** What the other button says. */
  readonly keep?: string
  readonly isBusy: boolean
  /** It cannot be done now; the children say why. */
  readonly isBlocked?: boolean
  readonly error: ProblemError | null
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The dialog of `Confirm`. It is mounted closed, so that it gives the focus back when it closes. */
export function ConfirmModal({
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
}: ConfirmProps) {
  const [isMounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  const isCutOff = useCutOffSince() !== null
  return (
    <Modal opened={isOpen && isMounted} onClose={onClose} title={title}>
      <Stack>
        <div>{children}</div>
        {error && <ErrorNotice error={error} />}
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
