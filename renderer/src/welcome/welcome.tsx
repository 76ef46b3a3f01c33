import {
  Button,
  Code,
  Group,
  List,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { CLINIC_ROLES, type ClinicRole } from '#shared/contract/people.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { faultsByField } from '../client.ts'
import { Copy } from '../components/copy.tsx'
import { Failed } from '../components/page.tsx'
import { PasswordHint } from '../components/password-hint.tsx'
import { useSend } from '../gateway.ts'
import { said } from '../i18n/said.ts'
import { t, textsOf } from '../i18n/t.ts'
import { ROLE_NAMES } from '../people/roles.ts'
import { useEnter, useSession } from '../session.ts'
import { Door } from '../sign-in/door.tsx'

/**
 * The first screen of a new gateway: with a set-up token the owner's form, without one how to get
 * it.
 */
export function Welcome({ token }: { token: string | null }) {
  useEffect(() => {
    document.title = `${t('ui.welcome.title')} · Isthmus`
  }, [])
  const session = useSession()
  // An account exists: the link is used up, and this screen has nothing more to offer.
  if (session.data?.needsOwner === false) return <Navigate to="/" replace />
  return (
    <Door foot={t('ui.welcome.foot')}>
      {token === null ? <HowToGetTheLink /> : <OwnerForm token={token} />}
    </Door>
  )
}

function HowToGetTheLink() {
  const steps = Object.values(textsOf('ui.welcome.noLink.steps', 'label', 'description'))
  return (
    <Stack>
      <Title order={1}>{t('ui.welcome.title')}</Title>
      <Text>{t('ui.welcome.noLink.intro')}</Text>
      <List spacing="sm">
        {steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <Group gap={6} wrap="nowrap">
        <Code block style={{ flex: 1 }}>
          {t('ui.welcome.noLink.command')}
        </Code>
        <Copy value={t('ui.welcome.noLink.command')} what={t('ui.welcome.noLink.what')} />
      </Group>
      <Text c="dimmed">{t('ui.welcome.noLink.after')}</Text>
    </Stack>
  )
}

function OwnerForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const enter = useEnter()
  const create = useSend(dashboard.createOwner)
  const form = useForm({
    initialValues: {
      clinicName: '',
      firstName: '',
      lastName: '',
      email: '',
      clinicRole: 'Administrative Director' as ClinicRole,
      password: '',
    },
    validate: (values) => {
      const parsed = dashboard.createOwner.body.safeParse({ ...values, token })
      return parsed.success
        ? {}
        : Object.fromEntries(
            parsed.error.issues.map((issue) => [issue.path.join('.'), said(issueMessage(issue))]),
          )
    },
  })
  const { password, firstName, lastName, email, clinicName } = form.values

  const submit = form.onSubmit((values) =>
    create.mutate(
      { body: { ...values, token } },
      {
        onSuccess: (session) => {
          enter(session)
          // A gateway that was set up beforehand, such as by commands, needs no wizard.
          void navigate({ to: session.needsSetup ? '/setup' : '/', replace: true })
        },
        onError: (error) => form.setErrors(faultsByField(error)),
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Title order={1}>{t('ui.welcome.title')}</Title>
        <Text c="dimmed">{t('ui.welcome.intro')}</Text>
        {create.error && <Failed error={create.error} />}
        <TextInput
          label={t('ui.welcome.clinicName')}
          description={t('ui.welcome.clinicNameAbout')}
          autoFocus
          {...form.getInputProps('clinicName')}
        />
        <Group grow align="flex-start">
          <TextInput
            label={t('ui.welcome.firstName')}
            autoComplete="given-name"
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t('ui.welcome.lastName')}
            autoComplete="family-name"
            {...form.getInputProps('lastName')}
          />
        </Group>
        <TextInput
          label={t('ui.welcome.email')}
          description={t('ui.welcome.emailAbout')}
          type="email"
          autoComplete="username"
          {...form.getInputProps('email')}
        />
        <Select
          label={t('ui.welcome.role')}
          data={CLINIC_ROLES.map((role) => ({ value: role, label: ROLE_NAMES[role] }))}
          allowDeselect={false}
          searchable
          {...form.getInputProps('clinicRole')}
        />
        <PasswordInput
          label={t('ui.welcome.password')}
          description={t('ui.welcome.passwordAbout')}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordHint password={password} own={[firstName, lastName, email, clinicName]} />
        <Button type="submit" size="md" mt="xs" loading={create.isPending}>
          {t('ui.welcome.submit')}
        </Button>
      </Stack>
    </form>
  )
}
