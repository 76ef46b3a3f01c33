import type { OpenOrder } from '#shared/contract/reconciliation.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Tag } from '../../ui/tone.tsx'
import { DecidedList } from './decided.tsx'
import type { PendingDecision } from './decision-dialog.tsx'
import { OrderLine, orderName } from './order-line.tsx'
import css from './reconcile.module.css'
import type { ReconciliationActions } from './use-reconciliation.ts'

interface OrderCardProps {
  readonly order: OpenOrder
  readonly decide: ReconciliationActions
  readonly onAsk: (question: PendingDecision) => void
}

/** An order for which no images came. */
export function OrderCard({ order, decide, onAsk }: OrderCardProps) {
  const { orderId, studyInstanceUid, devices, withheld, state, decision } = order
  const isStarted = state === 'started' || state === 'completed'
  return (
    <li className={css.card}>
      <div className={css.cardHead}>
        <div>
          <OrderLine
            order={order}
            aside={
              isStarted && (
                <Tag tone="warning" meaning={t('ui.reconciliation.orders.started')}>
                  {t('ui.reconciliation.orders.startedTag')}
                </Tag>
              )
            }
          />
          {devices.length > 0 && (
            <div className={css.quiet}>
              {t('ui.reconciliation.orders.sentTo', { devices: devices.join(', ') })}
            </div>
          )}
          {withheld && (
            <div className={css.obstacle}>
              {t('ui.reconciliation.orders.withheld')}: {translateMessage(withheld)}
            </div>
          )}
        </div>
        {!decision && studyInstanceUid !== '' && (
          <PermissionButton
            permission="manageStudies"
            variant="default"
            size="xs"
            aria-label={t('ui.reconciliation.orders.notDoneOf', { order: orderName(order) })}
            onClick={() => onAsk({ kind: 'notDone', orderId })}
          >
            {t('ui.reconciliation.orders.notDone')}
          </PermissionButton>
        )}
      </div>
      {decision && <DecidedList decision={decision} decide={decide} />}
    </li>
  )
}
