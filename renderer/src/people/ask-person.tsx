import { useState } from 'react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import type { ProblemError } from '../client.ts'
import { Confirm } from '../components/confirm.tsx'
import { showDone } from '../components/undo.tsx'
import { useSend } from '../gateway.ts'
import { PEOPLE_REPLIES, usePersonChanges } from './changes.ts'
import { nameOf } from './person-values.ts'
import { words } from './words.ts'

export interface PersonQuestion {
  readonly kind: 'revoke' | 'withdraw' | 'factor' | 'sessions'
  readonly person: Person
  /** Windows to be signed out. */
  readonly sessionIds?: readonly string[]
}

/** Asks before somebody's access changes, saying what it means. */
export function AskPerson({
  kind,
  person,
  sessionIds = [],
  onDone,
}: PersonQuestion & { onDone: () => void }) {
  const { revoke, withdraw } = usePersonChanges()
  const resetFactor = useSend(dashboardSecurity.resetSecondFactor, PEOPLE_REPLIES)
  const endSession = useSend(dashboardSecurity.endSession, [dashboardSecurity.sessions])
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<ProblemError | null>(null)
  const { title, action, text } = words.asks[kind]
  const name = nameOf(person)

  const DO: Readonly<Record<PersonQuestion['kind'], () => Promise<void>>> = {
    revoke: () => revoke(person),
    withdraw: () => withdraw(person),
    async factor() {
      await resetFactor.mutateAsync({ params: { userId: person.userId } })
      showDone(words.signIn.resetDone(name))
    },
    async sessions() {
      for (const sessionId of sessionIds) await endSession.mutateAsync({ params: { sessionId } })
      showDone(words.signIn.ended(sessionIds.length))
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
    <Confirm
      isOpen
      title={title}
      action={action}
      isBusy={isBusy}
      error={error}
      onClose={onDone}
      onConfirm={() => void confirm()}
    >
      {text(name)}
    </Confirm>
  )
}
