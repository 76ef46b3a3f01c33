import type { Order } from '#server/modules/corrections/correction-rules.ts'
import { type DeviceLists, stepKey } from './device-lists.ts'
import type { WorklistRow } from './row.ts'

/**
 * The orders of a day by their ids, of the partner's answers that are kept and of what devices were
 * sent; the partner is not asked.
 */
async function ordersOn(lists: DeviceLists, day: string): Promise<Map<string, Order>> {
  const { rows } = await lists.ofDay(day, undefined)
  const orders = new Map<string, Order>()
  for (const { row } of rows.values()) {
    // Images are not put into what no device may be sent: the row is of several patients, or
    // without an identity.
    if (row.withheld !== null || row.values.StudyInstanceUID === '') continue
    const orderId = `${day} ${stepKey(row)}`
    orders.set(orderId, orderOf(row, orderId))
  }
  return orders
}

/** @param days `YYYY-MM-DD` */
export async function listOrders(lists: DeviceLists, days: readonly string[]): Promise<Order[]> {
  const found: Order[] = []
  for (const day of days) found.push(...(await ordersOn(lists, day)).values())
  return found
}

export async function findOrder(lists: DeviceLists, orderId: string): Promise<Order | undefined> {
  const [day = ''] = orderId.split(' ', 1)
  return /^\d{4}-\d\d-\d\d$/.test(day) ? (await ordersOn(lists, day)).get(orderId) : undefined
}

function orderOf({ values }: WorklistRow, orderId: string): Order {
  const sex = values.PatientSex
  return {
    orderId,
    studyInstanceUid: values.StudyInstanceUID,
    patientName: values.PatientName,
    patientId: values.PatientID,
    patientBirthDate: values.PatientBirthDate,
    patientSex: sex === 'M' || sex === 'F' || sex === 'O' ? sex : '',
    accessionNumber: values.AccessionNumber,
    requestedProcedureId: values.RequestedProcedureID,
    requestedProcedureDescription: values.RequestedProcedureDescription,
    scheduledProcedureStepId: values.ScheduledProcedureStepID,
    scheduledProcedureStepDescription: values.ScheduledProcedureStepDescription,
    studyDescription: values.StudyDescription,
    referringPhysicianName: values.ReferringPhysicianName,
    admissionId: values.AdmissionID,
    modality: values.Modality,
    date: values.ScheduledProcedureStepStartDate,
    time: values.ScheduledProcedureStepStartTime,
  }
}
