import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { keyOf, useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { showDone } from '../../ui/undo.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

/** My names and telephone number. */
export function ProfilePanel({ user }: { user: SignedInUser }) {
  const client = useQueryClient()
  const change = useSend(dashboardSecurity.changeAccount)
  const { form, submit } = useContractForm({
    operation: dashboardSecurity.changeAccount,
    initialValues: { firstName: user.firstName, lastName: user.lastName, phoneNumber: '' },
    bodyOf({ firstName, lastName, phoneNumber }) {
      const digits = phoneNumber.replace(/\D/g, '')
      return { firstName, lastName, ...(digits !== '' && { phoneNumber: digits }) }
    },
    send: (body, onError) =>
      change.mutate(
        { body },
        {
          onSuccess: (session) => {
            client.setQueryData(keyOf(dashboard.session, {}), session)
            form.resetDirty()
            showDone(t('ui.account.saved'))
          },
          onError,
        },
      ),
  })
  return (
    <Panel title={t('ui.account.me')}>
      <form onSubmit={submit}>
        <Stack>
          {change.error && change.error.errors.length === 0 && <ErrorNotice error={change.error} />}
          <Group grow align="flex-start">
            <TextInput
              label={t('ui.account.firstName')}
              autoComplete="given-name"
              required
              withAsterisk={false}
              {...form.getInputProps('firstName')}
            />
            <TextInput
              label={t('ui.account.lastName')}
              autoComplete="family-name"
              required
              withAsterisk={false}
              {...form.getInputProps('lastName')}
            />
          </Group>
          <Text size="sm" c="dimmed" mt={-8}>
            {t('ui.account.names')}
          </Text>
          <TextInput
            label={t('ui.account.phone')}
            description={t('ui.account.phoneAbout')}
            type="tel"
            autoComplete="tel"
            {...form.getInputProps('phoneNumber')}
          />
          <Button
            type="submit"
            loading={change.isPending}
            disabled={!form.isDirty()}
            style={{ alignSelf: 'flex-start' }}
          >
            {t('ui.account.save')}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
