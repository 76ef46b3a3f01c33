import { Button, Code, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import css from './account.module.css'
import { printCodes } from './print-codes.ts'

interface AuthenticatorKey {
  readonly uri: string
  readonly secret: string
}

/**
 * Setting up an authenticator: the password, the QR code and a first code, then the codes for when
 * it is lost, shown once.
 */
export function SecondFactorSetUp({ onClose }: { onClose: () => void }) {
  const [begun, setBegun] = useState<AuthenticatorKey | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const isShown = codes !== null
  return (
    <Modal
      opened
      onClose={onClose}
      title={isShown ? t('ui.account.second.codesTitle') : t('ui.account.second.setUp')}
      size="lg"
      // The codes are shown once: they go only by the button that says they were kept.
      closeOnClickOutside={!isShown}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {codes !== null && <RecoveryCodes codes={codes} onClose={onClose} />}
      {codes === null && begun !== null && <CodeConfirmation begun={begun} onDone={setCodes} />}
      {codes === null && begun === null && <SetUpStart onBegun={setBegun} />}
    </Modal>
  )
}

function SetUpStart({ onBegun }: { onBegun: (begun: AuthenticatorKey) => void }) {
  const begin = useSend(dashboardSecurity.beginSecondFactor)
  const { form, submit } = useContractForm({
    operation: dashboardSecurity.beginSecondFactor,
    initialValues: { password: '' },
    bodyOf: (values) => values,
    send: (body, onError) => begin.mutate({ body }, { onSuccess: onBegun, onError }),
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        {begin.error && begin.error.errors.length === 0 && <ErrorNotice error={begin.error} />}
        <PasswordInput
          label={t('ui.account.second.confirmPassword')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={begin.isPending}>
            {t('ui.account.second.go')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function CodeConfirmation({
  begun,
  onDone,
}: {
  begun: AuthenticatorKey
  onDone: (codes: readonly string[]) => void
}) {
  const confirm = useSend(dashboardSecurity.confirmSecondFactor, [
    dashboardSecurity.account,
    dashboard.session,
  ])
  const { form, submit } = useContractForm({
    operation: dashboardSecurity.confirmSecondFactor,
    initialValues: { code: '' },
    bodyOf: (values) => values,
    send: (body, onError) =>
      confirm.mutate({ body }, { onSuccess: ({ codes }) => onDone(codes), onError }),
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('ui.account.second.scan')}</Text>
        <div className={css.qr}>
          <QrCode value={begun.uri} label={t('ui.account.second.qr')} />
          <div>
            <Text size="sm" c="dimmed" mb={4}>
              {t('ui.account.second.secret')}
            </Text>
            <Group gap={6} wrap="nowrap">
              <Code style={{ overflowWrap: 'anywhere' }}>{begun.secret}</Code>
              <Copy value={begun.secret} what={t('ui.account.second.secretName')} />
            </Group>
          </div>
        </div>
        {confirm.error && confirm.error.errors.length === 0 && (
          <ErrorNotice error={confirm.error} />
        )}
        <TextInput
          label={t('ui.account.second.code')}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          withAsterisk={false}
          maxLength={20}
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={confirm.isPending}>
            {t('ui.account.second.turnOn')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Stack>
      <Text>{t('ui.account.second.codesText')}</Text>
      <ul className={css.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <Group gap={6}>
          <Copy value={codes.join('\n')} what={t('ui.account.second.codesName')} />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPrinter size={15} />}
            onClick={() =>
              printCodes(t('ui.account.second.codesTitle'), t('ui.account.second.codesText'), codes)
            }
          >
            {t('ui.account.second.print')}
          </Button>
        </Group>
        <Button onClick={onClose}>{t('ui.account.second.done')}</Button>
      </Group>
    </Stack>
  )
}
