import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { dashboardBackups, type RestoreState } from '#shared/contract/dashboard-backups.ts'
import { desktopBridge } from '../../api/desktop.ts'
import { useReply } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'

const IDLE_MS = 5000
const RUNNING_POLL_MS = 400
const ACTIVE_PHASES: readonly RestoreState['phase'][] = ['decrypting', 'checking', 'ready']

/**
 * Follows a restore that was begun in any window, and loads this one anew when the gateway is back
 * with the restored database.
 */
export function RestoreProgress() {
  const [isFollowing, setIsFollowing] = useState(false)
  const [isClosed, setIsClosed] = useState(false)
  const reply = useReply(
    dashboardBackups.restoreState,
    {},
    { every: isFollowing ? RUNNING_POLL_MS : IDLE_MS, staleTime: 0 },
  )
  const state = reply.data
  const isActive = state !== undefined && ACTIVE_PHASES.includes(state.phase)
  if (isActive && !isFollowing) {
    setIsFollowing(true)
    setIsClosed(false)
  }
  const code = reply.error?.code
  // A gateway that knows of no restore is the one that started with it; nor has it to know this
  // window's session.
  const hasRestarted =
    isFollowing &&
    (code === 'not-signed-in' ||
      code === 'workstation-unknown' ||
      (!reply.isError && state?.phase === 'none'))
  useEffect(() => {
    if (hasRestarted) window.location.reload()
  }, [hasRestarted])
  if (!isFollowing || isClosed) return null
  const isUnreachable = reply.isError
  const hasFailed = !isUnreachable && state?.phase === 'failed'
  const phase = state?.phase ?? 'none'
  const close = () => {
    setIsClosed(true)
    setIsFollowing(false)
  }
  return (
    <Modal
      opened
      onClose={close}
      title={t('ui.backups.progress.title')}
      size="lg"
      withCloseButton={hasFailed}
      closeOnEscape={hasFailed}
      closeOnClickOutside={false}
    >
      <Stack>
        <div role="status">
          {hasFailed ? (
            <Notice tone="danger" title={t('ui.backups.progress.phases.failed')}>
              <div>{state?.sentence && translateMessage(state.sentence)}</div>
              <div>{t('ui.backups.progress.unchanged')}</div>
            </Notice>
          ) : (
            <ActiveRestore state={state} isAway={isUnreachable} />
          )}
        </div>
        <Group justify="flex-end">
          {hasFailed && <Button onClick={close}>{t('ui.backups.progress.close')}</Button>}
          {!hasFailed && phase === 'ready' && desktopBridge && (
            <Button variant="default" onClick={() => void desktopBridge?.restartGateway()}>
              {t('ui.backups.progress.restart')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

/** How far it is. While the gateway is away, or about to go, nobody knows. */
function ActiveRestore({ state, isAway }: { state: RestoreState | undefined; isAway: boolean }) {
  const phase = state?.phase ?? 'none'
  const sentence = state?.sentence ? translateMessage(state.sentence) : ''
  const isUncounted = isAway || phase === 'ready' || !state?.share
  return (
    <Stack gap={8}>
      <Progress
        size={8}
        value={isUncounted ? 100 : state.share * 100}
        animated={isUncounted}
        aria-label={t('ui.backups.progress.title')}
      />
      <Text fw={560}>
        {isAway ? t('ui.backups.progress.away') : t(`ui.backups.progress.phases.${phase}`)}
      </Text>
      <Text size="sm" c="dimmed">
        {isAway
          ? t('ui.backups.progress.awayText')
          : phase === 'ready'
            ? t('ui.backups.progress.stay')
            : sentence}
      </Text>
    </Stack>
  )
}
