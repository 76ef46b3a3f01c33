import type { ReactNode } from 'react'
import type { OpenOrder } from '#shared/contract/reconciliation.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { bornText } from '../../format/image-states.ts'
import { t } from '../../i18n/t.ts'
import { PersonName } from '../../ui/person-name.tsx'
import css from './reconcile.module.css'

/** What a person calls an order. */
export const orderName = ({ accessionNumber, scheduledProcedureStepId }: OpenOrder): string =>
  accessionNumber || scheduledProcedureStepId

/** Patient, exam, time and room of an order. */
export function OrderLine({ order, aside }: { order: OpenOrder; aside?: ReactNode }) {
  const {
    day,
    startTime,
    patientName,
    patientId,
    patientBirthDate,
    patientSex,
    modality,
    description,
    location,
  } = order
  return (
    <div className={css.order}>
      <div className={css.orderHead}>
        <PersonName value={patientName} /> <span className="mono">{patientId}</span>
        {aside}
      </div>
      <div>
        <b>{modality}</b> {description} · <span className="mono">{orderName(order)}</span>
      </div>
      <div className={css.quiet}>
        {[
          t('ui.reconciliation.orders.scheduled', { day: dayText(day) }),
          startTime === '' ? t('ui.reconciliation.orders.noTime') : timeText(startTime.slice(0, 4)),
          location,
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </div>
      <div className={css.quiet}>{bornText(patientBirthDate, patientSex)}</div>
    </div>
  )
}
