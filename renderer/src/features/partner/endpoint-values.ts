import type { dashboardEvents, Endpoint } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { InputOf } from '#shared/operation.ts'
import { EVENT_ORDER } from '../../format/event-types.ts'

/** The form of an endpoint: budgets in seconds, empty where the usual time is meant. */
export interface EndpointValues {
  name: string
  url: string
  allowPlaintext: boolean
  /** Empty: for all studies. */
  apiKeyId: string
  events: EventType[]
  fileHosts: string[]
  budgets: Partial<Record<EventType, number | string>>
  secret: string
}

type NewEndpoint = InputOf<typeof dashboardEvents.addEndpoint>['body']
type EndpointPatch = InputOf<typeof dashboardEvents.changeEndpoint>['body']

/** What the form begins with; a new endpoint takes nothing yet. */
export const valuesOf = (endpoint: Endpoint | null): EndpointValues => ({
  name: endpoint?.name ?? '',
  url: endpoint?.url ?? '',
  allowPlaintext: endpoint?.allowsPlaintext ?? false,
  apiKeyId: endpoint?.apiKey?.apiKeyId ?? '',
  events: endpoint?.events ?? [],
  fileHosts: endpoint?.fileHosts ?? [],
  budgets: Object.fromEntries(
    Object.entries(endpoint?.budgets ?? {}).map(([event, ms]) => [event, ms / 1000]),
  ),
  secret: '',
})

/** The whole form as a call changes an endpoint by it. */
export function patchOf({
  name,
  url,
  allowPlaintext,
  events,
  fileHosts,
  budgets,
}: EndpointValues): EndpointPatch {
  return {
    name: name.trim(),
    url: url.trim(),
    allowPlaintext,
    events: EVENT_ORDER.filter((event) => events.includes(event)),
    fileHosts: fileHosts.map(hostOf),
    budgets: Object.fromEntries(
      EVENT_ORDER.flatMap((event) => {
        const seconds = budgets[event]
        return typeof seconds === 'number' && events.includes(event)
          ? [[event, Math.round(seconds * 1000)]]
          : []
      }),
    ),
  }
}

/** The whole form as a call makes an endpoint of it. */
export function newEndpointOf(values: EndpointValues): NewEndpoint {
  const { url = '', events = [], ...rest } = patchOf(values)
  const secret = values.secret.trim()
  return { url, events, ...rest, apiKeyId: values.apiKeyId || null, ...(secret && { secret }) }
}

/** People paste whole addresses: `https://files.example:8443/a/b` is meant as its host. */
export function hostOf(text: string): string {
  const typed = text.trim().toLowerCase()
  if (!/^https?:\/\//.test(typed) || !URL.canParse(typed)) return typed
  return new URL(typed).host
}
