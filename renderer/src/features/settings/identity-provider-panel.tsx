import { Group, Stack, Text } from '@mantine/core'
import { dashboardIdentityProvider } from '#shared/contract/identity-provider.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { ConnectionTest } from './connection-test.tsx'
import { SecretForm } from './secret-form.tsx'

/** The client secret, the addresses to register at the identity provider, and a test. */
export function IdentityProviderPanel() {
  const state = useReply(dashboardIdentityProvider.provider, {})
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
          <RegistrationAddresses name="redirect" urls={state.data.redirectUrls} />
          <RegistrationAddresses name="signedOut" urls={state.data.signedOutUrls} />
        </>
      )}
      <ConnectionTest texts="oidc" operation={dashboardIdentityProvider.test} />
    </Stack>
  )
}

function RegistrationAddresses({
  name,
  urls,
}: {
  name: 'redirect' | 'signedOut'
  urls: readonly string[]
}) {
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
