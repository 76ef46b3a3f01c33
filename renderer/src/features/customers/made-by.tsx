import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import type { ExpressCustomer } from '#shared/contract/express.ts'
import { viewerUsers } from '#shared/contract/users.ts'
import type { UserId } from '#shared/ids.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { usePermission } from '../../ui/allowed.tsx'

const STALE_MS = 300_000

/** Who added a customer, by name: a person, or a partner system by what its key is called. */
export function CreatedBy({
  customer: { createdByUserId, createdByApiKeyId },
}: {
  customer: ExpressCustomer
}) {
  if (createdByUserId !== null) return <UserName userId={createdByUserId} />
  return createdByApiKeyId === undefined ? (
    t('ui.customers.made.system')
  ) : (
    <Key apiKeyId={createdByApiKeyId} />
  )
}

function UserName({ userId }: { userId: UserId }) {
  const user = useReply(viewerUsers.read, { params: { userId } }, { staleTime: STALE_MS })
  if (user.isPending) return '…'
  return user.data ? `${user.data.firstName} ${user.data.lastName}` : t('ui.customers.made.someone')
}

function Key({ apiKeyId }: { apiKeyId: string }) {
  // Keys are shown to who manages the gateway.
  const { may } = usePermission('manageGateway')
  const keys = useReply(dashboardPeople.apiKeys, {}, { staleTime: STALE_MS, enabled: may })
  const key = keys.data?.apiKeys.find((one) => one.apiKeyId === apiKeyId)
  return key ? t('ui.customers.made.key', { name: key.description }) : t('ui.customers.made.system')
}
