import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type DashboardUpdateState, dashboardUpdate } from '#shared/contract/dashboard-update.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Findings } from '../../ui/findings.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import css from './settings.module.css'

/** Whether the gateway can be updated, how long that takes, and the way back. */
export function UpdatePanel() {
  const state = useReply(dashboardUpdate.state, {})
  return (
    <Panel title={t('ui.settings.update.title')}>
      {state.isPending && <LoadingPlaceholder rows={4} />}
      {state.error && <ErrorNotice error={state.error} />}
      {state.data && <UpdateDetails state={state.data} />}
    </Panel>
  )
}

function UpdateDetails({ state }: { state: DashboardUpdateState }) {
  const { version, wayBack } = state
  return (
    <>
      <Row
        label={t('ui.settings.update.before')}
        about={t('ui.settings.update.version', { version })}
      >
        <UpdateChecks state={state} />
      </Row>
      <Row label={t('ui.settings.update.back')} about={t('ui.settings.update.backAbout')}>
        {wayBack === null && <Text size="sm">{t('ui.settings.update.none')}</Text>}
        {wayBack?.isSameSchema && (
          <Text size="sm">{t('ui.settings.update.same', { version: wayBack.version })}</Text>
        )}
        {wayBack?.fault && <Notice tone="warning">{translateMessage(wayBack.fault)}</Notice>}
        {wayBack && !wayBack.isSameSchema && !wayBack.fault && (
          <RollbackAction version={wayBack.version} duration={durationOf(state)} />
        )}
      </Row>
    </>
  )
}

/** The checks before an update, and what it takes. */
export function UpdateChecks({ state }: { state: DashboardUpdateState }) {
  return (
    <>
      <Findings findings={state.findings} />
      <Text size="sm" mt={10}>
        {t('ui.settings.update.estimate', { duration: durationOf(state) })}
      </Text>
      <Text size="sm" c="dimmed">
        {t('ui.settings.update.fromAbout')}
      </Text>
    </>
  )
}

const durationOf = ({ estimate }: DashboardUpdateState): string =>
  t('ui.settings.update.minutes', { minutes: Math.max(1, Math.ceil(estimate.seconds / 60)) })

function RollbackAction({ version, duration }: { version: string; duration: string }) {
  const [isAsking, setIsAsking] = useState(false)
  const send = useSend(dashboardUpdate.goBack)
  return (
    <>
      <PermissionButton
        permission="manageGateway"
        variant="default"
        disabled={send.isSuccess}
        onClick={() => setIsAsking(true)}
      >
        {t('ui.settings.update.button', { version })}
      </PermissionButton>
      {send.isSuccess && <Notice tone="info">{t('ui.settings.update.done', { version })}</Notice>}
      <Modal
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('ui.settings.update.dialogTitle', { version })}
        size="lg"
      >
        <Stack>
          <ol style={{ margin: 0, paddingLeft: 20 }}>
            <li>{t('ui.settings.update.steps.0', { version, duration })}</li>
            <li>{t('ui.settings.update.steps.1')}</li>
            <li>{t('ui.settings.update.steps.2', { version })}</li>
          </ol>
          {send.error && <ErrorNotice error={send.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsAsking(false)} data-autofocus>
              {t('ui.settings.update.cancel')}
            </Button>
            <Button
              loading={send.isPending}
              onClick={() => send.mutate({}, { onSuccess: () => setIsAsking(false) })}
            >
              {t('ui.settings.update.confirm')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

const Row = ({ label, about, children }: { label: string; about: string; children: ReactNode }) => (
  <div className={css.row}>
    <div>
      <div className={css.label}>{label}</div>
      <div className={css.about}>{about}</div>
    </div>
    <div>{children}</div>
  </div>
)
