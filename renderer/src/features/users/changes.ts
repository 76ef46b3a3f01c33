import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import type { Message } from '#shared/messages/message.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { ProblemError } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { showRefusal } from '../../ui/refused.ts'
import { showDone } from '../../ui/undo.tsx'
import { nameOf } from './user-values.ts'

/** What is asked again after a change of a person. */
export const PEOPLE_OPERATIONS = [
  dashboardPeople.people,
  dashboardPeople.customerUsers,
  dashboardSecurity.sessions,
] as const

export type InvitationReply = ReplyOf<typeof dashboardPeople.invitePerson>

const refused = (why: Message | undefined) => showRefusal(why ? translateMessage(why) : '')
const failed = (error: unknown) => showRefusal((error as ProblemError).message)

/** Changes of a person's access, said when they are done, and undone where they can be. */
export function usePersonChanges() {
  const revokeCall = useSend(dashboardPeople.revokePerson, PEOPLE_OPERATIONS)
  const reactivateCall = useSend(dashboardPeople.reactivatePerson, PEOPLE_OPERATIONS)
  const withdrawCall = useSend(dashboardPeople.revokeInvitation, PEOPLE_OPERATIONS)
  const renewCall = useSend(dashboardPeople.renewInvitation, PEOPLE_OPERATIONS)

  // The promises settle for an undo that comes when the screen was left, the callbacks of `mutate`
  // would not.
  async function revoke(person: Person): Promise<void> {
    const { success, message } = await revokeCall.mutateAsync({ params: { userId: person.userId } })
    if (!success) return void refused(message)
    showDone(t('ui.users.revoked', { name: nameOf(person) }), () => void reactivate(person))
  }
  async function reactivate(person: Person): Promise<void> {
    try {
      const { success, message } = await reactivateCall.mutateAsync({
        params: { userId: person.userId },
      })
      if (!success) return void refused(message)
      showDone(
        t('ui.users.reactivated', { name: nameOf(person) }),
        () => void revoke(person).catch(failed),
      )
    } catch (error) {
      failed(error)
    }
  }
  async function withdraw(person: Person): Promise<void> {
    const { success, message } = await withdrawCall.mutateAsync({
      params: { userId: person.userId },
    })
    if (!success) return void refused(message)
    showDone(t('ui.users.withdrawn', { name: nameOf(person) }))
  }
  const renew = (person: Person, onLink: (invited: InvitationReply) => void) =>
    void renewCall.mutateAsync({ params: { userId: person.userId } }).then(onLink, failed)

  return { revoke, withdraw, reactivate: (person: Person) => void reactivate(person), renew }
}
