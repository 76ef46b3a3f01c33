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
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { CLINIC_ROLES, type ClinicRole } from '#shared/contract/people.ts'
import { useSend } from '../../api/queries.ts'
import { type Session, useSession, useStartSession } from '../../api/session.ts'
import { ROLE_NAMES } from '../../format/roles.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { Copy } from '../../ui/copy.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { PasswordStrength } from '../../ui/password-hint.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

/**
 * The first screen of a new gateway: with a set-up token the owner's form, without one how to get
 * it.
 */
export function CreateOwner({ token }: { token: string | null }) {
  useEffect(() => {
    document.title = `${t('ui.create-owner.title')} · Isthmus`
  }, [])
  const session = useSession()
  // An account exists: the link is used up, and this screen has nothing more to offer.
  if (session.data?.needsOwner === false) return <Navigate to="/" replace />
  return (
    <AuthLayout foot={t('ui.create-owner.foot')} screen="/welcome">
      {token === null ? <SetupLinkInstructions /> : <OwnerForm token={token} />}
    </AuthLayout>
  )
}

function SetupLinkInstructions() {
  const steps = Object.values(textsOf('ui.create-owner.noLink.steps', 'label', 'description'))
  return (
    <Stack>
      <Title order={1}>{t('ui.create-owner.title')}</Title>
      <Text>{t('ui.create-owner.noLink.intro')}</Text>
      <List spacing="sm">
        {steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <Group gap={6} wrap="nowrap">
        <Code block style={{ flex: 1 }}>
          {t('ui.create-owner.noLink.command')}
        </Code>
        <Copy value={t('ui.create-owner.noLink.command')} what={t('ui.create-owner.noLink.what')} />
      </Group>
      <Text c="dimmed">{t('ui.create-owner.noLink.after')}</Text>
    </Stack>
  )
}

function OwnerForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const enter = useStartSession()
  const create = useSend(dashboard.createOwner)
  const { form, submit } = useContractForm({
    operation: dashboard.createOwner,
    initialValues: {
      clinicName: '',
      firstName: '',
      lastName: '',
      email: '',
      clinicRole: 'Administrative Director' as ClinicRole,
      password: '',
    },
    bodyOf: (values) => ({ ...values, token }),
    send(body, onError) {
      const onSuccess = (session: Session) => {
        enter(session)
        // A gateway that was set up beforehand, such as by commands, needs no wizard.
        void navigate({ to: session.needsSetup ? '/setup' : '/', replace: true })
      }
      create.mutate({ body }, { onSuccess, onError })
    },
  })
  const { password, firstName, lastName, email, clinicName } = form.values
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Title order={1}>{t('ui.create-owner.title')}</Title>
        <Text c="dimmed">{t('ui.create-owner.intro')}</Text>
        {create.error && <ErrorNotice error={create.error} />}
        <TextInput
          label={t('ui.create-owner.clinicName')}
          description={t('ui.create-owner.clinicNameAbout')}
          autoFocus
          {...form.getInputProps('clinicName')}
        />
        <Group grow align="flex-start">
          <TextInput
            label={t('ui.create-owner.firstName')}
            autoComplete="given-name"
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t('ui.create-owner.lastName')}
            autoComplete="family-name"
            {...form.getInputProps('lastName')}
          />
        </Group>
        <TextInput
          label={t('ui.create-owner.email')}
          description={t('ui.create-owner.emailAbout')}
          type="email"
          autoComplete="username"
          {...form.getInputProps('email')}
        />
        <Select
          label={t('ui.create-owner.role')}
          data={CLINIC_ROLES.map((role) => ({ value: role, label: ROLE_NAMES[role] }))}
          allowDeselect={false}
          searchable
          {...form.getInputProps('clinicRole')}
        />
        <PasswordInput
          label={t('ui.create-owner.password')}
          description={t('ui.create-owner.passwordAbout')}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordStrength password={password} own={[firstName, lastName, email, clinicName]} />
        <Button type="submit" size="md" mt="xs" loading={create.isPending}>
          {t('ui.create-owner.submit')}
        </Button>
      </Stack>
    </form>
  )
}
