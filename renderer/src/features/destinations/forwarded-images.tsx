import { Stack, Text } from '@mantine/core'
import {
  dashboardDestinations,
  type Forward,
  type ForwardedStudy,
} from '#shared/contract/destinations.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'
import type { Tone } from '../../format/tones.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Tag } from '../../ui/tone.tsx'

const TONES = {
  waiting: 'info',
  sent: 'good',
  failed: 'danger',
  dropped: 'plain',
} as const satisfies Record<Forward['state'], Tone>

const columns: readonly Column<Forward>[] = [
  {
    name: t('ui.destinations.instanceColumns.image'),
    track: '108px',
    cell: ({ sopInstanceUid }) => (
      <span className="mono" title={sopInstanceUid}>
        …{sopInstanceUid.slice(-11)}
      </span>
    ),
  },
  {
    name: t('ui.destinations.instanceColumns.state'),
    track: '88px',
    cell: ({ state }) => (
      <Tag tone={TONES[state]}>{t(`ui.destinations.forwardStates.${state}.name`)}</Tag>
    ),
  },
  {
    name: t('ui.destinations.instanceColumns.status'),
    track: 'minmax(140px, 2fr)',
    cell: ({ status, lastError, nextAt }) => {
      const reason = lastError ? translateMessage(lastError) : ''
      return (
        <>
          {status && !reason.includes(status) && <span className="mono">{status}</span>} {reason}
          {nextAt && (
            <Text size="xs" c="dimmed">
              {t('ui.destinations.next')} <Clock instant={nextAt} />
            </Text>
          )}
        </>
      )
    },
  },
  {
    name: t('ui.destinations.instanceColumns.attempts'),
    track: '60px',
    cell: ({ attempts }) => <span className="tabular">{attempts}</span>,
  },
  {
    name: t('ui.destinations.instanceColumns.as'),
    track: 'minmax(90px, 1fr)',
    cell: ({ sentAs }) => sentAs,
  },
  {
    name: t('ui.destinations.instanceColumns.at'),
    track: '76px',
    cell: ({ updatedAt }) => <Clock instant={updatedAt} />,
  },
]

/** The images of one study on their way to one destination, what is not sent first. */
export function ForwardedImages({ study }: { study: ForwardedStudy }) {
  const { destinationId, studyInstanceUid } = study
  const params = { destinationId, studyInstanceUid }
  const { list, pages, more } = usePages(
    keyOf(dashboardDestinations.instances, params),
    (part, signal) =>
      call(dashboardDestinations.instances, { params, query: { limit: 100, ...part } }, signal),
  )
  return (
    <Stack gap={12}>
      <PersonName value={study.patientName} />
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <LoadingPlaceholder rows={6} />}
      {list.isSuccess && (
        <DataTable
          label={t('ui.destinations.showImages')}
          columns={columns}
          rows={pages.flatMap((page) => page.instances)}
          keyOf={(row) => row.forwardId}
          least={640}
          onEndReached={more}
          end={list.hasNextPage ? t('ui.destinations.more') : t('ui.destinations.last')}
        />
      )}
    </Stack>
  )
}
