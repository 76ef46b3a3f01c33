import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import { Clock } from '../components/clock.tsx'
import { Tag } from '../components/tone.tsx'
import type { Column } from '../components/virtual-table.tsx'
import { durationText, numberText } from '../display/amounts.ts'
import { said } from '../language/said.ts'
import css from './activity.module.css'
import { endOf, lastedMs, storyOf } from './story.ts'
import { Story } from './story-line.tsx'
import { words } from './words.ts'

const { list: texts } = words

export const columns: readonly Column<AssociationSummary>[] = [
  {
    name: texts.columns.at,
    track: '104px',
    cell: ({ openedAt, associationId }) => (
      <Link to="/activity/associations/$associationId" params={{ associationId }}>
        <Clock instant={openedAt} />
      </Link>
    ),
  },
  {
    name: texts.columns.device,
    track: 'minmax(120px, 1fr)',
    cell: ({ deviceName, aeTitle, address }) => (
      <>
        <b>{deviceName || aeTitle || (address === '' ? texts.callers : texts.unnamed)}</b>
        <div className={css.under}>
          {deviceName && <span className="mono">{aeTitle} </span>}
          <span className="mono">{address}</span>
        </div>
      </>
    ),
  },
  {
    name: texts.columns.story,
    track: 'minmax(180px, 3fr)',
    cell: (row) => (
      <>
        <Story parts={storyOf(row)} />
        {row.how !== 'released' && row.detail && (
          <div className={css.under}>{said(row.detail)}</div>
        )}
        {row.times > 1 && (
          <Tag tone="plain" meaning={texts.timesMeaning}>
            {texts.times(numberText(row.times))}
          </Tag>
        )}
      </>
    ),
  },
  {
    name: texts.columns.end,
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
    name: texts.columns.took,
    track: '74px',
    isRight: true,
    isWideOnly: true,
    cell: (row) => {
      const ms = lastedMs(row)
      return ms !== null && durationText(ms)
    },
  },
]
