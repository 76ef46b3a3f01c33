import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { useReply } from '../gateway.ts'
import { useSession } from '../session.ts'
import { words } from './words.ts'

/** Names of those the trail names by id, `user:usr_…` to `Olga Berg`, in the order of a menu. */
export function useActors(): ReadonlyMap<string, string> {
  const user = useSession().data?.user
  const people =
    useReply(dashboardPeople.people, { query: { limit: 100 } }, { staleTime: 60_000 }).data
      ?.people ?? []
  const keys = useReply(dashboardPeople.apiKeys, {}, { staleTime: 60_000 }).data?.apiKeys ?? []
  return new Map([
    ...people.map(({ userId, firstName, lastName, email }): [string, string] => {
      const name = `${firstName} ${lastName}`.trim() || email
      return [`user:${userId}`, userId === user?.userId ? words.you(name) : name]
    }),
    ...keys.map(({ apiKeyId, description }): [string, string] => [
      `api-key:${apiKeyId}`,
      words.apiKey(description),
    ]),
    ['gateway', words.gateway],
    ['command-line', words.commandLine],
  ])
}
