import { Button, Group, Modal, PasswordInput, Stack, Table, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboardBackups, type RestorePreview } from '#shared/contract/dashboard-backups.ts'
import { keyOf, useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useCutOffSince, useZone } from '../../api/status.ts'
import { numberText } from '../../format/amounts.ts'
import { fullClockText } from '../../format/dates.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { knownText, t, textsOf } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import css from './backups.module.css'
import { type Difference, differencesOf } from './differences.ts'

const KEPT_DATA_TEXTS = Object.values(textsOf('ui.backups.restore.keeps', '0', '1', '2', '3'))

/** Which backup; without `folder` one of the folder of the plan. */
export interface RestoreFrom {
  readonly folder?: string
  readonly name: string
}

/** Shows what putting a backup back would change, and begins it with the owner's password. */
export function RestoreDialog({ from, onClose }: { from: RestoreFrom; onClose: () => void }) {
  // Not a query: what is asked may have a recovery key in it, which no cache is to keep.
  const preview = useSend(dashboardBackups.previewRestore)
  const { mutate } = preview
  useEffect(() => mutate({ body: from }), [mutate, from])
  const zone = useZone()
  return (
    <Modal opened onClose={onClose} size="min(1040px, 94vw)" title={t('ui.backups.restore.title')}>
      {preview.isPending && <LoadingPlaceholder rows={6} />}
      {preview.error && (
        <Stack>
          <ErrorNotice error={preview.error} onRetry={() => mutate({ body: from })} />
          <CancelButton onClose={onClose} />
        </Stack>
      )}
      {preview.data && (
        <Stack>
          <Text fw={620} size="lg">
            {t('ui.backups.restore.of', { moment: fullClockText(preview.data.madeAt, zone) })}
          </Text>
          {preview.data.fault ? (
            <>
              <Notice tone="danger" title={t('ui.backups.restore.cannot')}>
                {translateMessage(preview.data.fault)}
              </Notice>
              <CancelButton onClose={onClose} />
            </>
          ) : (
            <Offer from={from} preview={preview.data} onClose={onClose} />
          )}
        </Stack>
      )}
    </Modal>
  )
}

const CancelButton = ({ onClose }: { onClose: () => void }) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose}>
      {t('ui.backups.restore.cancel')}
    </Button>
  </Group>
)

function Offer({
  from,
  preview,
  onClose,
}: {
  from: RestoreFrom
  preview: RestorePreview
  onClose: () => void
}) {
  const client = useQueryClient()
  const isCutOff = useCutOffSince() !== null
  const user = useSession().data?.user
  const isOwner = user?.level === 'owner'
  const needsKey = preview.opensWith === 'recovery-key'
  const restore = useSend(dashboardBackups.restore)
  const { form, submit } = useContractForm({
    operation: dashboardBackups.restore,
    initialValues: { recoveryKey: '', password: '' },
    bodyOf: ({ recoveryKey, password }) => ({
      ...from,
      password,
      ...(needsKey && { recoveryKey }),
    }),
    send: (body, onError) =>
      restore.mutate(
        { body },
        {
          onSuccess: (state) => {
            client.setQueryData(keyOf(dashboardBackups.restoreState, {}), state)
            onClose()
          },
          onError,
        },
      ),
  })
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack>
        <div className={css.preview}>
          <Rows rows={preview.rows} />
          <Stack gap={14}>
            <RestoreLosses rows={preview.rows} />
            <KeptDataList />
          </Stack>
        </div>
        {isOwner ? (
          <OwnerProofForm form={form} email={user.email} needsKey={needsKey} />
        ) : (
          <Notice tone="info">{t('ui.backups.restore.notOwner')}</Notice>
        )}
        {restore.error && restore.error.errors.length === 0 && (
          <ErrorNotice error={restore.error} />
        )}
        {isCutOff && <Notice tone="warning">{t('ui.common.cutOff')}</Notice>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.backups.restore.cancel')}
          </Button>
          {isOwner && (
            <Button type="submit" color="red" loading={restore.isPending} disabled={isCutOff}>
              {t('ui.backups.restore.action')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

interface ProofValues {
  recoveryKey: string
  password: string
}

/** That it is the owner, and the key of a backup of another gateway. */
function OwnerProofForm({
  form,
  email,
  needsKey,
}: {
  form: UseFormReturnType<ProofValues>
  email: string
  needsKey: boolean
}) {
  return (
    <>
      {needsKey && (
        <TextInput
          label={t('ui.backups.restore.key.label')}
          description={t('ui.backups.restore.key.description')}
          required
          withAsterisk={false}
          spellCheck={false}
          maxLength={200}
          styles={{
            input: {
              fontFamily: 'var(--mono)',
              textTransform: 'uppercase',
              letterSpacing: '0.06em',
            },
          }}
          {...form.getInputProps('recoveryKey')}
        />
      )}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        label={t('ui.backups.restore.password.label')}
        description={t('ui.backups.restore.password.description')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        {...form.getInputProps('password')}
      />
    </>
  )
}

function KeptDataList() {
  return (
    <div>
      <Text fw={560} mb={4}>
        {t('ui.backups.restore.keepsTitle')}
      </Text>
      <ul className={css.happens}>
        {KEPT_DATA_TEXTS.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  )
}

function Rows({ rows }: { rows: RestorePreview['rows'] }) {
  return (
    <Table withTableBorder verticalSpacing={5} horizontalSpacing={10}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('ui.backups.restore.columns.what')}</Table.Th>
          <Table.Th ta="right">{t('ui.backups.restore.columns.inBackup')}</Table.Th>
          <Table.Th ta="right">{t('ui.backups.restore.columns.now')}</Table.Th>
          <Table.Th ta="right">{t('ui.backups.restore.columns.change')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ table, inBackup, now }) => (
          <Table.Tr key={table}>
            <Table.Td>{nameOf(table)}</Table.Td>
            <Table.Td className={css.numbers}>{numberText(inBackup)}</Table.Td>
            <Table.Td className={css.numbers}>
              {now === null ? t('ui.backups.restore.unknown') : numberText(now)}
            </Table.Td>
            <Table.Td className={css.numbers}>
              <Change by={now === null ? null : inBackup - now} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Change({ by }: { by: number | null }) {
  if (by === null) return t('ui.backups.restore.unknown')
  if (by === 0)
    return (
      <Text span size="sm" c="dimmed">
        {t('ui.backups.restore.same')}
      </Text>
    )
  return by < 0 ? (
    <span className={css.less}>−{numberText(-by)}</span>
  ) : (
    <span>+{numberText(by)}</span>
  )
}

function RestoreLosses({ rows }: { rows: RestorePreview['rows'] }) {
  const { lost, gained } = differencesOf(rows)
  return (
    <Notice tone={lost.length > 0 ? 'warning' : 'info'} title={t('ui.backups.restore.lostTitle')}>
      {lost.length > 0 && (
        <div>{t('ui.backups.restore.lost', { things: rowCountsText(lost) })}</div>
      )}
      {gained.length > 0 && (
        <div>{t('ui.backups.restore.more', { things: rowCountsText(gained) })}</div>
      )}
      <div>
        {lost.length > 0 ? t('ui.backups.restore.changes') : t('ui.backups.restore.nothing')}
      </div>
    </Notice>
  )
}

const nameOf = (table: string): string => knownText(`ui.backups.restore.tables.${table}`) ?? table

const rowCountText = ({ table, count }: Difference): string =>
  knownText(`ui.backups.restore.count.${table}`, { count }) ??
  t('ui.backups.restore.countOther', { table, count })
const rowCountsText = (some: readonly Difference[]): string => some.map(rowCountText).join(', ')
