import type { Endpoint } from '#shared/contract/events.ts'
import { t } from '../i18n/t.ts'

/** An endpoint as people know it: its name, else whose studies it is for, else its host. */
export function endpointName({
  name,
  isDefault,
  apiKey,
  url,
}: Pick<Endpoint, 'name' | 'isDefault' | 'apiKey' | 'url'>): string {
  if (name) return name
  if (apiKey) return apiKey.description
  if (isDefault) return t('ui.format.defaultEndpoint')
  return URL.canParse(url) ? new URL(url).host : url
}
