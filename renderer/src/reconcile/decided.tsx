import type { ReconciliationDecision } from '#shared/contract/reconciliation.ts'
import { MayButton } from '../components/allowed.tsx'
import { Clock } from '../components/clock.tsx'
import { PersonName } from '../components/person-name.tsx'
import { Tag } from '../components/tone.tsx'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import css from './reconcile.module.css'
import type { Decide } from './use-reconciliation.ts'

/** What was decided, by whom, and a way back as long as there is one. */
export function Decided({
  decision,
  decide,
}: {
  decision: ReconciliationDecision
  decide: Decide
}) {
  const { decisionId, kind, reason, order, by, at, undoObstacle } = decision
  return (
    <div className={css.decided}>
      <div>
        <Tag tone={kind === 'link' ? 'good' : 'plain'}>
          {t(`ui.reconcile.decisions.${kind}.name`)}
        </Tag>{' '}
        {kind === 'link' && order && (
          <>
            <span className="mono">{order.accessionNumber}</span> ·{' '}
            <PersonName value={order.patientName} /> · {order.description}
          </>
        )}
        {reason}
        <div className={css.quiet}>
          {by}, <Clock instant={at} />
          {undoObstacle && <> · {said(undoObstacle)}</>}
        </div>
      </div>
      {undoObstacle === null && (
        <MayButton
          permission="manageStudies"
          variant="default"
          size="xs"
          loading={decide.isBusy}
          onClick={() => decide.undo(decisionId)}
        >
          {t('ui.reconcile.undo')}
        </MayButton>
      )}
    </div>
  )
}
