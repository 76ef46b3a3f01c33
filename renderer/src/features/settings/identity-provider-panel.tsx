import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { dashboardIdentityProvider } from '#shared/contract/identity-provider.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { Failed } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { SecretForm } from './secret-form.tsx'

/** The client secret, the addresses to register at the identity provider, and a test. */
export function IdentityProviderPanel() {
  const state = useReply(dashboardIdentityProvider.provider, {})
  const test = useSend(dashboardIdentityProvider.test)
  return (
    <Stack gap="sm" mt="sm">
      {state.data && (
        <>
          <SecretForm
            texts="oidc"
            hasSecret={state.data.hasSecret}
            set={dashboardIdentityProvider.setSecret}
            refresh={dashboardIdentityProvider.provider}
          />
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
