import { Communication } from '#shared/contract/reports.ts'
import { faultsOfIssues } from '../../ui/use-contract-form.ts'

export interface CommunicationValues {
  communicatedTo: string
  method: Communication['method']
  /** Of this PC, as the field for it has it: `2026-11-20T10:42`. */
  at: string
  isReadBack: boolean
  note: string
}

/** Now, to the minute, as the field for a time has it. */
export function newCommunication(now: Date): CommunicationValues {
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const day = `${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`
  return {
    communicatedTo: '',
    method: 'phone',
    at: `${day}T${twoDigits(now.getHours())}:${twoDigits(now.getMinutes())}`,
    isReadBack: false,
    note: '',
  }
}

/** What the gateway is told. */
export function communicationOf({ at, ...values }: CommunicationValues): Communication {
  const instant = new Date(at)
  return {
    ...values,
    communicatedAt: (Number.isNaN(instant.getTime())
      ? ''
      : instant.toISOString()) as Communication['communicatedAt'],
  }
}

/** The field of the form for a path of a communication: the instant is that of `at`. */
export const communicationField = (path: string): string =>
  path === 'communicatedAt' ? 'at' : path

/** What the gateway would refuse, by the field of the form. */
export function communicationFaults(values: CommunicationValues): Record<string, string> {
  const { error } = Communication.safeParse(communicationOf(values))
  return faultsOfIssues(error?.issues ?? [], communicationField)
}
