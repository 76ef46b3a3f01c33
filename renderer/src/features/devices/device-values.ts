import type { CharacterSet, Device } from '#shared/contract/devices.ts'

/** A device as its form holds it: what is empty is not set. */
export interface DeviceValues {
  name: string
  aeTitle: string
  address: string
  modality: string
  isEnabled: boolean
  characterSet: CharacterSet | null
  stationMode: Device['stationMode']
  alwaysSendCharacterSet: boolean
  daysBack: number | string
  daysForward: number | string
  maxRows: number | string
  port: number | string
  profile: Device['profile']
  hideStarted: boolean
  countsBytes: boolean
  tls: Device['tls']
  certificate: string
  retrieval: Device['retrieval']
}

/** What the form begins with. @param device null for a new one */
export const valuesOf = (device: Device | null): DeviceValues => ({
  name: device?.name ?? '',
  aeTitle: device?.aeTitle ?? '',
  address: device?.address ?? '',
  modality: device?.modality ?? '',
  isEnabled: device?.isEnabled ?? true,
  characterSet: device?.characterSet ?? null,
  stationMode: device?.stationMode ?? 'echo',
  alwaysSendCharacterSet: device?.alwaysSendCharacterSet ?? false,
  daysBack: device?.daysBack ?? '',
  daysForward: device?.daysForward ?? '',
  maxRows: device?.maxRows ?? '',
  port: device?.port ?? '',
  profile: device?.profile ?? 'standard',
  hideStarted: device?.hideStarted ?? false,
  countsBytes: device?.countsBytes ?? false,
  tls: device?.tls ?? 'optional',
  certificate: device?.certificate ?? '',
  retrieval: device?.retrieval ?? 'none',
})

const numberOf = (value: number | string): number | null => (value === '' ? null : Number(value))

/** What the gateway is sent. */
export const bodyOf = (values: DeviceValues) => ({
  ...values,
  address: values.address.trim() || null,
  modality: values.modality.trim() || null,
  daysBack: numberOf(values.daysBack),
  daysForward: numberOf(values.daysForward),
  maxRows: numberOf(values.maxRows),
  port: numberOf(values.port),
  certificate: values.certificate.trim() || null,
})
