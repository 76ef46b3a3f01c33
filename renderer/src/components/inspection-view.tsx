import { Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Inspection, ReceivedKey, RowVerdict } from '#shared/contract/worklist.ts'
import { bytesText, durationText, numberText } from '../display/amounts.ts'
import { daysText } from '../display/dates.ts'
import { explain, wordOf } from '../display/explanation.ts'
import { useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { Clock } from './clock.tsx'
import { CloseStep } from './close-step.tsx'
import { Copy } from './copy.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { Empty, Facts, Failed, Panel, Waiting } from './page.tsx'
import { VerdictTable } from './verdict-table.tsx'
import { words } from './words.ts'

const texts = words.inspection

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
    all: texts.all,
    sent: words.verdicts.sent.name,
    filtered: words.verdicts.filtered.name,
    withheld: words.verdicts.withheld.name,
  }

  return (
    <Panel
      isFlush
      title={texts.exams}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={texts.which}
          value={verdict}
          onChange={(value) => setVerdict(value as Verdict)}
          data={(['all', 'sent', 'filtered', 'withheld'] as const).map((value) => ({
            value,
            label: `${names[value]} ${numberText(Math.max(0, counts[value]))}`,
          }))}
        />
      }
    >
      {reopen.error && <Failed error={reopen.error} />}
      {asked.isError && <Failed error={asked.error} onRetry={() => void asked.refetch()} />}
      {rows === undefined && !asked.isError && <Waiting rows={6} />}
      {rows?.length === 0 && (
        <Empty title={texts.noneOf[verdict]}>
          {verdict === 'all' ? texts.noneText : texts.noneOfText}
        </Empty>
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
      <CloseStep
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
      title={texts.query}
      aside={
        <Text size="sm" c="dimmed">
          {texts.keys(keys.length)}
        </Text>
      }
    >
      {keys.length === 0 ? (
        <Empty title={texts.noKey} />
      ) : (
        <section
          style={{ maxHeight: 380, overflow: 'auto' }}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
          tabIndex={0}
          aria-label={texts.keysLabel}
        >
          <Table stickyHeader verticalSpacing={5} horizontalSpacing={16} fz="13px">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.key}</Table.Th>
                <Table.Th>{texts.tag}</Table.Th>
                <Table.Th>{texts.vr}</Table.Th>
                <Table.Th>{texts.value}</Table.Th>
                <Table.Th>{texts.matching}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {keys.map((key) => (
                <Table.Tr key={key.tag}>
                  <Table.Td>{wordOf(key.keyword)}</Table.Td>
                  <Table.Td className="mono">{key.tag}</Table.Td>
                  <Table.Td className="mono">{key.vr}</Table.Td>
                  <Table.Td className="mono" fw={600}>
                    {key.value}
                  </Table.Td>
                  <Table.Td c="dimmed">{texts.matchings[key.matching]}</Table.Td>
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
function Again({ times, at }: { times: number; at: string }) {
  return (
    <>
      {texts.againTimes(times)}
      <Clock instant={at} />
    </>
  )
}

function Exchange({ inspection }: { inspection: Inspection }) {
  const { question, partner } = inspection
  const { callingAeTitle, remoteAddress } = inspection
  const from = remoteAddress ? texts.at(callingAeTitle, remoteAddress) : callingAeTitle
  return (
    <Panel title={texts.detail}>
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fit, minmax(300px, 1fr))',
          gap: 20,
        }}
      >
        <div>
          <Text fw={600} mb={4}>
            {texts.connection}
          </Text>
          <Facts
            facts={[
              [texts.from, from],
              [texts.called, inspection.calledAeTitle],
              [texts.atInstant, <Clock key="at" instant={inspection.at} />],
              [texts.took, durationText(inspection.tookMs)],
              ...(inspection.lastAt === null
                ? []
                : [
                    [
                      texts.again,
                      <Again key="again" times={inspection.repeats} at={inspection.lastAt} />,
                    ] as const,
                  ]),
              [
                texts.syntax,
                <span key="syntax" className="mono">
                  {inspection.transferSyntax}
                </span>,
              ],
            ]}
          />
        </div>
        <Asked question={question} isAsked={partner !== null} />
        <Answered partner={partner} tookMs={inspection.partnerMs} />
      </div>
    </Panel>
  )
}

function Asked({ question, isAsked }: { question: Inspection['question']; isAsked: boolean }) {
  return (
    <div>
      <Text fw={600} mb={4}>
        {isAsked || question === null ? texts.asked : texts.wouldBeAsked}
      </Text>
      {question === null ? (
        <Text size="sm" c="dimmed">
          {texts.nothing}
        </Text>
      ) : (
        <Facts
          facts={[
            [texts.days, daysText(question.dateStart, question.dateEnd)],
            [texts.modality, question.modality ?? texts.allModalities],
            [texts.as, texts.at(question.callingAe, question.sourceIp)],
            [
              texts.clinic,
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

function Answered({ partner, tookMs }: { partner: Inspection['partner']; tookMs: number | null }) {
  return (
    <div>
      <Text fw={600} mb={4}>
        {texts.answered}
      </Text>
      {partner === null ? (
        <Text size="sm" c="dimmed">
          {texts.notCalled}
        </Text>
      ) : (
        <Facts
          facts={[
            [
              texts.atInstant,
              partner.answeredAt ? <Clock key="at" instant={partner.answeredAt} /> : texts.noAnswer,
            ],
            [texts.took, tookMs === null ? texts.notCalledShort : durationText(tookMs)],
            [texts.httpStatus, partner.httpStatus ?? texts.noStatus],
            [texts.size, bytesText(partner.bytes)],
            [
              texts.webhookId,
              <Group key="id" gap={4} wrap="nowrap">
                <span className="mono">{partner.webhookId}</span>
                <Copy value={partner.webhookId} what={texts.webhookIdName} />
              </Group>,
            ],
            ...(partner.detail ? ([[texts.detailOf, said(partner.detail)]] as const) : []),
          ]}
        />
      )}
    </div>
  )
}
