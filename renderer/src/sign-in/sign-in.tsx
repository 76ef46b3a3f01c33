import { Button, Code, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { faultsByField } from '../client.ts'
import { Failed } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { useSend } from '../gateway.ts'
import { useEnter } from '../session.ts'
import { Door } from './door.tsx'
import { words } from './words.ts'

/** The sign-in form. It goes on to the screen whose address the window has. */
export function SignIn({ note }: { note: string }) {
  const enter = useEnter()
  const signIn = useSend(dashboard.signIn)
  const form = useForm({ initialValues: { email: '', password: '' } })
  useEffect(() => {
    document.title = `${words.title} · Isthmus`
  }, [])

  const submit = form.onSubmit((body) =>
    signIn.mutate({ body }, { onSuccess: enter, onError: (error) => form.setErrors(faultsByField(error)) }),
  )
  return (
    <Door foot={words.foot}>
      <form onSubmit={submit}>
        <Stack>
          <Title order={1}>{words.title}</Title>
          {note && <Notice tone="info">{note}</Notice>}
          {signIn.error &&
            (signIn.error.code === 'not-signed-in' ? (
              <Notice tone="danger">{signIn.error.message}</Notice>
            ) : (
              <Failed error={signIn.error} />
            ))}
          <TextInput
            label={words.email}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={words.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={signIn.isPending} size="md">
            {words.submit}
          </Button>
          <Text size="sm" c="dimmed">
            {words.help} <Code>{words.command}</Code>
          </Text>
        </Stack>
      </form>
    </Door>
  )
}
