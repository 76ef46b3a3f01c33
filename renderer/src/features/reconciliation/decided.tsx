import type { ReconciliationDecision } from '#shared/contract/reconciliation.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Clock } from '../../ui/clock.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './reconcile.module.css'
import type { ReconciliationActions } from './use-reconciliation.ts'

/** What was decided, by whom, and a way back as long as there is one. */
export function DecidedList({
  decision,
  decide,
}: {
  decision: ReconciliationDecision
  decide: ReconciliationActions
}) {
  const { decisionId, kind, reason, order, by, at, undoObstacle } = decision
  return (
    <div className={css.decided}>
      <div>
        <Tag tone={kind === 'link' ? 'good' : 'plain'}>
          {t(`ui.reconciliation.decisions.${kind}.name`)}
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
          {undoObstacle && <> · {translateMessage(undoObstacle)}</>}
        </div>
      </div>
      {undoObstacle === null && (
        <PermissionButton
          permission="manageStudies"
          variant="default"
          size="xs"
          loading={decide.isBusy}
          onClick={() => decide.undo(decisionId)}
        >
          {t('ui.reconciliation.undo')}
        </PermissionButton>
      )}
    </div>
  )
}
