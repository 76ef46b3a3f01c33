import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import { durationText, numberText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './activity.module.css'
import { associationDurationMs, connectionEvents, endOf } from './story.ts'
import { EventSequence } from './story-line.tsx'

export const columns: readonly Column<AssociationSummary>[] = [
  {
    name: t('ui.activity.list.columns.at'),
    track: '104px',
    cell: ({ openedAt, associationId }) => (
      <Link to="/activity/associations/$associationId" params={{ associationId }}>
        <Clock instant={openedAt} />
      </Link>
    ),
  },
  {
    name: t('ui.activity.list.columns.device'),
    track: 'minmax(120px, 1fr)',
    cell: ({ deviceName, aeTitle, address }) => (
      <>
        <b>
          {deviceName ||
            aeTitle ||
            (address === '' ? t('ui.activity.list.callers') : t('ui.activity.list.unnamed'))}
        </b>
        <div className={css.under}>
          {deviceName && <span className="mono">{aeTitle} </span>}
          <span className="mono">{address}</span>
        </div>
      </>
    ),
  },
  {
    name: t('ui.activity.list.columns.story'),
    track: 'minmax(180px, 3fr)',
    cell: (row) => (
      <>
        <EventSequence parts={connectionEvents(row)} />
        {row.how !== 'released' && row.detail && (
          <div className={css.under}>{translateMessage(row.detail)}</div>
        )}
        {row.times > 1 && (
          <Tag tone="plain" meaning={t('ui.activity.list.timesMeaning')}>
            {t('ui.activity.list.times', { count: numberText(row.times) })}
          </Tag>
        )}
      </>
    ),
  },
  {
    name: t('ui.activity.list.columns.end'),
    track: '176px',
    cell: (row) => {
      const { tone, name, meaning } = endOf(row)
      return row.how === 'released' && tone === 'good' ? (
        <Text size="sm" c="dimmed" title={meaning}>
          {name}
        </Text>
      ) : (
        <Tag tone={tone} meaning={meaning} isWrapped>
          {name}
        </Tag>
      )
    },
  },
  {
    name: t('ui.activity.list.columns.took'),
    track: '74px',
    isRightAligned: true,
    isWideOnly: true,
    cell: (row) => {
      const ms = associationDurationMs(row)
      return ms !== null && durationText(ms)
    },
  },
]
