import type { Order } from '#server/modules/corrections/correction-rules.ts'
import { type DeviceLists, stepKey } from './device-lists.ts'
import type { WorklistRow } from './row.ts'

/**
 * The orders of a day by ID, from the partner's stored answers and what devices were sent. The
 * partner is not queried.
 */
async function ordersOn(lists: DeviceLists, day: string): Promise<Map<string, Order>> {
  const { rows } = await lists.ofDay(day, undefined)
  const orders = new Map<string, Order>()
  for (const { row } of rows.values()) {
    // Images cannot be assigned to a withheld row: it mixes several patients or lacks an identity.
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
