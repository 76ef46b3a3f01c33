import { Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { faultsByField } from '../../api/client.ts'
import { keyOf, useSend } from '../../api/queries.ts'
import type { Session } from '../../api/session.ts'
import { hasUnsavedDrafts } from '../../api/window-drafts.ts'
import { t } from '../../i18n/t.ts'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { ProviderButton } from '../sign-in/provider-button.tsx'
import { useSignOut } from './leave.ts'
import { closePatientContent, markUnlocked, useIsLockPending } from './lock.ts'

/**
 * In place of every screen while the window is locked: nothing of a patient is in the page.
 * Unlocking shows the same place again.
 */
export function LockScreen({ session }: { session: Session }) {
  const client = useQueryClient()
  const unlock = useSend(dashboardSecurity.unlock)
  const { leave, isLeaving } = useSignOut()
  const isLockPending = useIsLockPending()
  const form = useForm({ initialValues: { password: '' } })
  useEffect(() => {
    document.title = `${t('ui.shell.locked.documentTitle')} · Isthmus`
    closePatientContent()
  }, [])
  const { user, clinicName, proofs, provider } = session
  const isWrong = unlock.error?.code === 'not-signed-in' || unlock.error?.code === 'refused'

  const submit = form.onSubmit((body) =>
    unlock.mutate(
      { body },
      {
        onSuccess: (opened) => {
          client.setQueryData(keyOf(dashboard.session, {}), opened)
          markUnlocked()
        },
        onError: (error) => {
          form.setFieldValue('password', '')
          form.setErrors(faultsByField(error))
        },
      },
    ),
  )
  return (
    <AuthLayout
      foot={
        clinicName
          ? t('ui.shell.locked.about', { clinic: clinicName })
          : t('ui.shell.locked.aboutUnnamed')
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <Title order={1}>{t('ui.shell.locked.title')}</Title>
          <div>
            <Text fw={620} fz="lg">
              {user?.firstName} {user?.lastName}
            </Text>
            <Text c="dimmed">{user?.email}</Text>
          </div>
          {hasUnsavedDrafts() && <Notice tone="info">{t('ui.shell.locked.kept')}</Notice>}
          {isLockPending && unlock.error?.code === 'unreachable' && (
            <Notice tone="warning">{t('ui.shell.locked.telling')}</Notice>
          )}
          {unlock.error &&
            unlock.error.errors.length === 0 &&
            (isWrong ? (
              <Notice tone="danger">{unlock.error.message}</Notice>
            ) : (
              <ErrorNotice error={unlock.error} />
            ))}
          {/* For the browser's password store, which knows the password under this name. */}
          <input
            type="email"
            name="username"
            autoComplete="username"
            value={user?.email ?? ''}
            readOnly
            hidden
          />
          {proofs.provider && provider && (
            <ProviderButton
              purpose="unlock"
              name={provider.name}
              variant={proofs.password ? 'default' : 'filled'}
            />
          )}
          {proofs.password && (
            <PasswordInput
              label={t('ui.shell.locked.password')}
              autoComplete="current-password"
              required
              withAsterisk={false}
              autoFocus
              {...form.getInputProps('password')}
            />
          )}
          {proofs.password && (
            <Button type="submit" size="md" loading={unlock.isPending}>
              {t('ui.shell.locked.unlock')}
            </Button>
          )}
          <div>
            <Anchor component="button" type="button" onClick={leave} disabled={isLeaving}>
              {t('ui.shell.locked.other')}
            </Anchor>
            {hasUnsavedDrafts() && (
              <Text size="sm" c="dimmed">
                {t('ui.shell.locked.otherAsk')}
              </Text>
            )}
          </div>
        </Stack>
      </form>
    </AuthLayout>
  )
}
