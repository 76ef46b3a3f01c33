import { Button, Divider, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useEffect, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { faultsByField, type ProblemError } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { useSession, useStartSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { ProviderButton } from './provider-button.tsx'

interface SignInValues {
  email: string
  password: string
  code: string
}

/** The sign-in form. It goes on to the screen whose address the window has. */
export function SignIn({ note }: { note: string }) {
  const enter = useStartSession()
  const signIn = useSend(dashboard.signIn)
  const provider = useSession().data?.provider ?? null
  const form = useForm<SignInValues>({ initialValues: { email: '', password: '', code: '' } })
  // The password was right, and the account has a second factor.
  const [asksCode, setAsksCode] = useState(false)
  useEffect(() => {
    document.title = `${t('ui.sign-in.title')} · Isthmus`
  }, [])

  const submit = form.onSubmit(({ code, ...body }) =>
    signIn.mutate(
      { body: code.trim() === '' ? body : { ...body, code } },
      {
        onSuccess: enter,
        onError: (error) => {
          const faults = faultsByField(error)
          if ('code' in faults) {
            form.setFieldValue('code', '')
            // That a code is wanted is no fault: it is said once one was given.
            if (!asksCode) delete faults.code
            setAsksCode(true)
          }
          form.setErrors(faults)
        },
      },
    ),
  )
  const switchAccount = () => {
    setAsksCode(false)
    form.reset()
    signIn.reset()
  }
  return (
    <AuthLayout foot={t('ui.sign-in.foot')}>
      <form onSubmit={submit}>
        <Stack>
          <Title order={1}>{t('ui.sign-in.title')}</Title>
          {note && <Notice tone="info">{note}</Notice>}
          {signIn.error && signIn.error.errors.length === 0 && <SignInError error={signIn.error} />}
          {provider && !asksCode && (
            <>
              <ProviderButton purpose="sign-in" name={provider.name} variant="filled" />
              <Divider label={t('ui.sign-in.provider.or')} />
            </>
          )}
          {/* Both stay in the form, so that the browser can keep what was right. */}
          <Stack display={asksCode ? 'none' : 'flex'}>
            <TextInput
              label={t('ui.sign-in.email')}
              type="email"
              autoComplete="username"
              required
              withAsterisk={false}
              autoFocus={provider === null}
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label={t('ui.sign-in.password')}
              autoComplete="current-password"
              required
              withAsterisk={false}
              {...form.getInputProps('password')}
            />
          </Stack>
          {asksCode && <CodeField form={form} />}
          <Button
            type="submit"
            loading={signIn.isPending}
            size="md"
            variant={provider ? 'default' : 'filled'}
          >
            {t('ui.sign-in.submit')}
          </Button>
          {asksCode ? (
            <Button variant="subtle" onClick={switchAccount}>
              {t('ui.sign-in.back')}
            </Button>
          ) : (
            <Text size="sm" c="dimmed">
              {t('ui.sign-in.help')}
            </Text>
          )}
        </Stack>
      </form>
    </AuthLayout>
  )
}

/** Of the whole, not of a field: what somebody typed, or the gateway itself. */
function SignInError({ error }: { error: ProblemError }) {
  return error.code === 'not-signed-in' ? (
    <Notice tone="danger">{error.message}</Notice>
  ) : (
    <ErrorNotice error={error} />
  )
}

function CodeField({ form }: { form: UseFormReturnType<SignInValues> }) {
  return (
    <TextInput
      label={t('ui.sign-in.code')}
      description={t('ui.sign-in.codeAbout')}
      autoComplete="one-time-code"
      inputMode="text"
      required
      withAsterisk={false}
      autoFocus
      maxLength={20}
      {...form.getInputProps('code')}
    />
  )
}
