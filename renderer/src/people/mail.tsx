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
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardPeople, type Mail, type MailConfig } from '#shared/contract/dashboard-people.ts'
import { faultsByField } from '../client.ts'
import { Failed, Panel, Waiting } from '../components/page.tsx'
import { Notice, Tag } from '../components/tone.tsx'
import { useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useSession } from '../session.ts'
import { words } from './words.ts'

const { mail: texts } = words

/** The SMTP server that invitations are sent by, and a test of it. */
export function MailPanel() {
  const mail = useReply(dashboardPeople.mail, {})
  const isSet = mail.data !== undefined && mail.data.host !== null && mail.data.from !== null
  return (
    <Panel
      title={texts.title}
      aside={
        mail.data && <Tag tone={isSet ? 'good' : 'plain'}>{isSet ? texts.set : texts.unset}</Tag>
      }
    >
      {mail.isPending && <Waiting rows={3} />}
      {mail.isError && <Failed error={mail.error} onRetry={() => void mail.refetch()} />}
      {mail.data && (
        <Stack>
          <Text size="sm" c="dimmed">
            {texts.about}
          </Text>
          {(mail.data.waiting > 0 || mail.data.failed > 0) && (
            <Notice tone={mail.data.fault === null ? 'info' : 'warning'}>
              {[
                mail.data.waiting > 0 && texts.waiting(mail.data.waiting),
                mail.data.failed > 0 && texts.failed(mail.data.failed),
              ]
                .filter(Boolean)
                .join('; ')}
              {mail.data.fault !== null && `: ${said(mail.data.fault)}.`}
            </Notice>
          )}
          <MailForm mail={mail.data} />
          {isSet && <Test />}
        </Stack>
      )}
    </Panel>
  )
}

function MailForm({ mail }: { mail: Mail }) {
  const save = useSend(dashboardPeople.setMail, [dashboardPeople.mail, dashboardPeople.people])
  const form = useForm({
    initialValues: {
      host: mail.host ?? '',
      port: mail.port as number | string,
      security: mail.security,
      from: mail.from ?? '',
      user: mail.user ?? '',
      password: '',
      certificate: mail.certificate ?? '',
    },
  })
  const submit = form.onSubmit(({ password, ...values }) => {
    const config: MailConfig = {
      host: values.host.trim() || null,
      port: Number(values.port),
      security: values.security,
      from: values.from.trim() || null,
      user: values.user.trim() || null,
      certificate: values.certificate.trim() || null,
    }
    save.mutate(
      { body: { ...config, ...(password !== '' && { password }) } },
      {
        onSuccess() {
          form.setFieldValue('password', '')
          notifications.show({ message: texts.saved, icon: <IconCheck size={18} /> })
        },
        onError: (error) => form.setErrors(faultsByField(error)),
      },
    )
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, md: 3 }} style={{ alignItems: 'end' }}>
          <TextInput
            label={texts.host[0]}
            description={texts.host[1]}
            {...form.getInputProps('host')}
          />
          <Select
            label={texts.security}
            allowDeselect={false}
            data={Object.entries(texts.securities).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('security')}
          />
          <NumberInput
            label={texts.port}
            min={1}
            max={65_535}
            allowDecimal={false}
            hideControls
            {...form.getInputProps('port')}
          />
          <TextInput
            label={texts.from[0]}
            description={texts.from[1]}
            type="email"
            {...form.getInputProps('from')}
          />
          <TextInput
            label={texts.user[0]}
            description={texts.user[1]}
            autoComplete="off"
            {...form.getInputProps('user')}
          />
          <PasswordInput
            label={texts.password[0]}
            description={
              mail.hasPassword ? `${texts.password[1]} ${texts.kept}` : texts.password[1]
            }
            placeholder={mail.hasPassword ? '••••••••••••' : ''}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
        </SimpleGrid>
        <Textarea
          label={texts.certificate[0]}
          description={texts.certificate[1]}
          autosize
          maxRows={6}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('certificate')}
        />
        {save.error && save.error.errors.length === 0 && <Failed error={save.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {texts.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Test() {
  const test = useSend(dashboardPeople.testMail)
  const [to, setTo] = useState(useSession().data?.user?.email ?? '')
  return (
    <>
      <Group align="flex-end">
        <TextInput
          label={texts.testTo}
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
          {texts.test}
        </Button>
      </Group>
      <div role="status">
        {test.data && !test.isPending && (
          <Notice
            tone={test.data.success ? 'good' : 'danger'}
            title={test.data.success ? texts.good : texts.bad}
          >
            {said(test.data.message)}
          </Notice>
        )}
        {test.error && <Failed error={test.error} />}
      </div>
    </>
  )
}
