import { Button, Loader, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity, type ThisWorkstation } from '#shared/contract/dashboard-security.ts'
import { keyOf, useReply, useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import css from '../../ui/auth-layout.module.css'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

const POLL_MS = 3000

/**
 * On a PC of the clinic's network that nobody has approved: how to have it approved. It goes on by
 * itself once it is.
 */
export function WorkstationAccess() {
  const client = useQueryClient()
  const reply = useReply(dashboardSecurity.thisWorkstation, {}, { every: POLL_MS, staleTime: 0 })
  useEffect(() => {
    document.title = `${t('ui.sign-in.workstation.documentTitle')} · Isthmus`
  }, [])
  const state = reply.data?.state
  useEffect(() => {
    if (state === 'approved' || state === 'here')
      void client.invalidateQueries({ queryKey: keyOf(dashboard.session) })
  }, [state, client])

  return (
    <AuthLayout foot={reply.data?.clinicName || t('ui.sign-in.foot')}>
      <Stack>
        <Title order={1}>{t('ui.sign-in.workstation.title')}</Title>
        <Text c="dimmed">{t('ui.sign-in.workstation.about')}</Text>
        {reply.isPending && <LoadingPlaceholder rows={3} />}
        {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
        {state === 'unknown' && <AccessRequestForm />}
        {state !== undefined && state !== 'unknown' && reply.data && (
          <PendingRequest workstation={reply.data} />
        )}
      </Stack>
    </AuthLayout>
  )
}

function AccessRequestForm() {
  const client = useQueryClient()
  const ask = useSend(dashboardSecurity.askForWorkstation)
  const { form, submit } = useContractForm({
    operation: dashboardSecurity.askForWorkstation,
    initialValues: { name: '' },
    bodyOf: (values) => values,
    send: (body, onError) =>
      ask.mutate(
        { body },
        {
          onSuccess: (workstation) =>
            client.setQueryData(keyOf(dashboardSecurity.thisWorkstation, {}), workstation),
          onError,
        },
      ),
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        {ask.error && ask.error.errors.length === 0 && <ErrorNotice error={ask.error} />}
        <TextInput
          label={t('ui.sign-in.workstation.name')}
          description={t('ui.sign-in.workstation.nameAbout')}
          placeholder={t('ui.sign-in.workstation.nameExample')}
          required
          withAsterisk={false}
          minLength={2}
          maxLength={64}
          autoFocus
          {...form.getInputProps('name')}
        />
        <Button type="submit" size="md" loading={ask.isPending}>
          {t('ui.sign-in.workstation.ask')}
        </Button>
      </Stack>
    </form>
  )
}

function PendingRequest({ workstation: { code, name } }: { workstation: ThisWorkstation }) {
  return (
    <Stack>
      <div className={css.code} role="status">
        <span>{t('ui.sign-in.workstation.code')}</span>
        <b>{code}</b>
      </div>
      <Text>
        {t('ui.sign-in.workstation.known', { name })} {t('ui.sign-in.workstation.compare')}
      </Text>
      <Text c="dimmed">
        <Loader size="xs" mr="sm" />
        {t('ui.sign-in.workstation.goesOn')}
      </Text>
    </Stack>
  )
}
