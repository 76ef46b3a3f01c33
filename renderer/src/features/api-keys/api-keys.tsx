import {
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core'
import {
  IconBan,
  IconCloudSearch,
  IconKey,
  IconListSearch,
  IconPlus,
  IconRefresh,
  IconUserCog,
  IconUserOff,
} from '@tabler/icons-react'
import { useState } from 'react'
import {
  type ApiKeyRow,
  type DicomwebRight,
  dashboardPeople,
} from '#shared/contract/dashboard-people.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { OneTimeValueDialog } from '../../ui/shown-once.tsx'
import { Tag } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import { DicomwebForm, dicomwebOptions } from './dicomweb-right.tsx'
import { SandboxPanel } from './sandbox-panel.tsx'
import {
  NO_SELF_SERVICE,
  type SelfService,
  SelfServiceFields,
  SelfServiceForm,
  SelfServiceSummary,
} from './self-service.tsx'

const COLUMNS = textsOf(
  'ui.api-keys.columns',
  ...(['description', 'key', 'reach', 'made', 'used', 'actions'] as const),
)
const CHANGES = [dashboardPeople.apiKeys]

/** The keys partner systems call the interface with. */
export function ApiKeys() {
  const keys = useReply(dashboardPeople.apiKeys, {})
  const [isAdding, setIsAdding] = useState(false)
  const [rotating, setRotating] = useState<ApiKeyRow | null>(null)
  const [peopleOf, setPeopleOf] = useState<ApiKeyRow | null>(null)
  const [dicomwebOf, setDicomwebOf] = useState<ApiKeyRow | null>(null)
  const [selfServiceOf, setSelfServiceOf] = useState<ApiKeyRow | null>(null)
  const [revoking, setRevoking] = useState<ApiKeyRow | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const add = (
    <PermissionButton
      permission="manageGateway"
      leftSection={<IconPlus size={16} />}
      onClick={() => setIsAdding(true)}
    >
      {t('ui.api-keys.add')}
    </PermissionButton>
  )
  return (
    <Page title={t('ui.api-keys.title')} about={t('ui.api-keys.about')} actions={add}>
      <Panel isFlush>
        {keys.isPending && <LoadingPlaceholder rows={4} />}
        {keys.isError && <ErrorNotice error={keys.error} onRetry={() => void keys.refetch()} />}
        {keys.data?.apiKeys.length === 0 && (
          <EmptyState
            icon={<IconKey size={34} stroke={1.3} />}
            title={t('ui.api-keys.none')}
            action={add}
          >
            {t('ui.api-keys.noneText')}
          </EmptyState>
        )}
        {keys.data && keys.data.apiKeys.length > 0 && (
          <KeyTable
            keys={keys.data.apiKeys}
            onPeople={setPeopleOf}
            onDicomweb={setDicomwebOf}
            onSelfService={setSelfServiceOf}
            onRotate={setRotating}
            onRevoke={setRevoking}
          />
        )}
      </Panel>
      <SandboxPanel />
      <Modal
        opened={isAdding}
        onClose={() => setIsAdding(false)}
        title={t('ui.api-keys.form.title')}
      >
        {isAdding && <KeyForm onMade={setShown} onDone={() => setIsAdding(false)} />}
      </Modal>
      {rotating && (
        <RotateKeyDialog apiKey={rotating} onMade={setShown} onDone={() => setRotating(null)} />
      )}
      {peopleOf && <ManagePeopleSwitch apiKey={peopleOf} onDone={() => setPeopleOf(null)} />}
      {dicomwebOf && <DicomwebForm apiKey={dicomwebOf} onDone={() => setDicomwebOf(null)} />}
      {selfServiceOf && (
        <SelfServiceForm apiKey={selfServiceOf} onDone={() => setSelfServiceOf(null)} />
      )}
      <RevokeKeyDialog apiKey={revoking} onDone={() => setRevoking(null)} />
      <OneTimeValueDialog
        value={shown}
        {...textsOf('ui.api-keys.shown', 'title', 'about', 'done')}
        what={t('ui.api-keys.theKey')}
        onClose={() => setShown(null)}
      />
    </Page>
  )
}

function KeyTable(props: {
  keys: readonly ApiKeyRow[]
  onPeople: (key: ApiKeyRow) => void
  onDicomweb: (key: ApiKeyRow) => void
  onSelfService: (key: ApiKeyRow) => void
  onRotate: (key: ApiKeyRow) => void
  onRevoke: (key: ApiKeyRow) => void
}) {
  const { keys, onPeople, onDicomweb, onSelfService, onRotate, onRevoke } = props
  return (
    <RowTable columns={COLUMNS} minWidth={820}>
      {keys.map((key) => (
        <Table.Tr key={key.apiKeyId} c={key.revokedAt === null ? '' : 'dimmed'}>
          <Table.Td>{key.description}</Table.Td>
          <Table.Td>
            <span className="mono">{t('ui.api-keys.masked', { last4: key.last4 })}</span>
            {key.old && (
              <Text fz="sm" c="dimmed">
                {t('ui.api-keys.old', { last4: key.old.last4 })}{' '}
                <Clock instant={key.old.expiresAt} />
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            {t(`ui.api-keys.scopes.${key.scope}`)} {key.isViewerEnabled && t('ui.api-keys.viewer')}
            {key.managesPeople && (
              <Text fz="sm" c="dimmed">
                {t('ui.api-keys.managesPeople')}
              </Text>
            )}
            {key.dicomweb !== 'none' && (
              <Text fz="sm" c="dimmed">
                {t(`ui.api-keys.dicomweb.may.${key.dicomweb}`)}
              </Text>
            )}
            <SelfServiceSummary apiKey={key} />
          </Table.Td>
          <Table.Td>
            <Clock instant={key.createdAt} />
            {key.rotatedAt !== null && (
              <Text fz="sm" c="dimmed">
                {t('ui.api-keys.rotated')} <TimeAgo instant={key.rotatedAt} />
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <TimeAgo instant={key.lastUsedAt} never={t('ui.api-keys.never')} />
          </Table.Td>
          <Table.Td>
            {key.revokedAt !== null ? (
              <Group justify="flex-end">
                <Tag tone="plain">{t('ui.api-keys.revoked')}</Tag>
              </Group>
            ) : (
              <Group gap={2} justify="flex-end" wrap="nowrap">
                <IconAction
                  icon={key.managesPeople ? IconUserOff : IconUserCog}
                  label={t(`ui.api-keys.people.${key.managesPeople ? 'end' : 'allow'}`, {
                    name: key.description,
                  })}
                  onClick={() => onPeople(key)}
                />
                {key.scope === 'all' && (
                  <IconAction
                    icon={IconCloudSearch}
                    label={t('ui.api-keys.dicomweb.change', { name: key.description })}
                    onClick={() => onDicomweb(key)}
                  />
                )}
                <IconAction
                  icon={IconListSearch}
                  label={t('ui.api-keys.selfService.change', { name: key.description })}
                  onClick={() => onSelfService(key)}
                />
                <IconAction
                  icon={IconRefresh}
                  label={t('ui.api-keys.rotate', { name: key.description })}
                  onClick={() => onRotate(key)}
                />
                <IconAction
                  icon={IconBan}
                  label={t('ui.api-keys.revoke', { name: key.description })}
                  onClick={() => onRevoke(key)}
                />
              </Group>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}

function KeyForm({ onMade, onDone }: { onMade: (key: string) => void; onDone: () => void }) {
  const create = useSend(dashboardPeople.createApiKey, CHANGES)
  const [selfService, setSelfService] = useState<SelfService>(NO_SELF_SERVICE)
  const { form, submit } = useContractForm({
    operation: dashboardPeople.createApiKey,
    initialValues: {
      description: '',
      scope: 'self' as 'self' | 'all',
      isViewerEnabled: false,
      managesPeople: false,
      dicomweb: 'none' as DicomwebRight,
    },
    bodyOf: (values) => ({
      ...values,
      ...selfService,
      dicomweb: values.scope === 'all' ? values.dicomweb : ('none' as const),
    }),
    send(body, onError) {
      const onSuccess = ({ key }: { key: string }) => {
        onDone()
        onMade(key)
      }
      create.mutate({ body }, { onSuccess, onError })
    },
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('ui.api-keys.form.description.label')}
          description={t('ui.api-keys.form.description.description')}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('description')}
        />
        <Select
          label={t('ui.api-keys.form.scope.label')}
          description={t('ui.api-keys.form.scope.description')}
          allowDeselect={false}
          data={[
            { value: 'self', label: t('ui.api-keys.scopes.self') },
            { value: 'all', label: t('ui.api-keys.scopes.all') },
          ]}
          {...form.getInputProps('scope')}
        />
        <Checkbox
          label={t('ui.api-keys.form.viewer.label')}
          description={t('ui.api-keys.form.viewer.description')}
          {...form.getInputProps('isViewerEnabled', { type: 'checkbox' })}
        />
        <Checkbox
          label={t('ui.api-keys.form.people.label')}
          description={t('ui.api-keys.form.people.description')}
          {...form.getInputProps('managesPeople', { type: 'checkbox' })}
        />
        <Select
          label={t('ui.api-keys.dicomweb.label')}
          description={t(
            form.values.scope === 'all'
              ? 'ui.api-keys.dicomweb.about'
              : 'ui.api-keys.dicomweb.needsAll',
          )}
          disabled={form.values.scope !== 'all'}
          allowDeselect={false}
          data={dicomwebOptions()}
          {...form.getInputProps('dicomweb')}
          {...(form.values.scope !== 'all' && { value: 'none' })}
        />
        <SelfServiceFields value={selfService} onChange={setSelfService} />
        {create.error && create.error.errors.length === 0 && <ErrorNotice error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('ui.api-keys.form.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('ui.api-keys.form.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function RotateKeyDialog({
  apiKey,
  onMade,
  onDone,
}: {
  apiKey: ApiKeyRow
  onMade: (key: string) => void
  onDone: () => void
}) {
  const rotate = useSend(dashboardPeople.rotateApiKey, CHANGES)
  const [hours, setHours] = useState<number | string>(24)
  const confirm = () =>
    rotate.mutate(
      { params: { apiKeyId: apiKey.apiKeyId }, body: { overlapHours: Number(hours) || 0 } },
      {
        onSuccess: ({ key }) => {
          onDone()
          onMade(key)
        },
      },
    )
  return (
    <ConfirmAction
      isOpen
      title={t('ui.api-keys.rotateTitle')}
      action={t('ui.api-keys.rotateAction')}
      isBusy={rotate.isPending}
      error={rotate.error}
      onClose={onDone}
      onConfirm={confirm}
    >
      <Stack>
        <Text>{t('ui.api-keys.rotateText')}</Text>
        <NumberInput
          label={t('ui.api-keys.overlap')}
          min={0}
          max={720}
          value={hours}
          onChange={setHours}
        />
      </Stack>
    </ConfirmAction>
  )
}

/** Lets a key manage people, or no longer. */
function ManagePeopleSwitch({ apiKey, onDone }: { apiKey: ApiKeyRow; onDone: () => void }) {
  const change = useSend(dashboardPeople.changeApiKey, CHANGES)
  const { apiKeyId, description, managesPeople } = apiKey
  const ask = `ui.api-keys.people.${managesPeople ? 'ending' : 'allowing'}` as const
  const confirm = () =>
    change.mutate(
      { params: { apiKeyId }, body: { managesPeople: !managesPeople } },
      {
        onSuccess() {
          showDone(t(`${ask}.done`, { name: description }))
          onDone()
        },
      },
    )
  return (
    <ConfirmAction
      isOpen
      title={t(`${ask}.title`)}
      action={t(`${ask}.action`)}
      isBusy={change.isPending}
      error={change.error}
      onClose={onDone}
      onConfirm={confirm}
    >
      {t(`${ask}.text`, { name: description })}
    </ConfirmAction>
  )
}

function RevokeKeyDialog({ apiKey, onDone }: { apiKey: ApiKeyRow | null; onDone: () => void }) {
  const revoke = useSend(dashboardPeople.revokeApiKey, CHANGES)
  return (
    <ConfirmAction
      isOpen={apiKey !== null}
      title={t('ui.api-keys.revokeTitle')}
      action={t('ui.api-keys.revokeAction')}
      isBusy={revoke.isPending}
      error={revoke.error}
      onClose={onDone}
      onConfirm={() =>
        apiKey &&
        revoke.mutate(
          { params: { apiKeyId: apiKey.apiKeyId } },
          {
            onSuccess() {
              showDone(t('ui.api-keys.revokedDone', { name: apiKey.description }))
              onDone()
            },
          },
        )
      }
    >
      {apiKey && t('ui.api-keys.revokeText', { name: apiKey.description })}
    </ConfirmAction>
  )
}
