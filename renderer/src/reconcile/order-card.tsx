import { useState } from 'react'
import type { OpenOrder } from '#shared/contract/reconciliation.ts'
import { MayButton } from '../components/allowed.tsx'
import { AskReason } from '../components/ask-reason.tsx'
import { Tag } from '../components/tone.tsx'
import { said } from '../language/said.ts'
import { Decided } from './decided.tsx'
import { OrderLine, orderName } from './order-line.tsx'
import css from './reconcile.module.css'
import type { Decide } from './use-reconciliation.ts'
import { words } from './words.ts'

const { orders: texts } = words

/** An order for which no images came. */
export function OrderCard({ order, decide }: { order: OpenOrder; decide: Decide }) {
  const [isAsking, setIsAsking] = useState(false)
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
                <Tag tone="warning" meaning={texts.started}>
                  {texts.startedTag}
                </Tag>
              )
            }
          />
          {devices.length > 0 && <div className={css.quiet}>{texts.sentTo(devices.join(', '))}</div>}
          {withheld !== '' && (
            <div className={css.obstacle}>
              {texts.withheld}: {said(withheld)}
            </div>
          )}
        </div>
        {!decision && studyInstanceUid !== '' && (
          <MayButton
            permission="manageStudies"
            variant="default"
            size="xs"
            aria-label={texts.notDoneOf(orderName(order))}
            onClick={() => setIsAsking(true)}
          >
            {texts.notDone}
          </MayButton>
        )}
      </div>
      {decision && <Decided decision={decision} decide={decide} />}
      {isAsking && (
        <AskReason
          words={words.notDone}
          field="reason"
          isBusy={decide.isBusy}
          error={decide.error}
          onSend={(reason, onError) => decide.notDone({ orderId, reason }, () => setIsAsking(false), onError)}
          onClose={() => setIsAsking(false)}
        >
          <p className={css.dialogText}>{words.notDone.text}</p>
        </AskReason>
      )}
    </li>
  )
}
