import { Button, Group, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import type { dashboardDictation } from '#shared/contract/dictation.ts'
import type { dashboardIdentityProvider } from '#shared/contract/identity-provider.ts'
import { useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'

/** Tests the connection to a system of the clinic, and shows the result. */
export function ConnectionTest({
  texts,
  operation,
}: {
  texts: 'dictation' | 'oidc'
  operation: typeof dashboardDictation.test | typeof dashboardIdentityProvider.test
}) {
  const test = useSend(operation as typeof dashboardDictation.test)
  return (
    <>
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate({})}
        >
          {t(`ui.settings.${texts}.test`)}
        </Button>
        <Text size="sm" c="dimmed">
          {t(`ui.settings.${texts}.testAbout`)}
        </Text>
      </Group>
      <div role="status">
        {test.data && !test.isPending && (
          <Notice
            tone={test.data.success ? 'good' : 'danger'}
            title={t(`ui.settings.${texts}.${test.data.success ? 'good' : 'bad'}`)}
          >
            {translateMessage(test.data.message)}
          </Notice>
        )}
        {test.error && <ErrorNotice error={test.error} />}
      </div>
    </>
  )
}
