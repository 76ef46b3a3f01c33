import { Button, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Downtime } from '#shared/contract/worklist.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, FactList, Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'

const AskDowntime = lazy(async () => ({
  default: (await import('./ask-downtime.tsx')).DowntimeDialog,
}))

/** The switch that serves the last good answer for longer, with who turned it and until when. */
export function DowntimePanel({ downtime }: { downtime: Downtime }) {
  // Null until it is asked for the first time: its form is loaded then.
  const [isAsking, setIsAsking] = useState<boolean | null>(null)
  const end = useSend(dashboard.endDowntime, [dashboard.status])
  return (
    <Panel
      title={t('ui.dashboard.downtime')}
      aside={
        <Tag tone={downtime.isOn ? 'warning' : 'plain'}>
          {downtime.isOn ? t('ui.dashboard.on') : t('ui.dashboard.off')}
        </Tag>
      }
    >
      <Stack gap={10} align="flex-start">
        {downtime.isOn ? (
          <>
            <Text size="sm">{t('ui.dashboard.downtimeOn')}</Text>
            <FactList
              facts={[
                [t('ui.dashboard.downtimeFacts.by'), downtime.userName],
                [
                  t('ui.dashboard.downtimeFacts.since'),
                  downtime.since ? <Clock key="since" instant={downtime.since} /> : '',
                ],
                [
                  t('ui.dashboard.downtimeFacts.until'),
                  downtime.until ? <Clock key="until" instant={downtime.until} /> : '',
                ],
                [t('ui.dashboard.downtimeFacts.reason'), downtime.reason],
              ]}
            />
            {end.error && <ErrorNotice error={end.error} />}
            <Button loading={end.isPending} onClick={() => end.mutate({})}>
              {t('ui.dashboard.downtimeEnd')}
            </Button>
          </>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t('ui.dashboard.downtimeOff')}
            </Text>
            <Button variant="default" onClick={() => setIsAsking(true)}>
              {t('ui.dashboard.downtimeStart')}…
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
