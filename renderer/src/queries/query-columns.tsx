import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { Clock } from '../components/clock.tsx'
import { Tag } from '../components/tone.tsx'
import type { Column } from '../components/virtual-table.tsx'
import { durationText, numberText } from '../display/amounts.ts'
import { SOURCES } from '../display/answer-source.ts'
import { shownStatus } from '../display/dimse-status.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'

export const columns: readonly Column<InspectionSummary>[] = [
  {
    name: t('ui.queries.columns.at'),
    track: '98px',
    cell: ({ at, inspectionId }) => (
      <Link to="/queries/$inspectionId" params={{ inspectionId: String(inspectionId) }}>
        <Clock instant={at} />
      </Link>
    ),
  },
  {
    name: t('ui.queries.columns.device'),
    track: 'minmax(92px, 0.8fr)',
    cell: ({ deviceName, callingAeTitle, origin }) => (
      <>
        <b>{deviceName || callingAeTitle}</b>
        {origin === 'window' && (
          <Text size="xs" c="dimmed">
            {t('ui.queries.fromWindow')}
          </Text>
        )}
      </>
    ),
  },
  {
    name: t('ui.queries.columns.sentence'),
    track: 'minmax(170px, 3fr)',
    cell: ({ sentence, repeats, lastAt }) => (
      <>
        {said(sentence)}
        {lastAt !== null && (
          <Text size="xs" c="dimmed">
            {t('ui.queries.again', { times: repeats })}
            <Clock instant={lastAt} />
          </Text>
        )}
      </>
    ),
  },
  {
    name: t('ui.queries.columns.source'),
    track: '146px',
    cell: ({ source, status }) => (
      <>
        <Tag tone={SOURCES[source].tone} meaning={SOURCES[source].meaning}>
          {SOURCES[source].name}
        </Tag>
        <Ended status={status} />
      </>
    ),
  },
  {
    name: t('ui.queries.columns.sent'),
    track: '52px',
    isRight: true,
    cell: ({ sent }) => <b>{numberText(sent)}</b>,
  },
  {
    name: t('ui.queries.columns.filtered'),
    track: '56px',
    isRight: true,
    cell: ({ filtered }) => numberText(filtered),
  },
  {
    name: t('ui.queries.columns.withheld'),
    track: '64px',
    isRight: true,
    cell: ({ withheld }) => numberText(withheld),
  },
  {
    name: t('ui.queries.columns.took'),
    track: '66px',
    isRight: true,
    isWideOnly: true,
    cell: ({ tookMs }) => durationText(tookMs),
  },
]

/** The final status: quiet where the device was given its list. */
function Ended({ status }: { status: string }) {
  const { tone, name, meaning } = shownStatus(status)
  const text = (
    <>
      <span className="mono nowrap">{status}</span> {name}
    </>
  )
  if (tone !== 'good')
    return (
      <Tag tone={tone} meaning={meaning} isWrapped>
        {text}
      </Tag>
    )
  return (
    <Text size="xs" c="dimmed" title={meaning}>
      {text}
    </Text>
  )
}
