import { Button, Table, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { IconPhoneCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type CriticalResult, dashboardReports } from '#shared/contract/reports.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { openDurationOf } from '../../format/open-for.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Escalation, ReferringPhysician } from '../../ui/escalation.tsx'
import { ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { EmptyList } from '../../ui/paged-table.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { ReadingTabs } from '../../ui/sections/report-tabs.tsx'
import { CommunicationDialog } from './communicate.tsx'
import css from './reports.module.css'

const COLUMNS = textsOf(
  'ui.critical-results.columns',
  ...(['since', 'escalation', 'patient', 'finding', 'physician', 'signed', 'actions'] as const),
)
const TICK_MS = 20_000
const POLL_MS = 60_000

/** Critical results that nobody was told of yet, the oldest first. */
export function CriticalResultList() {
  const { isOpen } = useEventStream()
  const reply = useReply(dashboardReports.criticals, {}, { every: isOpen ? POLL_MS : TICK_MS })
  const [asked, setAsked] = useState<CriticalResult | null>(null)
  const criticals = reply.data?.criticals ?? []
  return (
    <Page title={t('ui.critical-results.title')} about={t('ui.critical-results.about')}>
      <ReadingTabs />
      {reply.isPending && <LoadingPlaceholder rows={4} height={46} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.isSuccess && criticals.length === 0 && (
        <EmptyList
          icon={IconPhoneCheck}
          title={t('ui.critical-results.none')}
          text={t('ui.critical-results.noneText')}
        />
      )}
      {criticals.length > 0 && (
        <Panel isFlush>
          <RowTable columns={COLUMNS} minWidth={880}>
            {criticals.map((critical) => (
              <Row key={critical.reportId} critical={critical} onAsk={() => setAsked(critical)} />
            ))}
          </RowTable>
        </Panel>
      )}
      {asked && <CommunicationDialog critical={asked} onDone={() => setAsked(null)} />}
    </Page>
  )
}

function Row({ critical, onAsk }: { critical: CriticalResult; onAsk: () => void }) {
  const { studyId, patientName, studyDescription, finding, signedBy, openedAt } = critical
  return (
    <Table.Tr>
      <Table.Td>
        <WaitingTime critical={critical} />
      </Table.Td>
      <Table.Td>
        <Escalation critical={critical} />
      </Table.Td>
      <Table.Td>
        <Link to="/reading/$studyId" params={{ studyId }}>
          <PersonName value={patientName} />
        </Link>
        <Text fz="sm" c="dimmed">
          {studyDescription}
        </Text>
      </Table.Td>
      <Table.Td maw={420}>{finding}</Table.Td>
      <Table.Td>
        <ReferringPhysician critical={critical} />
      </Table.Td>
      <Table.Td>
        <span className="nowrap">{signedBy.name}</span>
        <Text fz="sm" c="dimmed">
          <Clock instant={openedAt} />
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        <Button
          size="xs"
          onClick={onAsk}
          aria-label={t('ui.critical-results.documentOf', { finding })}
        >
          {t('ui.critical-results.document')}
        </Button>
      </Table.Td>
    </Table.Tr>
  )
}

function WaitingTime({ critical }: { critical: CriticalResult }) {
  const [now, setNow] = useState(() => new Date())
  useInterval(() => setNow(new Date()), TICK_MS, { autoInvoke: true })
  const { text, isOverdue } = openDurationOf(critical, now)
  return <time className={`nowrap ${isOverdue ? css.overdue : ''}`}>{text}</time>
}
