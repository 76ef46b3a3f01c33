import { Button, Group, SegmentedControl, Title } from '@mantine/core'
import { IconChecks, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import { dashboardReconciliation, type Reconciliation } from '#shared/contract/reconciliation.ts'
import type { ProblemError } from '../../api/client.ts'
import { call, keyOf } from '../../api/queries.ts'
import { daysText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { WorklistTabs } from '../../ui/sections/worklist-tabs.tsx'
import { Notice } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { DecisionDialog, type PendingDecision } from './decision-dialog.tsx'
import { ExamCard } from './exam-card.tsx'
import { OrderCard } from './order-card.tsx'
import css from './reconcile.module.css'
import { type ReconciliationActions, useDecide, useReconciliation } from './use-reconciliation.ts'

const route = getRouteApi('/shell/worklist/reconcile')

/**
 * What was done without an order beside what was ordered and has no images, after a time without
 * the partner.
 */
export function ReconciliationScreen() {
  const { from, to } = route.useSearch()
  const reply = useReconciliation(from, to)
  const decide = useDecide()
  const ask = usePartnerRefresh()
  const [question, setQuestion] = useState<PendingDecision | null>(null)
  const found = reply.data
  useOneTimeRefresh(found, ask.mutate)
  return (
    <Page
      title={t('ui.reconciliation.title')}
      about={t('ui.reconciliation.about')}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={ask.isPending}
          disabled={!found}
          onClick={() => found && ask.mutate(found.days.map(({ day }) => day))}
        >
          {t('ui.reconciliation.ask')}
        </Button>
      }
    >
      <WorklistTabs />
      {found && <DayRangeField found={found} />}
      {ask.isError && <ErrorNotice error={ask.error} />}
      {found && <SourceNotice found={found} isAsking={ask.isPending} />}
      {reply.isPending && <LoadingPlaceholder rows={8} height={48} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {found && (
        <div className={css.columns}>
          <UnscheduledExams found={found} decide={decide} onAsk={setQuestion} />
          <Orders found={found} decide={decide} onAsk={setQuestion} />
        </div>
      )}
      {question && (
        <DecisionDialog question={question} decide={decide} onClose={() => setQuestion(null)} />
      )}
    </Page>
  )
}

/** The days, or those since the partner was last away. */
function DayRangeField({ found: { from, to, today, outage } }: { found: Reconciliation }) {
  const navigate = useNavigate()
  const choose = (search: { from?: string; to?: string }) =>
    void navigate({ to: '/worklist/reconcile', search, replace: true })
  const presets = [
    ...(outage && outage.from !== today
      ? [{ value: outage.from, label: t('ui.reconciliation.range.outage') }]
      : []),
    { value: today, label: t('ui.reconciliation.range.today') },
  ]
  const isPreset = to === today && presets.some(({ value }) => value === from)
  return (
    <Group gap={10} align="flex-start">
      <SegmentedControl
        size="xs"
        aria-label={t('ui.reconciliation.range.label')}
        data={presets}
        value={isPreset ? from : ''}
        onChange={(value) => choose({ from: value, to: today })}
      />
      <DayInput
        size="xs"
        aria-label={t('ui.reconciliation.range.from')}
        value={from}
        max={to}
        onChange={({ currentTarget: { value } }) =>
          value !== '' && choose({ from: value, to: value > to ? value : to })
        }
      />
      <span aria-hidden>–</span>
      <DayInput
        size="xs"
        aria-label={t('ui.reconciliation.range.to')}
        value={to}
        min={from}
        onChange={({ currentTarget: { value } }) =>
          value !== '' && choose({ from: value < from ? value : from, to: value })
        }
      />
      {outage && (
        <span className={css.quiet}>
          {t('ui.reconciliation.outage', { days: daysText(outage.from, outage.to) })}
        </span>
      )}
    </Group>
  )
}

/** How old the orders are, where they are not what the partner says now. */
function SourceNotice({ found: { days }, isAsking }: { found: Reconciliation; isAsking: boolean }) {
  const isAway = days.some(({ source }) => source.fault !== null && source.fault !== 'no-endpoint')
  if (isAway) return <Notice tone="warning">{t('ui.reconciliation.away')}</Notice>
  if (isAsking) {
    return (
      <div role="status">
        <Notice tone="info">{t('ui.reconciliation.asking')}</Notice>
      </div>
    )
  }
  return days.some(({ isOld }) => isOld) ? (
    <Notice tone="warning">{t('ui.reconciliation.old')}</Notice>
  ) : null
}

interface SideProps {
  readonly found: Reconciliation
  readonly decide: ReconciliationActions
  readonly onAsk: (question: PendingDecision) => void
}

function UnscheduledExams({ found, decide, onAsk }: SideProps) {
  const open = found.exams.filter(({ decision }) => decision === null)
  const decided = found.exams.filter(({ decision }) => decision !== null)
  const orders = new Map(found.orders.map((order) => [order.orderId, order]))
  const card = (exam: (typeof open)[number]) => (
    <ExamCard
      key={exam.studyInstanceUid}
      exam={exam}
      orders={orders}
      decide={decide}
      onAsk={onAsk}
    />
  )
  return (
    <ReconciliationColumn
      title={t('ui.reconciliation.exams.title', { open: open.length })}
      label={t('ui.reconciliation.exams.label')}
      decided={decided.length > 0 && decided.map(card)}
      count={decided.length}
    >
      {open.length === 0 ? (
        <EmptyState
          icon={<IconChecks size={34} stroke={1.3} />}
          title={t('ui.reconciliation.exams.none')}
        >
          {t('ui.reconciliation.exams.noneText')}
        </EmptyState>
      ) : (
        <ul className={css.cards}>{open.map(card)}</ul>
      )}
      {found.isCut && <Notice tone="info">{t('ui.reconciliation.exams.cut')}</Notice>}
    </ReconciliationColumn>
  )
}

function Orders({ found, decide, onAsk }: SideProps) {
  const open = found.orders.filter(({ decision }) => decision === null)
  const decided = found.orders.filter(({ decision }) => decision !== null)
  const card = (order: (typeof open)[number]) => (
    <OrderCard key={order.orderId} order={order} decide={decide} onAsk={onAsk} />
  )
  return (
    <ReconciliationColumn
      title={t('ui.reconciliation.orders.title', { open: open.length })}
      label={t('ui.reconciliation.orders.label')}
      decided={decided.length > 0 && decided.map(card)}
      count={decided.length}
    >
      {open.length === 0 ? (
        <EmptyState
          icon={<IconChecks size={34} stroke={1.3} />}
          title={t('ui.reconciliation.orders.none')}
        >
          {t('ui.reconciliation.orders.noneText')}
        </EmptyState>
      ) : (
        <ul className={css.cards}>{open.map(card)}</ul>
      )}
    </ReconciliationColumn>
  )
}

/** One side of the screen: what is open, and below it what was decided. */
function ReconciliationColumn(props: {
  title: string
  label: string
  decided: ReactNode
  count: number
  children: ReactNode
}) {
  const { title, label, decided, count, children } = props
  const id = useId()
  return (
    <section aria-label={label} className={css.side}>
      <Panel isFlush title={title}>
        {children}
        {decided && (
          <>
            <Title order={3} id={id} className={css.decidedTitle}>
              {t('ui.reconciliation.decided', { count })}
            </Title>
            <ul className={css.cards} aria-labelledby={id}>
              {decided}
            </ul>
          </>
        )}
      </Panel>
    </section>
  )
}

/** Asks the partner for days again, one after the other, as each device would. */
function usePartnerRefresh() {
  const client = useQueryClient()
  return useMutation<{ asked: number; failed: number }, ProblemError, readonly string[]>({
    async mutationFn(days) {
      const all = { asked: 0, failed: 0 }
      for (const day of days) {
        const { asked, failed } = await call(dashboardExams.refresh, { body: { day } })
        all.asked += asked
        all.failed += failed
      }
      return all
    },
    onSuccess({ asked, failed }) {
      showDone(
        failed === 0
          ? t('ui.reconciliation.asked', { devices: asked })
          : t('ui.reconciliation.askFailed', { failed, all: asked }),
      )
    },
    onSettled: () =>
      void client.invalidateQueries({ queryKey: keyOf(dashboardReconciliation.read) }),
  })
}

/**
 * When the partner is back, it is asked once by itself for the days that it was last asked for
 * before.
 */
function useOneTimeRefresh(
  found: Reconciliation | undefined,
  ask: (days: readonly string[]) => void,
) {
  const asked = useRef(new Set<string>())
  useEffect(() => {
    const days = (found?.days ?? [])
      .filter(({ day, isOld }) => isOld && !asked.current.has(day))
      .map(({ day }) => day)
    for (const day of days) asked.current.add(day)
    if (days.length > 0) ask(days)
  }, [found, ask])
}
