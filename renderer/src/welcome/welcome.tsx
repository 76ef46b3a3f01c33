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
import { said } from '../language/said.ts'
import { ROLE_NAMES } from '../people/roles.ts'
import { useEnter, useSession } from '../session.ts'
import { Door } from '../sign-in/door.tsx'
import { words } from './words.ts'

/**
 * The first screen of a new gateway: with a set-up token the owner's form, without one how to get
 * it.
 */
export function Welcome({ token }: { token: string | null }) {
  useEffect(() => {
    document.title = `${words.title} · Isthmus`
  }, [])
  const session = useSession()
  // An account exists: the link is used up, and this screen has nothing more to offer.
  if (session.data?.needsOwner === false) return <Navigate to="/" replace />
  return (
    <Door foot={words.foot}>
      {token === null ? <HowToGetTheLink /> : <OwnerForm token={token} />}
    </Door>
  )
}

function HowToGetTheLink() {
  const { intro, steps, command, what, after } = words.noLink
  return (
    <Stack>
      <Title order={1}>{words.title}</Title>
      <Text>{intro}</Text>
      <List spacing="sm">
        {steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <Group gap={6} wrap="nowrap">
        <Code block style={{ flex: 1 }}>
          {command}
        </Code>
        <Copy value={command} what={what} />
      </Group>
      <Text c="dimmed">{after}</Text>
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
        <Title order={1}>{words.title}</Title>
        <Text c="dimmed">{words.intro}</Text>
        {create.error && <Failed error={create.error} />}
        <TextInput
          label={words.clinicName}
          description={words.clinicNameAbout}
          autoFocus
          {...form.getInputProps('clinicName')}
        />
        <Group grow align="flex-start">
          <TextInput
            label={words.firstName}
            autoComplete="given-name"
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={words.lastName}
            autoComplete="family-name"
            {...form.getInputProps('lastName')}
          />
        </Group>
        <TextInput
          label={words.email}
          description={words.emailAbout}
          type="email"
          autoComplete="username"
          {...form.getInputProps('email')}
        />
        <Select
          label={words.role}
          data={CLINIC_ROLES.map((role) => ({ value: role, label: ROLE_NAMES[role] }))}
          allowDeselect={false}
          searchable
          {...form.getInputProps('clinicRole')}
        />
        <PasswordInput
          label={words.password}
          description={words.passwordAbout}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordHint password={password} own={[firstName, lastName, email, clinicName]} />
        <Button type="submit" size="md" mt="xs" loading={create.isPending}>
          {words.submit}
        </Button>
      </Stack>
    </form>
  )
}
