import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { durationText, numberText } from '../../format/amounts.ts'
import { SOURCES } from '../../format/answer-source.ts'
import { describeStatus } from '../../format/dimse-status.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Tag } from '../../ui/tone.tsx'

export const columns: readonly Column<InspectionSummary>[] = [
  {
    name: t('ui.worklist-queries.columns.at'),
    track: '84px',
    cell: ({ at, inspectionId }) => (
      <Link to="/queries/$inspectionId" params={{ inspectionId: String(inspectionId) }}>
        <Clock instant={at} />
      </Link>
    ),
  },
  {
    name: t('ui.worklist-queries.columns.device'),
    track: 'minmax(92px, 0.5fr)',
    cell: ({ deviceName, callingAeTitle, origin }) => (
      <>
        <b>{deviceName || callingAeTitle}</b>
        {origin === 'window' && (
          <Text size="xs" c="dimmed">
            {t('ui.worklist-queries.fromWindow')}
          </Text>
        )}
      </>
    ),
  },
  {
    name: t('ui.worklist-queries.columns.sentence'),
    track: 'minmax(260px, 3fr)',
    cell: ({ sentence, repeats, lastAt }) => (
      <>
        {translateMessage(sentence)}
        {lastAt !== null && (
          <Text size="xs" c="dimmed">
            {t('ui.worklist-queries.again', { times: repeats })}
            <Clock instant={lastAt} />
          </Text>
        )}
      </>
    ),
  },
  {
    name: t('ui.worklist-queries.columns.source'),
    track: '124px',
    cell: ({ source, status }) => (
      <>
        <Tag tone={SOURCES[source].tone} meaning={SOURCES[source].meaning}>
          {SOURCES[source].name}
        </Tag>
        <QueryStatus status={status} />
      </>
    ),
  },
  {
    name: t('ui.worklist-queries.columns.sent'),
    track: '52px',
    isRightAligned: true,
    cell: ({ sent }) => <b>{numberText(sent)}</b>,
  },
  {
    name: t('ui.worklist-queries.columns.filtered'),
    track: '56px',
    rank: 2,
    isRightAligned: true,
    cell: ({ filtered }) => numberText(filtered),
  },
  {
    name: t('ui.worklist-queries.columns.withheld'),
    track: '64px',
    rank: 1,
    isRightAligned: true,
    cell: ({ withheld }) => numberText(withheld),
  },
  {
    name: t('ui.worklist-queries.columns.took'),
    track: '66px',
    isRightAligned: true,
    rank: 3,
    cell: ({ tookMs }) => durationText(tookMs),
  },
]

/** The final status: quiet where the device was given its list. */
function QueryStatus({ status }: { status: string }) {
  const { tone, name, meaning } = describeStatus(status)
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
