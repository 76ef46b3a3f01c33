import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { express } from '#shared/contract/express.ts'
import type { ExpressCustomerReference } from '#shared/contract/references.ts'
import type { UserId } from '#shared/ids.ts'
import type { Message } from '#shared/messages/message.ts'
import type { ProblemError } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { showRefusal } from './refused.ts'
import { showDone } from './undo.tsx'

/** What is asked again after a change of a customer or of who is linked to it. */
export const CUSTOMER_OPERATIONS = [
  express.list,
  express.read,
  dashboardPeople.customerUsers,
  dashboardPeople.people,
] as const

export interface LinkedPerson {
  readonly userId: UserId
  readonly name: string
}

// The type of the call is that of partners, who receive a text.
const refused = (message: Message | string | undefined) =>
  showRefusal(typeof message === 'object' ? translateMessage(message) : (message ?? ''))
/** Says what the gateway refused. */
export const failed = (error: unknown): void => showRefusal((error as ProblemError).message)

// The promises settle for an undo that comes when the screen was left, the callbacks of `mutate`
// would not.

/** Links people to customers and unlinks them, each with its undo. */
export function useCustomerLinks() {
  const addUser = useSend(express.addUser, CUSTOMER_OPERATIONS)
  const removeUser = useSend(express.removeUser, CUSTOMER_OPERATIONS)

  async function change(
    send: typeof addUser,
    customer: ExpressCustomerReference,
    user: LinkedPerson,
    done: string,
    undo: () => void,
  ) {
    try {
      const { success, message } = await send.mutateAsync({
        params: { expressCustomerId: customer.expressCustomerId },
        body: { userId: user.userId },
      })
      if (success) showDone(done, undo)
      else refused(message)
    } catch (error) {
      failed(error)
    }
  }
  const link = (customer: ExpressCustomerReference, user: LinkedPerson): void =>
    void change(
      addUser,
      customer,
      user,
      t('ui.customers.people.added', { name: user.name, customer: customer.expressCustomerName }),
      () => unlink(customer, user),
    )
  const unlink = (customer: ExpressCustomerReference, user: LinkedPerson): void =>
    void change(
      removeUser,
      customer,
      user,
      t('ui.customers.people.removed', { name: user.name, customer: customer.expressCustomerName }),
      () => link(customer, user),
    )
  return { link, unlink }
}

/** Blocks a customer and unblocks it, each with its undo. */
export function useCustomerBlock({
  expressCustomerId,
  expressCustomerName: name,
}: ExpressCustomerReference) {
  const params = { expressCustomerId }
  const deactivate = useSend(express.deactivate, CUSTOMER_OPERATIONS)
  const reactivate = useSend(express.reactivate, CUSTOMER_OPERATIONS)

  /** @throws ProblemError */
  async function block(): Promise<void> {
    await deactivate.mutateAsync({ params })
    showDone(t('ui.customers.deactivated', { name }), unblock)
  }
  const unblock = (): void =>
    void reactivate
      .mutateAsync({ params })
      .then(
        () => showDone(t('ui.customers.reactivated', { name }), () => void block().catch(failed)),
        failed,
      )

  return { block, unblock, isBlocking: deactivate.isPending, blockError: deactivate.error }
}
