import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { useReply } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
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
