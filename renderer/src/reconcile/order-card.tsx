import type { OpenOrder } from '#shared/contract/reconciliation.ts'
import { MayButton } from '../components/allowed.tsx'
import { Tag } from '../components/tone.tsx'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { Decided } from './decided.tsx'
import type { Question } from './decision-dialog.tsx'
import { OrderLine, orderName } from './order-line.tsx'
import css from './reconcile.module.css'
import type { Decide } from './use-reconciliation.ts'

interface OrderCardProps {
  readonly order: OpenOrder
  readonly decide: Decide
  readonly onAsk: (question: Question) => void
}

/** An order for which no images came. */
export function OrderCard({ order, decide, onAsk }: OrderCardProps) {
  const { orderId, studyInstanceUid, devices, withheld, state, decision } = order
  const isBegun = state === 'started' || state === 'completed'
  return (
    <li className={css.card}>
      <div className={css.cardHead}>
        <div>
          <OrderLine
            order={order}
            aside={
              isBegun && (
                <Tag tone="warning" meaning={t('ui.reconcile.orders.started')}>
                  {t('ui.reconcile.orders.startedTag')}
                </Tag>
              )
            }
          />
          {devices.length > 0 && (
            <div className={css.quiet}>
              {t('ui.reconcile.orders.sentTo', { devices: devices.join(', ') })}
            </div>
          )}
          {withheld && (
            <div className={css.obstacle}>
              {t('ui.reconcile.orders.withheld')}: {said(withheld)}
            </div>
          )}
        </div>
        {!decision && studyInstanceUid !== '' && (
          <MayButton
            permission="manageStudies"
            variant="default"
            size="xs"
            aria-label={t('ui.reconcile.orders.notDoneOf', { order: orderName(order) })}
            onClick={() => onAsk({ kind: 'notDone', orderId })}
          >
            {t('ui.reconcile.orders.notDone')}
          </MayButton>
        )}
      </div>
      {decision && <Decided decision={decision} decide={decide} />}
    </li>
  )
}
