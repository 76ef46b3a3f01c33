import {
  Button,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardPeople, type Mail, type MailConfig } from '#shared/contract/dashboard-people.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

const SECURITY_TEXTS = textsOf('ui.users.mail.securities', 'starttls', 'tls', 'none')

/** The SMTP server that invitations are sent by, and a test of it. */
export function MailPanel() {
  const mail = useReply(dashboardPeople.mail, {})
  const isSet = mail.data !== undefined && mail.data.host !== null && mail.data.from !== null
  return (
    <Panel
      title={t('ui.users.mail.title')}
      aside={
        mail.data && (
          <Tag tone={isSet ? 'good' : 'plain'}>
            {isSet ? t('ui.users.mail.set') : t('ui.users.mail.unset')}
          </Tag>
        )
      }
    >
      {mail.isPending && <LoadingPlaceholder rows={3} />}
      {mail.isError && <ErrorNotice error={mail.error} onRetry={() => void mail.refetch()} />}
      {mail.data && (
        <Stack>
          <Text size="sm" c="dimmed">
            {t('ui.users.mail.about')}
          </Text>
          {(mail.data.waiting > 0 || mail.data.failed > 0) && (
            <Notice tone={mail.data.fault === null ? 'info' : 'warning'}>
              {[
                mail.data.waiting > 0 && t('ui.users.mail.waiting', { count: mail.data.waiting }),
                mail.data.failed > 0 && t('ui.users.mail.failed', { count: mail.data.failed }),
              ]
                .filter(Boolean)
                .join('; ')}
              {mail.data.fault !== null && `: ${translateMessage(mail.data.fault)}.`}
            </Notice>
          )}
          <MailForm mail={mail.data} />
          {isSet && <MailTestForm />}
        </Stack>
      )}
    </Panel>
  )
}

function MailForm({ mail }: { mail: Mail }) {
  const save = useSend(dashboardPeople.setMail, [dashboardPeople.mail, dashboardPeople.people])
  const { form, submit } = useContractForm({
    operation: dashboardPeople.setMail,
    initialValues: {
      host: mail.host ?? '',
      port: mail.port as number | string,
      security: mail.security,
      from: mail.from ?? '',
      user: mail.user ?? '',
      password: '',
      certificate: mail.certificate ?? '',
    },
    bodyOf: ({ password, ...values }): MailConfig & { password?: string } => ({
      host: values.host.trim() || null,
      port: Number(values.port),
      security: values.security,
      from: values.from.trim() || null,
      user: values.user.trim() || null,
      certificate: values.certificate.trim() || null,
      ...(password !== '' && { password }),
    }),
    send: (body, onError) =>
      save.mutate(
        { body },
        {
          onSuccess() {
            form.setFieldValue('password', '')
            form.resetDirty()
            notifications.show({ message: t('ui.users.mail.saved'), icon: <IconCheck size={18} /> })
          },
          onError,
        },
      ),
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, md: 3 }} style={{ alignItems: 'end' }}>
          <TextInput
            label={t('ui.users.mail.host.label')}
            description={t('ui.users.mail.host.description')}
            {...form.getInputProps('host')}
          />
          <Select
            label={t('ui.users.mail.security')}
            allowDeselect={false}
            data={Object.entries(SECURITY_TEXTS).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('security')}
          />
          <NumberInput
            label={t('ui.users.mail.port')}
            min={1}
            max={65_535}
            allowDecimal={false}
            hideControls
            {...form.getInputProps('port')}
          />
          <TextInput
            label={t('ui.users.mail.from.label')}
            description={t('ui.users.mail.from.description')}
            type="email"
            {...form.getInputProps('from')}
          />
          <TextInput
            label={t('ui.users.mail.user.label')}
            description={t('ui.users.mail.user.description')}
            autoComplete="off"
            {...form.getInputProps('user')}
          />
          <PasswordInput
            label={t('ui.users.mail.password.label')}
            description={
              mail.hasPassword
                ? `${t('ui.users.mail.password.description')} ${t('ui.users.mail.kept')}`
                : t('ui.users.mail.password.description')
            }
            placeholder={mail.hasPassword ? '••••••••••••' : ''}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
        </SimpleGrid>
        <Textarea
          label={t('ui.users.mail.certificate.label')}
          description={t('ui.users.mail.certificate.description')}
          autosize
          maxRows={6}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('certificate')}
        />
        {save.error && save.error.errors.length === 0 && <ErrorNotice error={save.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t('ui.users.mail.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function MailTestForm() {
  const test = useSend(dashboardPeople.testMail)
  const [to, setTo] = useState(useSession().data?.user?.email ?? '')
  return (
    <>
      <Group align="flex-end">
        <TextInput
          label={t('ui.users.mail.testTo')}
          type="email"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          style={{ flex: 1 }}
        />
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate({ body: { to: to.trim() } })}
        >
          {t('ui.users.mail.test')}
        </Button>
      </Group>
      <div role="status">
        {test.data && !test.isPending && (
          <Notice
            tone={test.data.success ? 'good' : 'danger'}
            title={test.data.success ? t('ui.users.mail.good') : t('ui.users.mail.bad')}
          >
            {translateMessage(test.data.message)}
          </Notice>
        )}
        {test.error && <ErrorNotice error={test.error} />}
      </div>
    </>
  )
}
