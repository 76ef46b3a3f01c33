import { type DeviceListsDeps, openDeviceLists, stepKey } from './device-lists.ts'
import type { WorklistRow } from './row.ts'

/** An order as the worklist has it: DICOM text, '' where it says nothing. */
export interface WorklistOrder {
  /** Its day, study and step. */
  readonly orderId: string
  readonly studyInstanceUid: string
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly patientSex: '' | 'M' | 'F' | 'O'
  readonly accessionNumber: string
  readonly requestedProcedureId: string
  readonly requestedProcedureDescription: string
  readonly scheduledProcedureStepId: string
  readonly scheduledProcedureStepDescription: string
  readonly studyDescription: string
  readonly referringPhysicianName: string
  readonly admissionId: string
  readonly modality: string
  readonly date: string
  readonly time: string
}

/**
 * Orders of the partner's answers that are kept, and of what devices were sent; the partner is not
 * asked.
 */
export function openOrders(deps: DeviceListsDeps) {
  const lists = openDeviceLists(deps)

  async function onDay(day: string): Promise<Map<string, WorklistOrder>> {
    const { rows } = await lists.ofDay(day, undefined)
    const orders = new Map<string, WorklistOrder>()
    for (const { row } of rows.values()) {
      // What no device may be sent is no order that images can be put into: of several patients, or
      // without an identity.
      if (row.withheld !== '' || row.values.StudyInstanceUID === '') continue
      const orderId = `${day} ${stepKey(row)}`
      orders.set(orderId, orderOf(row, orderId))
    }
    return orders
  }

  return {
    /** `days`: YYYY-MM-DD. */
    async onDays(days: readonly string[]): Promise<WorklistOrder[]> {
      const found: WorklistOrder[] = []
      for (const day of days) found.push(...(await onDay(day)).values())
      return found
    },
    async get(orderId: string): Promise<WorklistOrder | undefined> {
      const [day = ''] = orderId.split(' ', 1)
      return /^\d{4}-\d\d-\d\d$/.test(day) ? (await onDay(day)).get(orderId) : undefined
    },
  }
}

function orderOf({ values }: WorklistRow, orderId: string): WorklistOrder {
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
