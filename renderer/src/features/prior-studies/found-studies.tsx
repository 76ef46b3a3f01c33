import { Button, Stack, Text } from '@mantine/core'
import { IconDownload, IconSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  dashboardDestinations,
  type PriorRetrieval,
  type PriorStudy,
} from '#shared/contract/destinations.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { durationText, numberText } from '../../format/amounts.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, ErrorNotice, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Tag } from '../../ui/tone.tsx'
import type { PriorSearchResult } from './found.ts'
import { RETRIEVAL_TONES } from './found.ts'

/**
 * Studies the other system named; each can be fetched. `patientId`: of the study the person came
 * from.
 */
export function FoundStudies({
  found,
  patientId,
}: {
  found: PriorSearchResult
  patientId: string | undefined
}) {
  const { destinationId, studies, tookMs } = found
  const pull = useSend(dashboardDestinations.pull, [dashboardDestinations.pulls])
  const pulls = useReply(dashboardDestinations.pulls, {}).data?.pulls
  const { mutate } = pull
  const columns = useMemo(() => {
    const fetch = (studyInstanceUid: string) =>
      mutate({ params: { destinationId }, body: { studyInstanceUid } })
    // The newest pull of a study comes first.
    const stateOf = (studyInstanceUid: string) =>
      pulls?.find((one) => one.studyInstanceUid === studyInstanceUid)?.state
    return [...columnsFor(patientId), retrieveColumn(fetch, stateOf)]
  }, [patientId, destinationId, mutate, pulls])
  return (
    <Panel
      isFlush
      title={t('ui.prior-studies.results')}
      aside={
        <Text size="sm" c="dimmed">
          {t('ui.prior-studies.found', { studies: studies.length, took: durationText(tookMs) })}
        </Text>
      }
    >
      {pull.error && <ErrorNotice error={pull.error} />}
      {studies.length === 0 ? (
        <EmptyState
          icon={<IconSearch size={34} stroke={1.3} />}
          title={t('ui.prior-studies.nothing')}
        >
          {t('ui.prior-studies.nothingText')}
        </EmptyState>
      ) : (
        <DataTable
          label={t('ui.prior-studies.label')}
          columns={columns}
          rows={studies}
          keyOf={(row) => row.studyInstanceUid}
          least={680}
        />
      )}
    </Panel>
  )
}

const columnsFor = (wanted: string | undefined): readonly Column<PriorStudy>[] => [
  {
    name: t('ui.prior-studies.columns.patient'),
    sortBy: ({ patientName }) => patientName,
    track: 'minmax(160px, 1.5fr)',
    cell: ({ patientName, patientId, patientBirthDate }) => (
      <>
        <PersonName value={patientName} />
        <div className="mono">{patientId}</div>
        {patientBirthDate && (
          <div>{`${t('ui.prior-studies.born')} ${dayText(patientBirthDate)}`}</div>
        )}
        {wanted !== undefined && wanted.trim() !== patientId.trim() && (
          <Tag tone="warning" meaning={t('ui.prior-studies.otherPatientMeaning')}>
            {t('ui.prior-studies.otherPatient')}
          </Tag>
        )}
      </>
    ),
  },
  {
    name: t('ui.prior-studies.columns.date'),
    sortBy: ({ studyDate, studyTime }) => `${studyDate}${studyTime}`,
    track: '96px',
    cell: ({ studyDate, studyTime }) => (
      <span className="tabular">
        {dayText(studyDate)}
        <br />
        {timeText(studyTime)}
      </span>
    ),
  },
  {
    name: t('ui.prior-studies.columns.exam'),
    sortBy: ({ modalities, studyDescription }) => `${modalities.join()} ${studyDescription}`,
    track: 'minmax(130px, 1.6fr)',
    cell: ({ modalities, studyDescription, accessionNumber }) => (
      <>
        <b>{modalities.join(', ')}</b> {studyDescription}
        <Text size="sm" c="dimmed" className="mono">
          {accessionNumber}
        </Text>
      </>
    ),
  },
  {
    name: t('ui.prior-studies.columns.images'),
    sortBy: ({ instances }) => instances,
    track: '76px',
    cell: ({ instances, here }) => (
      <span className="tabular">
        {instances !== null && numberText(instances)}
        {here > 0 && (
          <div>
            {instances !== null && here >= instances
              ? t('ui.prior-studies.hereAll')
              : t('ui.prior-studies.hereSome', { here: numberText(here) })}
          </div>
        )}
      </span>
    ),
  },
]

const retrieveColumn = (
  onFetch: (studyInstanceUid: string) => void,
  stateOf: (studyInstanceUid: string) => PriorRetrieval['state'] | undefined,
): Column<PriorStudy> => ({
  name: t('ui.prior-studies.columns.here'),
  track: '118px',
  cell: ({ studyInstanceUid, here }) => {
    const state = stateOf(studyInstanceUid)
    const isHere = here > 0 || state === 'done'
    return (
      <Stack gap={4} align="flex-start">
        {state === 'running' ? (
          <Tag tone={RETRIEVAL_TONES.running}>{t('ui.prior-studies.states.running.name')}</Tag>
        ) : (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconDownload size={14} />}
            onClick={() => onFetch(studyInstanceUid)}
          >
            {isHere ? t('ui.prior-studies.fetchAgain') : t('ui.prior-studies.fetch')}
          </Button>
        )}
        {isHere && (
          <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
            {t('ui.prior-studies.open')}
          </Link>
        )}
      </Stack>
    )
  },
})
