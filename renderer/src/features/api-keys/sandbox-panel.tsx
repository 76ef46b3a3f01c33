import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import { IconBan, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { ApiKeyRow } from '#shared/contract/dashboard-people.ts'
import { dashboardSandbox, type SandboxOverview } from '#shared/contract/sandbox.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { OneTimeValueDialog } from '../../ui/shown-once.tsx'
import { Tag } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { SandboxKeyForm, SandboxWebhookForm } from './sandbox-forms.tsx'

const COLUMNS = textsOf(
  'ui.api-keys.columns',
  ...(['description', 'key', 'made', 'used', 'actions'] as const),
)
const CHANGES = [dashboardSandbox.read]

type SandboxDialog = 'key' | 'webhook' | 'empty' | 'off' | null

/** The sandbox: its test keys, where its events go, and how much is in it. */
export function SandboxPanel() {
  const reply = useReply(dashboardSandbox.read, {})
  const [asked, setAsked] = useState<SandboxDialog>(null)
  const [revoking, setRevoking] = useState<ApiKeyRow | null>(null)
  const [key, setKey] = useState<string | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setAsked(null)
  return (
    <Panel title={t('ui.api-keys.sandbox.title')}>
      <Stack>
        <Text>{t('ui.api-keys.sandbox.about')}</Text>
        {reply.isPending && <LoadingPlaceholder rows={2} />}
        {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
        {reply.data && <Overview overview={reply.data} onAsk={setAsked} onRevoke={setRevoking} />}
      </Stack>
      {asked === 'key' && <SandboxKeyForm onMade={setKey} onDone={close} />}
      {asked === 'webhook' && <SandboxWebhookForm onMade={setSecret} onDone={close} />}
      {asked === 'empty' && <EmptySandboxDialog onDone={close} />}
      {asked === 'off' && <SandboxDeactivation onDone={close} />}
      {revoking && <RevokeTestKeyDialog apiKey={revoking} onDone={() => setRevoking(null)} />}
      <OneTimeValueDialog
        value={key}
        {...textsOf('ui.api-keys.shown', 'title', 'about', 'done')}
        what={t('ui.api-keys.theKey')}
        onClose={() => setKey(null)}
      />
      <OneTimeValueDialog
        value={secret}
        title={t('ui.api-keys.sandbox.secretTitle')}
        about={t('ui.api-keys.sandbox.secretAbout')}
        done={t('ui.api-keys.sandbox.secretDone')}
        what={t('ui.api-keys.sandbox.theSecret')}
        onClose={() => setSecret(null)}
      />
    </Panel>
  )
}

function Overview(props: {
  overview: SandboxOverview
  onAsk: (asked: SandboxDialog) => void
  onRevoke: (key: ApiKeyRow) => void
}) {
  const { overview, onAsk, onRevoke } = props
  const { isOn, fault, keys, webhook, contents } = overview
  return (
    <>
      {!isOn && <Text c="dimmed">{t('ui.api-keys.sandbox.isOff')}</Text>}
      {fault && (
        <Alert color="red" title={t('ui.api-keys.sandbox.fault')}>
          {translateMessage(fault)}
        </Alert>
      )}
      {contents && (
        <FactList
          facts={[
            [t('ui.api-keys.sandbox.webhook'), <WebhookText key="webhook" webhook={webhook} />],
            [
              t('ui.api-keys.sandbox.contentsLabel'),
              t('ui.api-keys.sandbox.contents', {
                studies: contents.studies,
                images: contents.images,
                waiting: contents.waitingReports,
              }),
            ],
          ]}
        />
      )}
      {contents && keys.length === 0 && <Text c="dimmed">{t('ui.api-keys.sandbox.none')}</Text>}
      {keys.length > 0 && <TestKeys keys={keys} onRevoke={onRevoke} />}
      <Group>
        <PermissionButton
          permission="manageGateway"
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => onAsk('key')}
        >
          {t('ui.api-keys.sandbox.add')}
        </PermissionButton>
        {contents && (
          <>
            <Button variant="default" onClick={() => onAsk('webhook')}>
              {t('ui.api-keys.sandbox.setWebhook')}
            </Button>
            <Button variant="default" onClick={() => onAsk('empty')}>
              {t('ui.api-keys.sandbox.empty')}
            </Button>
          </>
        )}
        {isOn ? (
          <Button variant="default" onClick={() => onAsk('off')}>
            {t('ui.api-keys.sandbox.switchOff')}
          </Button>
        ) : (
          <SandboxActivation />
        )}
      </Group>
    </>
  )
}

function WebhookText({ webhook }: Pick<SandboxOverview, 'webhook'>) {
  if (!webhook) return t('ui.api-keys.sandbox.noWebhook')
  if (webhook.isSimulated) return t('ui.api-keys.sandbox.simulated')
  return <span className="mono">{webhook.url}</span>
}

function TestKeys({
  keys,
  onRevoke,
}: {
  keys: readonly ApiKeyRow[]
  onRevoke: (key: ApiKeyRow) => void
}) {
  return (
    <RowTable columns={COLUMNS} minWidth={640}>
      {keys.map((key) => (
        <Table.Tr key={key.apiKeyId} c={key.revokedAt === null ? '' : 'dimmed'}>
          <Table.Td>{key.description}</Table.Td>
          <Table.Td>
            <span className="mono">{t('ui.api-keys.sandbox.masked', { last4: key.last4 })}</span>
          </Table.Td>
          <Table.Td>
            <Clock instant={key.createdAt} />
          </Table.Td>
          <Table.Td>
            <TimeAgo instant={key.lastUsedAt} never={t('ui.api-keys.never')} />
          </Table.Td>
          <Table.Td>
            <Group justify="flex-end">
              {key.revokedAt === null ? (
                <IconAction
                  icon={IconBan}
                  label={t('ui.api-keys.revoke', { name: key.description })}
                  onClick={() => onRevoke(key)}
                />
              ) : (
                <Tag tone="plain">{t('ui.api-keys.revoked')}</Tag>
              )}
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}

function SandboxActivation() {
  const send = useSend(dashboardSandbox.switch, CHANGES)
  return (
    <>
      <Button
        variant="default"
        loading={send.isPending}
        onClick={() =>
          send.mutate(
            { body: { isOn: true } },
            { onSuccess: () => showDone(t('ui.api-keys.sandbox.switchedOn')) },
          )
        }
      >
        {t('ui.api-keys.sandbox.switchOn')}
      </Button>
      {send.error && <ErrorNotice error={send.error} />}
    </>
  )
}

function SandboxDeactivation({ onDone }: { onDone: () => void }) {
  const send = useSend(dashboardSandbox.switch, CHANGES)
  const onSuccess = () => {
    showDone(t('ui.api-keys.sandbox.switchedOff'))
    onDone()
  }
  return (
    <ConfirmAction
      isOpen
      title={t('ui.api-keys.sandbox.switchOffTitle')}
      action={t('ui.api-keys.sandbox.switchOff')}
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onConfirm={() => send.mutate({ body: { isOn: false } }, { onSuccess })}
    >
      {t('ui.api-keys.sandbox.switchOffText')}
    </ConfirmAction>
  )
}

function EmptySandboxDialog({ onDone }: { onDone: () => void }) {
  const send = useSend(dashboardSandbox.empty, CHANGES)
  const onSuccess = () => {
    showDone(t('ui.api-keys.sandbox.emptied'))
    onDone()
  }
  return (
    <ConfirmAction
      isOpen
      title={t('ui.api-keys.sandbox.emptyTitle')}
      action={t('ui.api-keys.sandbox.emptyAction')}
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onConfirm={() => send.mutate({}, { onSuccess })}
    >
      {t('ui.api-keys.sandbox.emptyText')}
    </ConfirmAction>
  )
}

function RevokeTestKeyDialog({ apiKey, onDone }: { apiKey: ApiKeyRow; onDone: () => void }) {
  const revoke = useSend(dashboardSandbox.revokeKey, CHANGES)
  const { apiKeyId, description } = apiKey
  const onSuccess = () => {
    showDone(t('ui.api-keys.revokedDone', { name: description }))
    onDone()
  }
  return (
    <ConfirmAction
      isOpen
      title={t('ui.api-keys.revokeTitle')}
      action={t('ui.api-keys.revokeAction')}
      isBusy={revoke.isPending}
      error={revoke.error}
      onClose={onDone}
      onConfirm={() => revoke.mutate({ params: { apiKeyId } }, { onSuccess })}
    >
      {t('ui.api-keys.revokeText', { name: description })}
    </ConfirmAction>
  )
}
