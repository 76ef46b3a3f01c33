import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardIdentityProvider } from '#shared/contract/identity-provider.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { Failed } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'

/** The client secret, the addresses to register at the identity provider, and a test. */
export function IdentityProviderPanel() {
  const state = useReply(dashboardIdentityProvider.provider, {})
  const test = useSend(dashboardIdentityProvider.test)
  return (
    <Stack gap="sm" mt="sm">
      {state.data && (
        <>
          <SecretForm hasSecret={state.data.hasSecret} />
          <Addresses name="redirect" urls={state.data.redirectUrls} />
          <Addresses name="signedOut" urls={state.data.signedOutUrls} />
        </>
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate({})}
        >
          {t('ui.settings.oidc.test')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('ui.settings.oidc.testAbout')}
        </Text>
      </Group>
      <div role="status">
        {test.data && !test.isPending && (
          <Notice
            tone={test.data.success ? 'good' : 'danger'}
            title={t(`ui.settings.oidc.${test.data.success ? 'good' : 'bad'}`)}
          >
            {translateMessage(test.data.message)}
          </Notice>
        )}
        {test.error && <Failed error={test.error} />}
      </div>
    </Stack>
  )
}

function Addresses({ name, urls }: { name: 'redirect' | 'signedOut'; urls: readonly string[] }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {t(`ui.settings.oidc.${name}.label`)}
      </Text>
      <Text size="sm" c="dimmed">
        {t(`ui.settings.oidc.${name}.description`)}
      </Text>
      {urls.map((url) => (
        <Group key={url} gap="xs">
          <Text size="sm" ff="monospace">
            {url}
          </Text>
          <Copy value={url} what={url} />
        </Group>
      ))}
    </div>
  )
}

function SecretForm({ hasSecret }: { hasSecret: boolean }) {
  const set = useSend(dashboardIdentityProvider.setSecret, [dashboardIdentityProvider.provider])
  const [secret, setSecret] = useState('')
  const send = (value: string | null) =>
    set.mutate(
      { body: { secret: value } },
      {
        onSuccess() {
          setSecret('')
          notifications.show({
            message: t(`ui.settings.oidc.secret.${value === null ? 'removed' : 'saved'}`),
            icon: <IconCheck size={18} />,
          })
        },
      },
    )
  return (
    <>
      <Group align="flex-end">
        <PasswordInput
          label={t('ui.settings.oidc.secret.label')}
          description={t('ui.settings.oidc.secret.description')}
          placeholder={hasSecret ? '••••••••••••' : ''}
          autoComplete="new-password"
          value={secret}
          onChange={({ currentTarget }) => setSecret(currentTarget.value)}
          style={{ flex: 1 }}
        />
        <Button
          variant="default"
          disabled={secret.trim() === ''}
          loading={set.isPending}
          onClick={() => send(secret.trim())}
        >
          {t('ui.settings.oidc.secret.save')}
        </Button>
        {hasSecret && (
          <Button variant="default" disabled={set.isPending} onClick={() => send(null)}>
            {t('ui.settings.oidc.secret.remove')}
          </Button>
        )}
      </Group>
      {set.error && <Failed error={set.error} />}
    </>
  )
}
