import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconGauge } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardEvents, type MeterRow } from '#shared/contract/events.ts'
import { useReply } from '../../api/queries.ts'
import { durationText, numberText } from '../../format/amounts.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../format/event-types.ts'
import { percentText } from '../../format/percent.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { EmptyList } from '../../ui/paged-table.tsx'
import css from './events.module.css'
import { partsOf } from './meter-parts.ts'
import { EventTabs } from './tabs.tsx'

const DAYS = ['1', '7', '30', '90'] as const

/** How well the partner keeps to the contract, by event. */
export function Meter() {
  const [days, setDays] = useState<string>('7')
  const reply = useReply(
    dashboardEvents.meter,
    { query: { days: Number(days) } },
    { every: 30_000 },
  )
  const rows = reply.data?.rows.filter(({ calls }) => calls > 0) ?? []
  const ordered = [...rows].sort(
    (a, b) => EVENT_ORDER.indexOf(a.type) - EVENT_ORDER.indexOf(b.type),
  )
  return (
    <Page title={t('ui.events.title')} about={t('ui.events.meter.about')}>
      <EventTabs />
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={t('ui.events.meter.days')}
          value={days}
          onChange={setDays}
          data={DAYS.map((value) => ({
            value,
            label: t('ui.events.meter.day', { days: Number(value) }),
          }))}
        />
      </Group>
      {reply.isPending && <LoadingPlaceholder rows={4} height={120} />}
      {reply.isError && !reply.data && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {reply.data && rows.length === 0 && (
        <EmptyList
          icon={IconGauge}
          title={t('ui.events.meter.none')}
          text={t('ui.events.meter.noneText')}
        />
      )}
      <div className={css.meters}>
        {ordered.map((row) => (
          <EventMeter key={row.type} row={row} />
        ))}
      </div>
    </Page>
  )
}

function EventMeter({ row }: { row: MeterRow }) {
  const parts = partsOf(row)
  return (
    <Panel
      title={EVENT_NAMES[row.type].name}
      aside={
        <Link to="/events" search={{ type: row.type }}>
          {t('ui.events.meter.calls', { count: row.calls })}
        </Link>
      }
    >
      <Stack gap={12}>
        <div>
          <div className={css.bar} aria-hidden>
            {parts.map(({ name, tone, count }) => (
              <span key={name} data-tone={tone} style={{ flexGrow: count }} />
            ))}
          </div>
          <ul className={css.legend}>
            {parts.map(({ name, tone, count }) => (
              <li key={name}>
                <i data-tone={tone} aria-hidden />
                {numberText(count)} {name}
                <span className={css.quiet}> ({percent(count, row.calls)})</span>
              </li>
            ))}
          </ul>
        </div>
        {row.p50Ms !== null && row.p95Ms !== null && (
          <div className={css.quiet}>
            {t('ui.events.meter.median')} {durationText(row.p50Ms)} · {t('ui.events.meter.slow')}{' '}
            {durationText(row.p95Ms)}
          </div>
        )}
        {row.notes.length > 0 ? (
          <div>
            <b>{t('ui.events.meter.notes')}</b>
            <ul className={css.notes}>
              {row.notes.map(({ path, sentence, count, eventId }) => (
                <li key={`${path} ${translateMessage(sentence)}`}>
                  <b>{t('ui.events.meter.times', { count: numberText(count) })}</b>{' '}
                  <code>{path}</code> {translateMessage(sentence)}{' '}
                  <Link to="/events/$eventId" params={{ eventId }}>
                    {t('ui.events.meter.example')}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ) : (
          parts.length === 1 &&
          row.accepted === row.calls && (
            <Text size="sm" c="dimmed">
              {t('ui.events.meter.perfect')}
            </Text>
          )
        )}
      </Stack>
    </Panel>
  )
}

function percent(count: number, all: number): string {
  const share = count / all
  return share > 0 && share < 0.01
    ? t('ui.events.meter.under1')
    : share > 0.99 && share < 1
      ? t('ui.events.meter.over99')
      : percentText(share)
}
