import { Button, Group, PasswordInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import type { dashboardDictation } from '#shared/contract/dictation.ts'
import type { dashboardIdentityProvider } from '#shared/contract/identity-provider.ts'
import type { dashboardOtlpExport } from '#shared/contract/otlp-export.ts'
import type { Operation } from '#shared/operation.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'

/** Sets or removes a secret, which is never shown. */
export function SecretForm({
  texts,
  hasSecret,
  set: operation,
  refresh,
}: {
  texts: 'dictation' | 'oidc' | 'otlp'
  hasSecret: boolean
  set:
    | typeof dashboardDictation.setSecret
    | typeof dashboardIdentityProvider.setSecret
    | typeof dashboardOtlpExport.setSecret
  refresh: Operation
}) {
  const set = useSend(operation as typeof dashboardIdentityProvider.setSecret, [refresh])
  const [secret, setSecret] = useState('')
  const send = (value: string | null) =>
    set.mutate(
      { body: { secret: value } },
      {
        onSuccess() {
          setSecret('')
          notifications.show({
            message: t(`ui.settings.${texts}.secret.${value === null ? 'removed' : 'saved'}`),
            icon: <IconCheck size={18} />,
          })
        },
      },
    )
  return (
    <>
      <Group align="flex-end">
        <PasswordInput
          label={t(`ui.settings.${texts}.secret.label`)}
          description={t(`ui.settings.${texts}.secret.description`)}
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
          {t(`ui.settings.${texts}.secret.save`)}
        </Button>
        {hasSecret && (
          <Button variant="default" disabled={set.isPending} onClick={() => send(null)}>
            {t(`ui.settings.${texts}.secret.remove`)}
          </Button>
        )}
      </Group>
      {set.error && <ErrorNotice error={set.error} />}
    </>
  )
}
