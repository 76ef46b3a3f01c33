import { Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Inspection, ReceivedKey, RowVerdict } from '#shared/contract/worklist.ts'
import { useReply, useSend } from '../api/queries.ts'
import { bytesText, durationText, numberText } from '../format/amounts.ts'
import { daysText } from '../format/dates.ts'
import { explain } from '../format/explanation.ts'
import { translateMessage } from '../i18n/messages.ts'
import { keywordText } from '../i18n/param-text.ts'
import { t } from '../i18n/t.ts'
import { Clock } from './clock.tsx'
import { CloseStepDialog } from './close-step.tsx'
import { Copy } from './copy.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { EmptyState, ErrorNotice, FactList, LoadingPlaceholder, Panel } from './page.tsx'
import { VerdictTable } from './verdict-table.tsx'

type Verdict = 'all' | 'sent' | 'filtered' | 'withheld'

const stepOf = (row: RowVerdict) => `${row.studyInstanceUid}/${row.scheduledProcedureStepId}`

/**
 * One query from the question to the answer. `inspection` holds all verdicts; `first` is the tab
 * shown at the start.
 */
export function InspectionView({
  inspection,
  first = 'all',
}: {
  inspection: Inspection
  first?: Verdict
}) {
  return (
    <Stack gap={16}>
      <Panel>
        <Stack gap={16}>
          <ExplanationView explanation={explain(inspection)} />
        </Stack>
      </Panel>
      <Rows inspection={inspection} first={first} />
      <Received keys={inspection.keys} />
      <Exchange inspection={inspection} />
    </Stack>
  )
}

function Rows({ inspection, first }: { inspection: Inspection; first: Verdict }) {
  const [verdict, setVerdict] = useState<Verdict>(first)
  const [closing, setClosing] = useState<RowVerdict | null>(null)
  const [closed, setClosed] = useState<ReadonlyMap<string, boolean>>(new Map())
  const reopen = useSend(dashboard.reopenStep, [dashboard.inspection])
  // The reply holds at most 1,000 rows, the sent ones first: another verdict of a longer list is
  // asked for by itself.
  const isWhole = inspection.rows.length >= inspection.rowsTotal
  const asked = useReply(
    dashboard.inspection,
    { params: { inspectionId: inspection.inspectionId }, query: { verdict } },
    { enabled: !isWhole && verdict !== 'all' },
  )

  const mark = (row: RowVerdict, isClosed: boolean) =>
    setClosed(new Map(closed).set(stepOf(row), isClosed))
  const found = isWhole || verdict === 'all' ? inspection.rows : asked.data?.rows
  const rows = found
    ?.filter(
      (row) =>
        verdict === 'all' ||
        row.verdict === verdict ||
        (verdict === 'withheld' && row.verdict === 'cut'),
    )
    .map((row) => ({ ...row, isClosed: closed.get(stepOf(row)) ?? row.isClosed }))
  const counts: Record<Verdict, number> = {
    all: inspection.rowsTotal,
    sent: inspection.sent,
    filtered: inspection.filtered,
    withheld: inspection.rowsTotal - inspection.sent - inspection.filtered,
  }
  const names: Record<Verdict, string> = {
    all: t('ui.common.inspection.all'),
    sent: t('ui.common.verdicts.filters.sent'),
    filtered: t('ui.common.verdicts.filters.filtered'),
    withheld: t('ui.common.verdicts.filters.withheld'),
  }

  return (
    <Panel
      isFlush
      title={t('ui.common.inspection.exams')}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t('ui.common.inspection.which')}
          value={verdict}
          onChange={(value) => setVerdict(value as Verdict)}
          data={(['all', 'sent', 'filtered', 'withheld'] as const).map((value) => ({
            value,
            label: `${names[value]} ${numberText(Math.max(0, counts[value]))}`,
          }))}
        />
      }
    >
      {reopen.error && <ErrorNotice error={reopen.error} />}
      {asked.isError && <ErrorNotice error={asked.error} onRetry={() => void asked.refetch()} />}
      {rows === undefined && !asked.isError && <LoadingPlaceholder rows={6} />}
      {rows?.length === 0 && (
        <EmptyState title={t(`ui.common.inspection.noneOf.${verdict}`)}>
          {verdict === 'all'
            ? t('ui.common.inspection.noneText')
            : t('ui.common.inspection.noneOfText')}
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <VerdictTable
          rows={rows}
          total={Math.max(counts[verdict], rows.length)}
          onClose={setClosing}
          onReopen={(row) =>
            reopen.mutate(
              {
                body: {
                  studyInstanceUid: row.studyInstanceUid,
                  scheduledProcedureStepId: row.scheduledProcedureStepId,
                },
              },
              { onSuccess: () => mark(row, false) },
            )
          }
        />
      )}
      <CloseStepDialog
        row={closing}
        onLeave={() => setClosing(null)}
        onClosed={(row) => mark(row, true)}
      />
    </Panel>
  )
}

function Received({ keys }: { keys: readonly ReceivedKey[] }) {
  return (
    <Panel
      isFlush
      title={t('ui.common.inspection.query')}
      aside={
        <Text size="sm" c="dimmed">
          {t('ui.common.inspection.keys', { count: keys.length })}
        </Text>
      }
    >
      {keys.length === 0 ? (
        <EmptyState title={t('ui.common.inspection.noKey')} />
      ) : (
        <section aria-label={t('ui.common.inspection.keysLabel')}>
          <Table verticalSpacing={5} horizontalSpacing={16} fz="13px">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('ui.common.inspection.key')}</Table.Th>
                <Table.Th>{t('ui.common.inspection.tag')}</Table.Th>
                <Table.Th>{t('ui.common.inspection.vr')}</Table.Th>
                <Table.Th>{t('ui.common.inspection.value')}</Table.Th>
                <Table.Th>{t('ui.common.inspection.matching')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {keys.map((key) => (
                <Table.Tr key={key.tag}>
                  <Table.Td>{keywordText(key.keyword)}</Table.Td>
                  <Table.Td className="mono">{key.tag}</Table.Td>
                  <Table.Td className="mono">{key.vr}</Table.Td>
                  <Table.Td className="mono" fw={600}>
                    {key.value}
                  </Table.Td>
                  <Table.Td c="dimmed">
                    {t(`ui.common.inspection.matchings.${key.matching}`)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </Panel>
  )
}

/** On the same association, with the same given from the answer that was still fresh. */
function RepeatCount({ times, at }: { times: number; at: string }) {
  return (
    <>
      {t('ui.common.inspection.againTimes', { times })}
      <Clock instant={at} />
    </>
  )
}

function Exchange({ inspection }: { inspection: Inspection }) {
  const { question, partner } = inspection
  const { callingAeTitle, remoteAddress } = inspection
  const from = remoteAddress
    ? t('ui.common.inspection.at', { name: callingAeTitle, address: remoteAddress })
    : callingAeTitle
  return (
    <Panel title={t('ui.common.inspection.detail')}>
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fit, minmax(300px, 1fr))',
          gap: 20,
        }}
      >
        <div>
          <Text fw={600} mb={4}>
            {t('ui.common.inspection.connection')}
          </Text>
          <FactList
            facts={[
              [t('ui.common.inspection.from'), from],
              [t('ui.common.inspection.called'), inspection.calledAeTitle],
              [t('ui.common.inspection.atInstant'), <Clock key="at" instant={inspection.at} />],
              [t('ui.common.inspection.took'), durationText(inspection.tookMs)],
              ...(inspection.lastAt === null
                ? []
                : [
                    [
                      t('ui.common.inspection.again'),
                      <RepeatCount key="again" times={inspection.repeats} at={inspection.lastAt} />,
                    ] as const,
                  ]),
              [
                t('ui.common.inspection.syntax'),
                <span key="syntax" className="mono">
                  {inspection.transferSyntax}
                </span>,
              ],
            ]}
          />
        </div>
        <QuestionDetails question={question} isAsked={partner !== null} />
        <AnswerSummary partner={partner} tookMs={inspection.partnerMs} />
      </div>
    </Panel>
  )
}

function QuestionDetails({
  question,
  isAsked,
}: {
  question: Inspection['question']
  isAsked: boolean
}) {
  return (
    <div>
      <Text fw={600} mb={4}>
        {isAsked || question === null
          ? t('ui.common.inspection.asked')
          : t('ui.common.inspection.wouldBeAsked')}
      </Text>
      {question === null ? (
        <Text size="sm" c="dimmed">
          {t('ui.common.inspection.nothing')}
        </Text>
      ) : (
        <FactList
          facts={[
            [t('ui.common.inspection.days'), daysText(question.dateStart, question.dateEnd)],
            [
              t('ui.common.inspection.modality'),
              question.modality ?? t('ui.common.inspection.allModalities'),
            ],
            [
              t('ui.common.inspection.as'),
              t('ui.common.inspection.at', {
                name: question.callingAe,
                address: question.sourceIp,
              }),
            ],
            [
              t('ui.common.inspection.clinic'),
              <span key="clinic" className="mono">
                {question.clinicId}
              </span>,
            ],
          ]}
        />
      )}
    </div>
  )
}

function AnswerSummary({
  partner,
  tookMs,
}: {
  partner: Inspection['partner']
  tookMs: number | null
}) {
  return (
    <div>
      <Text fw={600} mb={4}>
        {t('ui.common.inspection.answered')}
      </Text>
      {partner === null ? (
        <Text size="sm" c="dimmed">
          {t('ui.common.inspection.notCalled')}
        </Text>
      ) : (
        <FactList
          facts={[
            [
              t('ui.common.inspection.atInstant'),
              partner.answeredAt ? (
                <Clock key="at" instant={partner.answeredAt} />
              ) : (
                t('ui.common.inspection.noAnswer')
              ),
            ],
            [
              t('ui.common.inspection.took'),
              tookMs === null ? t('ui.common.inspection.notCalledShort') : durationText(tookMs),
            ],
            [
              t('ui.common.inspection.httpStatus'),
              partner.httpStatus ?? t('ui.common.inspection.noStatus'),
            ],
            [t('ui.common.inspection.size'), bytesText(partner.bytes)],
            [
              t('ui.common.inspection.webhookId'),
              <Group key="id" gap={4} wrap="nowrap">
                <span className="mono">{partner.webhookId}</span>
                <Copy value={partner.webhookId} what={t('ui.common.inspection.webhookIdName')} />
              </Group>,
            ],
            ...(partner.detail
              ? ([[t('ui.common.inspection.detailOf'), translateMessage(partner.detail)]] as const)
              : []),
          ]}
        />
      )}
    </div>
  )
}
