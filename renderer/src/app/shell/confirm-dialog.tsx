import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { faultsByField } from '../../api/client.ts'
import { answerConfirmation } from '../../api/identity-confirmation.ts'
import { useReply, useSend } from '../../api/queries.ts'
import type { Session } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { ProviderButton } from '../sign-in/provider-button.tsx'

const acceptConfirmation = () => answerConfirmation(true)

/** Asks for a password or a code, and makes the waiting calls again with it. */
export const ConfirmDialog = ({ session }: { session: Session }) => (
  <Modal
    opened
    onClose={() => answerConfirmation(false)}
    title={t('ui.shell.confirm.title')}
    zIndex={400}
  >
    {session.proofs.provider && session.provider && (
      <Stack mb={session.proofs.password ? 'lg' : 0}>
        <Text>{t('ui.shell.confirm.aboutProvider')}</Text>
        <ProviderButton
          purpose="confirm"
          name={session.provider.name}
          variant={session.proofs.password ? 'default' : 'filled'}
          onConfirmed={acceptConfirmation}
        />
      </Stack>
    )}
    {(session.proofs.password || !session.proofs.provider) && (
      <ConfirmationSent email={session.user?.email ?? ''} />
    )}
  </Modal>
)

function ConfirmationSent({ email }: { email: string }) {
  const account = useReply(dashboardSecurity.account, {})
  if (account.isPending) return <LoadingPlaceholder rows={2} />
  return <ConfirmationForm email={email} hasFactor={account.data?.secondFactor.isOn === true} />
}

function ConfirmationForm({ email, hasFactor }: { email: string; hasFactor: boolean }) {
  const confirm = useSend(dashboardSecurity.confirm)
  const [byCode, setByCode] = useState(hasFactor)
  const form = useForm({ initialValues: { proof: '' } })
  const submit = form.onSubmit(({ proof }) =>
    confirm.mutate(
      { body: byCode ? { code: proof } : { password: proof } },
      {
        onSuccess: () => answerConfirmation(true),
        onError: (error) => {
          const faults = faultsByField(error)
          form.setFieldValue('proof', '')
          form.setErrors({ proof: faults.password ?? faults.code })
          if (error.code === 'not-signed-in') answerConfirmation(false)
        },
      },
    ),
  )
  const other = () => {
    setByCode(!byCode)
    form.reset()
    confirm.reset()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('ui.shell.confirm.about')}</Text>
        {confirm.error && confirm.error.errors.length === 0 && (
          <ErrorNotice error={confirm.error} />
        )}
        {/* For the browser's password store, which knows the password under this name. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        {byCode ? (
          <TextInput
            label={t('ui.shell.confirm.code')}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            withAsterisk={false}
            autoFocus
            data-autofocus
            {...form.getInputProps('proof')}
          />
        ) : (
          <PasswordInput
            label={t('ui.shell.confirm.password')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            autoFocus
            data-autofocus
            {...form.getInputProps('proof')}
          />
        )}
        {hasFactor && (
          <Anchor component="button" type="button" ta="start" onClick={other}>
            {byCode ? t('ui.shell.confirm.byPassword') : t('ui.shell.confirm.byCode')}
          </Anchor>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answerConfirmation(false)}>
            {t('ui.shell.confirm.cancel')}
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            {t('ui.shell.confirm.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
