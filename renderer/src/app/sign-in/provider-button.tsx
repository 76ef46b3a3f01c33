import { Button, Stack, Text } from '@mantine/core'
import { IconBuildingHospital } from '@tabler/icons-react'
import type { SignInPurpose } from '#shared/contract/identity-provider.ts'
import { useProviderSignIn } from '../../api/provider-sign-in.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'

/** Signs in, unlocks or confirms at the identity provider of the clinic. */
export function ProviderButton({
  purpose,
  name,
  variant,
  onConfirmed,
}: {
  purpose: SignInPurpose
  name: string
  variant: 'filled' | 'default'
  onConfirmed?: () => void
}) {
  const { start, state, isPending, error } = useProviderSignIn(purpose, onConfirmed)
  return (
    <Stack gap="xs">
      <Button
        size="md"
        variant={variant}
        leftSection={<IconBuildingHospital size={18} />}
        loading={isPending}
        onClick={start}
      >
        {t(`ui.sign-in.provider.${purpose}`, { name: name || t('ui.sign-in.provider.unnamed') })}
      </Button>
      <div role="status">
        {error && <Notice tone="danger">{error.message}</Notice>}
        {state === 'waiting' && !error && (
          <Text size="sm" c="dimmed">
            {t('ui.sign-in.provider.waiting')}
          </Text>
        )}
        {state === 'blocked' && <Notice tone="warning">{t('ui.sign-in.provider.blocked')}</Notice>}
      </div>
    </Stack>
  )
}
