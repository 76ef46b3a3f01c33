import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { express } from '#shared/contract/express.ts'
import { useReply } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useZone } from '../../api/status.ts'
import type { DetailReader } from '../../format/audit-detail.ts'
import { endpointName } from '../../format/endpoint-name.ts'
import { t } from '../../i18n/t.ts'

/** Names of those the trail names by id, `user:usr_…` to `Olga Berg`, in the order of a menu. */
export function useActors(): ReadonlyMap<string, string> {
  const user = useSession().data?.user
  const people =
    useReply(dashboardPeople.people, { query: { limit: 100 } }, { staleTime: 60_000 }).data
      ?.people ?? []
  const keys = useReply(dashboardPeople.apiKeys, {}, { staleTime: 60_000 }).data?.apiKeys ?? []
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 }).data?.devices ?? []
  return new Map([
    ...people.map(({ userId, firstName, lastName, email }): [string, string] => {
      const name = `${firstName} ${lastName}`.trim() || email
      return [`user:${userId}`, userId === user?.userId ? t('ui.audit.you', { name }) : name]
    }),
    ...keys.map(({ apiKeyId, description }): [string, string] => [
      `api-key:${apiKeyId}`,
      t('ui.audit.apiKey', { description }),
    ]),
    ...devices.map(({ deviceId, name, aeTitle }): [string, string] => [
      `device:${deviceId}`,
      t('ui.audit.device', { device: name || aeTitle }),
    ]),
    ['gateway', t('ui.audit.gateway')],
    ['command-line', t('ui.audit.commandLine')],
  ])
}

/** Reads details and objects of entries, with the names of whatever they name by an id. */
export function useDetailReader(actors: ReadonlyMap<string, string>): DetailReader {
  const zone = useZone()
  const customers =
    useReply(express.list, { query: { limit: 100 } }, { staleTime: 60_000 }).data
      ?.expressCustomers ?? []
  const destinations =
    useReply(dashboardDestinations.list, {}, { staleTime: 60_000 }).data?.destinations ?? []
  const endpoints =
    useReply(dashboardEvents.endpoints, {}, { staleTime: 60_000 }).data?.endpoints ?? []
  const names = new Map([
    ...customers.map((one): [string, string] => [one.expressCustomerId, one.expressCustomerName]),
    ...destinations.map((one): [string, string] => [one.destinationId, one.name]),
    ...endpoints.map((one): [string, string] => [one.endpointId, endpointName(one)]),
  ])
  return {
    zone,
    nameOf: (id) =>
      names.get(id) ??
      actors.get(id) ??
      actors.get(`user:${id}`) ??
      actors.get(`device:${id}`) ??
      actors.get(`api-key:${id}`),
  }
}
