import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardDictation } from '#shared/contract/dictation.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Failed } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'

/** The secret of the speech engine, and a test of its connection. */
export function DictationPanel() {
  const state = useReply(dashboardDictation.state, {})
  const test = useSend(dashboardDictation.test)
  return (
    <Stack gap="sm" mt="sm">
      {state.data && <SecretForm hasSecret={state.data.hasSecret} />}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate({})}
        >
          {t('ui.settings.dictation.test')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('ui.settings.dictation.testAbout')}
        </Text>
      </Group>
      <div role="status">
        {test.data && !test.isPending && (
          <Notice
            tone={test.data.success ? 'good' : 'danger'}
            title={t(`ui.settings.dictation.${test.data.success ? 'good' : 'bad'}`)}
          >
            {translateMessage(test.data.message)}
          </Notice>
        )}
        {test.error && <Failed error={test.error} />}
      </div>
    </Stack>
  )
}

function SecretForm({ hasSecret }: { hasSecret: boolean }) {
  const set = useSend(dashboardDictation.setSecret, [dashboardDictation.state])
  const [secret, setSecret] = useState('')
  const send = (value: string | null) =>
    set.mutate(
      { body: { secret: value } },
      {
        onSuccess() {
          setSecret('')
          notifications.show({
            message: t(`ui.settings.dictation.secret.${value === null ? 'removed' : 'saved'}`),
            icon: <IconCheck size={18} />,
          })
        },
      },
    )
  return (
    <>
      <Group align="flex-end">
        <PasswordInput
          label={t('ui.settings.dictation.secret.label')}
          description={t('ui.settings.dictation.secret.description')}
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
          {t('ui.settings.dictation.secret.save')}
        </Button>
        {hasSecret && (
          <Button variant="default" disabled={set.isPending} onClick={() => send(null)}>
            {t('ui.settings.dictation.secret.remove')}
          </Button>
        )}
      </Group>
      {set.error && <Failed error={set.error} />}
    </>
  )
}
