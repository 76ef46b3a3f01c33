import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, FactList, Panel } from '../../ui/page.tsx'
import { PasswordStrength } from '../../ui/password-hint.tsx'
import { showDone } from '../../ui/undo.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

/** When the password was set, and setting another. */
export function PasswordPanel({ user }: { user: SignedInUser }) {
  const account = useReply(dashboardSecurity.account, {})
  const session = useSession().data
  const [isOpen, setIsOpen] = useState(false)
  const { hasPassword = true, passwordChangedAt = null } = account.data ?? {}
  return (
    <Panel title={t('ui.account.password')}>
      <Stack>
        {account.isError && (
          <ErrorNotice error={account.error} onRetry={() => void account.refetch()} />
        )}
        {!hasPassword && (
          <Text>
            {t(
              session?.proofs.provider ? 'ui.account.passwordProvider' : 'ui.account.passwordNone',
            )}
          </Text>
        )}
        {passwordChangedAt !== null && (
          <FactList
            facts={[[t('ui.account.passwordSet'), <Clock key="at" instant={passwordChangedAt} />]]}
          />
        )}
        {isOpen ? (
          <PasswordForm user={user} onClose={() => setIsOpen(false)} />
        ) : (
          hasPassword && (
            <div>
              <Button variant="default" onClick={() => setIsOpen(true)}>
                {t('ui.account.change')}
              </Button>
            </div>
          )
        )}
      </Stack>
    </Panel>
  )
}

function PasswordForm({ user, onClose }: { user: SignedInUser; onClose: () => void }) {
  const change = useSend(dashboardSecurity.changePassword, [
    dashboardSecurity.account,
    dashboardSecurity.sessions,
  ])
  const { form, submit } = useContractForm({
    operation: dashboardSecurity.changePassword,
    initialValues: { password: '', newPassword: '' },
    bodyOf: (values) => values,
    send(body, onError) {
      const onSuccess = () => {
        showDone(t('ui.account.changed'))
        onClose()
      }
      change.mutate({ body }, { onSuccess, onError })
    },
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        {change.error && change.error.errors.length === 0 && <ErrorNotice error={change.error} />}
        <input
          type="email"
          name="username"
          autoComplete="username"
          value={user.email}
          readOnly
          hidden
        />
        <PasswordInput
          label={t('ui.account.current')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          autoFocus
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label={t('ui.account.next')}
          description={t('ui.account.rules')}
          autoComplete="new-password"
          required
          withAsterisk={false}
          {...form.getInputProps('newPassword')}
        />
        <PasswordStrength
          password={form.values.newPassword}
          own={[user.firstName, user.lastName, user.email]}
        />
        <Text size="sm" c="dimmed">
          {t('ui.account.others')}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.account.cancel')}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {t('ui.account.change')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
