import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReconciliation, type Reconciliation } from '#shared/contract/reconciliation.ts'
import type { ProblemError } from '../../api/client.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { call, keyOf, useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { showRefusal } from '../../ui/refused.ts'
import { showDone } from '../../ui/undo.tsx'

/** Events come in bursts: the days are read again once for all of them. */
const REFETCH_DELAY_MS = 1500

/**
 * What was done and what was ordered on these days, read again with each image and each query of a
 * device.
 */
export function useReconciliation(from: string | undefined, to: string | undefined) {
  const client = useQueryClient()
  const { queriesSeen, imagesSeen } = useEventStream()
  const query = { ...(from && { from }), ...(to && { to }) }
  const seen = queriesSeen + imagesSeen
  useEffect(() => {
    if (seen === 0) return
    const key = keyOf(dashboardReconciliation.read)
    const timer = setTimeout(
      () => void client.invalidateQueries({ queryKey: key }, { cancelRefetch: false }),
      REFETCH_DELAY_MS,
    )
    return () => clearTimeout(timer)
  }, [seen, client])
  return useQuery<Reconciliation, ProblemError>({
    queryKey: keyOf(dashboardReconciliation.read, { query }),
    queryFn: ({ signal }) => call(dashboardReconciliation.read, { query }, signal),
    placeholderData: keepPreviousData,
  })
}

type RefusalHandler = (error: ProblemError) => void

/** What can be decided. What somebody else did meanwhile is said, and shown after it. */
export interface ReconciliationActions {
  readonly isBusy: boolean
  /** Of the last that asked for a reason. */
  readonly error: ProblemError | null
  link(what: { readonly studyInstanceUid: string; readonly orderId: string }): void
  keep(
    what: { readonly studyInstanceUid: string; readonly reason: string },
    onDone: () => void,
    onError: RefusalHandler,
  ): void
  notDone(
    what: { readonly orderId: string; readonly reason: string },
    onDone: () => void,
    onError: RefusalHandler,
  ): void
  undo(decisionId: number): void
}

export function useDecide(): ReconciliationActions {
  const client = useQueryClient()
  const changed = [
    dashboardReconciliation.read,
    dashboardExams.exams,
    dashboardImages.read,
    dashboardImages.list,
  ]
  const link = useSend(dashboardReconciliation.link, changed)
  const keep = useSend(dashboardReconciliation.keep, changed)
  const notDone = useSend(dashboardReconciliation.notDone, changed)
  const undo = useSend(dashboardReconciliation.undo, changed)

  const refused: RefusalHandler = (error) => {
    showRefusal(error.message)
    void client.invalidateQueries({ queryKey: keyOf(dashboardReconciliation.read) })
  }
  const undoDecision = (decisionId: number) =>
    undo.mutate(
      { params: { decisionId } },
      { onSuccess: () => showDone(t('ui.reconciliation.exams.undone')), onError: refused },
    )
  const showUndoableDone = (text: string) => (decision: { readonly decisionId: number }) =>
    showDone(text, () => undoDecision(decision.decisionId))
  /** A dialog shows what is wrong with its field; anything else closes it. */
  const closeIfOutdated =
    (onDone: () => void, onError: RefusalHandler) => (error: ProblemError) => {
      if (error.code !== 'outdated') return onError(error)
      onDone()
      refused(error)
    }
  return {
    isBusy: [link, keep, notDone, undo].some(({ isPending }) => isPending),
    error:
      [keep, notDone].find(({ error }) => error !== null && error.code !== 'outdated')?.error ??
      null,
    link: (body) =>
      link.mutate(
        { body },
        { onSuccess: showUndoableDone(t('ui.reconciliation.exams.linked')), onError: refused },
      ),
    keep: (body, onDone, onError) =>
      keep.mutate(
        { body },
        {
          onSuccess(decision) {
            onDone()
            showUndoableDone(t('ui.reconciliation.exams.kept'))(decision)
          },
          onError: closeIfOutdated(onDone, onError),
        },
      ),
    notDone: (body, onDone, onError) =>
      notDone.mutate(
        { body },
        {
          onSuccess(decision) {
            onDone()
            showUndoableDone(t('ui.reconciliation.orders.noted'))(decision)
          },
          onError: closeIfOutdated(onDone, onError),
        },
      ),
    undo: undoDecision,
  }
}
