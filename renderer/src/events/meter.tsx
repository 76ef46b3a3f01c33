import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconGauge } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardEvents, type MeterRow } from '#shared/contract/events.ts'
import { Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { NothingListed } from '../components/paged-table.tsx'
import { durationText, numberText } from '../display/amounts.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../display/event-types.ts'
import { useReply } from '../gateway.ts'
import { said } from '../language/said.ts'
import css from './events.module.css'
import { partsOf } from './meter-parts.ts'
import { EventTabs } from './tabs.tsx'
import { words } from './words.ts'

const { meter: texts } = words
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
    <Page title={words.title} about={texts.about}>
      <EventTabs />
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={texts.days}
          value={days}
          onChange={setDays}
          data={DAYS.map((value) => ({ value, label: texts.day(Number(value)) }))}
        />
      </Group>
      {reply.isPending && <Waiting rows={4} height={120} />}
      {reply.isError && !reply.data && (
        <Failed error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {reply.data && rows.length === 0 && (
        <NothingListed icon={IconGauge} title={texts.none} text={texts.noneText} />
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
          {texts.calls(row.calls)}
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
            {texts.median} {durationText(row.p50Ms)} · {texts.slow} {durationText(row.p95Ms)}
          </div>
        )}
        {row.notes.length > 0 ? (
          <div>
            <b>{texts.notes}</b>
            <ul className={css.notes}>
              {row.notes.map(({ path, sentence, count, eventId }) => (
                <li key={`${path} ${said(sentence)}`}>
                  <b>{texts.times(numberText(count))}</b> <code>{path}</code> {said(sentence)}{' '}
                  <Link to="/events/$eventId" params={{ eventId }}>
                    {texts.example}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ) : (
          parts.length === 1 &&
          row.accepted === row.calls && (
            <Text size="sm" c="dimmed">
              {texts.perfect}
            </Text>
          )
        )}
      </Stack>
    </Panel>
  )
}

function percent(count: number, all: number): string {
  const share = (count / all) * 100
  return share > 0 && share < 1
    ? texts.under1
    : share > 99 && share < 100
      ? texts.over99
      : `${Math.round(share)} %`
}
