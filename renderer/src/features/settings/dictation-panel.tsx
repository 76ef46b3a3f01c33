import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { dashboardDictation } from '#shared/contract/dictation.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Failed } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { SecretForm } from './secret-form.tsx'

/** The secret of the speech engine, and a test of its connection. */
export function DictationPanel() {
  const state = useReply(dashboardDictation.state, {})
  const test = useSend(dashboardDictation.test)
  return (
    <Stack gap="sm" mt="sm">
      {state.data && (
        <SecretForm
          texts="dictation"
          hasSecret={state.data.hasSecret}
          set={dashboardDictation.setSecret}
          refresh={dashboardDictation.state}
        />
      )}
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
