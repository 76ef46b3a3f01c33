import { RETRIEVAL_RIGHTS } from '#shared/contract/devices.ts'
import { t } from '../../i18n/t.ts'

/** What a device may do with the studies of the gateway, for a list to choose from. */
export const retrievalOptions = () =>
  RETRIEVAL_RIGHTS.map((value) => ({ value, label: t(`ui.devices.retrieval.${value}`) }))

/** Whether a caller asked to search or retrieve studies (`Study Root Find` …). */
export const asksRetrieval = (services: readonly string[]): boolean =>
  services.some((service) => /^(Patient|Study) Root /.test(service))
