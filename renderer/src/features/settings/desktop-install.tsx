import { Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { dashboardUpdate } from '#shared/contract/dashboard-update.ts'
import type { Message } from '#shared/messages/message.ts'
import { useReply } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'
import { UpdateChecks } from './update-panel.tsx'

const INSTALL_STEPS = Object.values(textsOf('ui.settings.desktop.installSteps', '0', '1', '2', '3'))

/**
 * Says what installing an update does, and begins it. What keeps it from happening is told here.
 */
export function DesktopInstall(props: {
  version: string
  install: () => Promise<Message | null>
  onClose: () => void
}) {
  const { version, install, onClose } = props
  const checks = useReply(dashboardUpdate.state, {})
  const run = useMutation<void, Error>({
    async mutationFn() {
      const fault = await install()
      if (fault) throw new Error(translateMessage(fault))
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('ui.settings.desktop.installTitle', { version })}
      size="lg"
      closeOnClickOutside={!run.isPending}
    >
      <Stack>
        <ol style={{ margin: 0, paddingLeft: 20 }}>
          {INSTALL_STEPS.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {checks.data && <UpdateChecks state={checks.data} />}
        {run.error && <Notice tone="danger">{run.error.message}</Notice>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('ui.settings.desktop.later')}
          </Button>
          <Button loading={run.isPending || run.isSuccess} onClick={() => run.mutate()}>
            {t('ui.settings.desktop.installAction')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
