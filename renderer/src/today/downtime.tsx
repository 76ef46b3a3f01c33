import { Button, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Downtime } from '#shared/contract/worklist.ts'
import { Clock } from '../components/clock.tsx'
import { Facts, Failed, Panel } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { useSend } from '../gateway.ts'
import { t } from '../i18n/t.ts'

const AskDowntime = lazy(async () => ({
  default: (await import('./ask-downtime.tsx')).AskDowntime,
}))

/** The switch that serves the last good answer for longer, with who turned it and until when. */
export function DowntimePanel({ downtime }: { downtime: Downtime }) {
  // Null until it is asked for the first time: its form is loaded then.
  const [isAsking, setIsAsking] = useState<boolean | null>(null)
  const end = useSend(dashboard.endDowntime, [dashboard.status])
  return (
    <Panel
      title={t('ui.today.downtime')}
      aside={
        <Tag tone={downtime.isOn ? 'warning' : 'plain'}>
          {downtime.isOn ? t('ui.today.on') : t('ui.today.off')}
        </Tag>
      }
    >
      <Stack gap={10} align="flex-start">
        {downtime.isOn ? (
          <>
            <Text size="sm">{t('ui.today.downtimeOn')}</Text>
            <Facts
              facts={[
                [t('ui.today.downtimeFacts.by'), downtime.userName],
                [
                  t('ui.today.downtimeFacts.since'),
                  downtime.since ? <Clock key="since" instant={downtime.since} /> : '',
                ],
                [
                  t('ui.today.downtimeFacts.until'),
                  downtime.until ? <Clock key="until" instant={downtime.until} /> : '',
                ],
                [t('ui.today.downtimeFacts.reason'), downtime.reason],
              ]}
            />
            {end.error && <Failed error={end.error} />}
            <Button loading={end.isPending} onClick={() => end.mutate({})}>
              {t('ui.today.downtimeEnd')}
            </Button>
          </>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t('ui.today.downtimeOff')}
            </Text>
            <Button variant="default" onClick={() => setIsAsking(true)}>
              {t('ui.today.downtimeStart')}…
            </Button>
          </>
        )}
      </Stack>
      {isAsking !== null && (
        <Suspense>
          <AskDowntime isOpen={isAsking} onClose={() => setIsAsking(false)} />
        </Suspense>
      )}
    </Panel>
  )
}
