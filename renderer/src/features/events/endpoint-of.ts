import type { Endpoint } from '#shared/contract/events.ts'
import { endpointName } from '../../format/endpoint-name.ts'
import { t } from '../../i18n/t.ts'

/** Where an event goes, by name; empty until the endpoints are known. */
export function eventEndpointName(
  endpoints: readonly Endpoint[] | undefined,
  endpointId: string | null,
): string {
  if (endpointId === null) return t('ui.events.noEndpoint')
  const endpoint = endpoints?.find((one) => one.endpointId === endpointId)
  return endpoint ? endpointName(endpoint) : endpoints ? t('ui.events.goneEndpoint') : ''
}
