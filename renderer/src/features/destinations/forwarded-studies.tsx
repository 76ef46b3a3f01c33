import { Button, Stack } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { dashboardDestinations, type ForwardedStudy } from '#shared/contract/destinations.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ForwardCounts } from '../../ui/forward-counts.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { SUBTLE_DANGER } from '../../ui/subtle-danger.ts'

export const STUDY_FILTERS = ['all', 'waiting', 'failed'] as const
export type ForwardedStudyFilter = (typeof STUDY_FILTERS)[number]

/** What a person decides about a study that waits. */
interface DecisionHandlers {
  readonly onRetry: (study: ForwardedStudy) => void
  readonly onDrop: (study: ForwardedStudy) => void
}

interface ForwardedStudiesProps {
  readonly destinationId: string
  readonly show: ForwardedStudyFilter
  /** Null for who may not decide. */
  readonly decisions: DecisionHandlers | null
  readonly onOpen: (study: ForwardedStudy) => void
}

/** What waits for a destination and what could not be sent, by study. */
export function ForwardedStudies({
  destinationId,
  show,
  decisions,
  onOpen,
}: ForwardedStudiesProps) {
  const query = { destinationId, show, limit: 50 }
  const { isOpen } = useEventStream()
  const { list, pages, more } = usePages(
    keyOf(dashboardDestinations.studies, query),
    (part, signal) => call(dashboardDestinations.studies, { query: { ...query, ...part } }, signal),
    isOpen ? undefined : 10_000,
  )
  const columns = useMemo(
    () => [...studyColumns(onOpen), ...(decisions ? [decisionColumn(decisions)] : [])],
    [onOpen, decisions],
  )
  const studies = pages.flatMap((page) => page.studies)
  return (
    <PagedTable
      tableId="forwarded-studies"
      list={list}
      nothing={{
        icon: IconSend,
        ...(show === 'all'
          ? { title: t('ui.destinations.queueNone'), text: t('ui.destinations.queueNoneText') }
          : { title: t('ui.destinations.queueNoneShown'), text: '' }),
      }}
      label={t('ui.destinations.queueLabel')}
      columns={columns}
      rows={studies}
      keyOf={(row) => row.studyInstanceUid}
      least={decisions ? 824 : 660}
      onOpen={onOpen}
      onEndReached={more}
      end={list.hasNextPage ? t('ui.destinations.more') : t('ui.destinations.last')}
    />
  )
}

const studyColumns = (
  onOpen: (study: ForwardedStudy) => void,
): readonly Column<ForwardedStudy>[] => [
  {
    name: t('ui.destinations.columns.patient'),
    track: 'minmax(150px, 1.2fr)',
    cell: ({ patientName, studyInstanceUid }) => (
      <>
        <PersonName value={patientName} />
        <div>
          <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
            {t('ui.destinations.study')}
          </Link>
        </div>
      </>
    ),
  },
  {
    name: t('ui.destinations.columns.counts'),
    track: 'minmax(150px, 1fr)',
    cell: (study) => <ForwardCounts counts={study} />,
  },
  {
    name: t('ui.destinations.columns.error'),
    track: 'minmax(180px, 2fr)',
    cell: (study) => (
      <>
        {study.lastError && translateMessage(study.lastError)}
        <div>
          <Button
            variant="subtle"
            c="var(--mantine-color-anchor)"
            size="compact-xs"
            ml={-7}
            onClick={() => onOpen(study)}
          >
            {t('ui.destinations.showImages')}
          </Button>
        </div>
      </>
    ),
  },
  {
    name: t('ui.destinations.columns.at'),
    track: '96px',
    cell: ({ updatedAt }) => <Clock instant={updatedAt} />,
  },
]

const decisionColumn = ({ onRetry, onDrop }: DecisionHandlers): Column<ForwardedStudy> => ({
  name: t('ui.destinations.columns.actions'),
  track: '152px',
  cell: (study) =>
    study.waiting + study.failed > 0 && (
      <Stack gap={4}>
        <Button variant="default" size="compact-xs" onClick={() => onRetry(study)}>
          {t('ui.destinations.retry')}
        </Button>
        <Button {...SUBTLE_DANGER} size="compact-xs" onClick={() => onDrop(study)}>
          {t('ui.destinations.drop')}…
        </Button>
      </Stack>
    ),
})
