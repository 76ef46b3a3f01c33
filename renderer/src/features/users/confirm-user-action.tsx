import { useState } from 'react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import type { ProblemError } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { showDone } from '../../ui/undo.tsx'
import { PEOPLE_OPERATIONS, usePersonChanges } from './changes.ts'
import { nameOf } from './user-values.ts'

export interface PersonQuestion {
  readonly kind: 'revoke' | 'withdraw' | 'factor' | 'sessions'
  readonly person: Person
  /** Windows to be signed out. */
  readonly sessionIds?: readonly string[]
}

/** Asks before somebody's access changes, saying what it means. */
export function PersonActionDialog({
  kind,
  person,
  sessionIds = [],
  onDone,
}: PersonQuestion & { onDone: () => void }) {
  const { revoke, withdraw } = usePersonChanges()
  const resetFactor = useSend(dashboardSecurity.resetSecondFactor, PEOPLE_OPERATIONS)
  const endSession = useSend(dashboardSecurity.endSession, [dashboardSecurity.sessions])
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<ProblemError | null>(null)
  const name = nameOf(person)

  const DO: Readonly<Record<PersonQuestion['kind'], () => Promise<void>>> = {
    revoke: () => revoke(person),
    withdraw: () => withdraw(person),
    async factor() {
      await resetFactor.mutateAsync({ params: { userId: person.userId } })
      showDone(t('ui.users.signIn.resetDone', { name }))
    },
    async sessions() {
      for (const sessionId of sessionIds) await endSession.mutateAsync({ params: { sessionId } })
      showDone(t('ui.users.signIn.ended', { count: sessionIds.length }))
    },
  }
  async function confirm() {
    setIsBusy(true)
    setError(null)
    try {
      await DO[kind]()
      onDone()
    } catch (fault) {
      setError(fault as ProblemError)
      setIsBusy(false)
    }
  }
  return (
    <ConfirmAction
      isOpen
      title={t(`ui.users.asks.${kind}.title`)}
      action={t(`ui.users.asks.${kind}.action`)}
      isBusy={isBusy}
      error={error}
      onClose={onDone}
      onConfirm={() => void confirm()}
    >
      {t(`ui.users.asks.${kind}.text`, { name })}
    </ConfirmAction>
  )
}
