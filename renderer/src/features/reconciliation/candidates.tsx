import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OpenOrder, OrderCandidate, UnscheduledExam } from '#shared/contract/reconciliation.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Tag } from '../../ui/tone.tsx'
import type { PendingDecision } from './decision-dialog.tsx'
import { MatchTable } from './matches.tsx'
import { OrderLine, orderName } from './order-line.tsx'
import css from './reconcile.module.css'
import type { ReconciliationActions } from './use-reconciliation.ts'

interface CandidatesProps {
  readonly exam: UnscheduledExam
  readonly orders: ReadonlyMap<string, OpenOrder>
  readonly decide: ReconciliationActions
  readonly onAsk: (question: PendingDecision) => void
}

/**
 * The orders that an exam may have been done for; the most probable, and all that can be linked,
 * are shown at once.
 */
export function Candidates({ exam, orders, decide, onAsk }: CandidatesProps) {
  const [isOpen, setIsOpen] = useState(false)
  const known = exam.candidates.flatMap((candidate) => {
    const order = orders.get(candidate.orderId)
    return order ? [{ candidate, order }] : []
  })
  if (known.length === 0)
    return <p className={css.quiet}>{t('ui.reconciliation.exams.noCandidate')}</p>
  // A patient may have several orders on a day: where more than one can be linked, all of them are
  // in sight.
  const shown = known.filter(
    ({ candidate }, at) => isOpen || at === 0 || candidate.action === 'link',
  )
  return (
    <>
      <ul className={css.candidates} aria-label={t('ui.reconciliation.exams.candidates')}>
        {shown.map(({ candidate, order }, at) => (
          <li key={candidate.orderId} className={css.candidate}>
            <div className={css.candidateText}>
              <OrderLine
                order={order}
                aside={
                  at === 0 &&
                  known.length > 1 && <Tag tone="info">{t('ui.reconciliation.exams.best')}</Tag>
                }
              />
              <MatchTable matches={candidate.matches} />
            </div>
            <CandidateActions
              exam={exam}
              candidate={candidate}
              order={order}
              isFirst={at === 0}
              decide={decide}
              onAsk={onAsk}
            />
          </li>
        ))}
      </ul>
      {known.length > shown.length && (
        <Button
          variant="subtle"
          size="compact-sm"
          className={css.more}
          aria-expanded={false}
          onClick={() => setIsOpen(true)}
        >
          {t('ui.reconciliation.exams.others', { count: known.length - shown.length })}
        </Button>
      )}
    </>
  )
}

interface CandidateActionsProps extends Pick<CandidatesProps, 'exam' | 'decide' | 'onAsk'> {
  readonly candidate: OrderCandidate
  readonly order: OpenOrder
  readonly isFirst: boolean
}

function CandidateActions({
  exam,
  candidate,
  order,
  isFirst,
  decide,
  onAsk,
}: CandidateActionsProps) {
  const { orderId, action, obstacle } = candidate
  const { studyInstanceUid } = exam
  if (action === 'none')
    return <p className={css.obstacle}>{obstacle && translateMessage(obstacle)}</p>
  const name = orderName(order)
  if (action === 'correct') {
    return (
      <Button
        variant={isFirst ? 'filled' : 'default'}
        size="xs"
        aria-label={t('ui.reconciliation.exams.correctOf', { order: name })}
        renderRoot={(props) => (
          <Link
            to="/images/$studyInstanceUid/resolve"
            params={{ studyInstanceUid }}
            search={{ kind: 'reassign', order: orderId }}
            {...props}
          />
        )}
      >
        {t('ui.reconciliation.exams.correct')}
      </Button>
    )
  }
  // The patient agrees: what may differ still is the kind of exam, the time and the room.
  const differingMatches = candidate.matches.filter(
    ({ field, result }) => result === 'different' && field !== 'device',
  )
  const link = () => decide.link({ studyInstanceUid, orderId })
  return (
    <PermissionButton
      permission="manageStudies"
      className={css.acts}
      size="xs"
      variant={isFirst ? 'filled' : 'default'}
      loading={decide.isBusy}
      aria-label={t('ui.reconciliation.exams.linkOf', { order: name })}
      onClick={
        differingMatches.length === 0
          ? link
          : () => onAsk({ kind: 'link', studyInstanceUid, orderId, differs: differingMatches })
      }
    >
      {t('ui.reconciliation.exams.link')}
    </PermissionButton>
  )
}
