import { randomInt } from 'node:crypto'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import type { RecoveryKeyState } from '#shared/contract/dashboard-setup.ts'
import { ApiError } from '#shared/errors.ts'
import {
  keepRecoveryKey,
  keepRecoveryProof,
  newRecoveryKey,
  plainKey,
  RECOVERY_GROUPS,
  recoveryKeyState,
  wrapDataKey,
} from './recovery-key.ts'

/** The key for when the data key is lost. */
export interface Recovery {
  state(): RecoveryKeyState
  /**
   * Makes a key, shown this once; it is in force when it is confirmed. `asked`: the groups, from 0,
   * that confirm it.
   */
  make(actor: Actor): { readonly recoveryKey: string; readonly asked: number[] }
  /**
   * @throws ApiError refused: none was made in the last half hour; malformed: other groups than
   *   asked for
   */
  confirm(groups: readonly string[], actor: Actor): RecoveryKeyState
}

/** A key that was shown and not confirmed opens nothing, and is forgotten. */
const CONFIRM_MS = 30 * 60_000

export interface RecoveryDeps extends DomainDeps {
  /** A recovery key is in force now: the data key may leave its plain file. */
  readonly onInForce?: (() => void) | undefined
}

export function openRecovery(deps: RecoveryDeps): Recovery {
  const { store, clock } = deps
  let shown:
    | {
        readonly recoveryKey: string
        readonly asked: readonly number[]
        readonly actor: Actor
        readonly at: number
      }
    | undefined
  const state = () => recoveryKeyState(store.folder, store.seal)

  return {
    state,
    make(actor) {
      const first = randomInt(RECOVERY_GROUPS)
      const asked = [first, (first + 1 + randomInt(RECOVERY_GROUPS - 1)) % RECOVERY_GROUPS].sort(
        (a, b) => a - b,
      )
      shown = { recoveryKey: newRecoveryKey(), asked, actor, at: clock() }
      return { recoveryKey: shown.recoveryKey, asked: [...asked] }
    },
    confirm(groups, actor) {
      if (!shown || shown.actor !== actor || clock() - shown.at > CONFIRM_MS)
        throw new ApiError(
          'refused',
          'The key that was shown is no longer waiting to be confirmed: make another one.',
        )
      const { recoveryKey, asked } = shown
      const parts = recoveryKey.split('-')
      const errors = asked.flatMap((group, at) =>
        plainKey(groups[at] ?? '') === parts[group]
          ? []
          : [
              {
                path: `body.groups.${at}`,
                message: `is not group ${group + 1} of the key that was shown`,
              },
            ],
      )
      if (errors.length > 0)
        throw new ApiError(
          'malformed',
          'What you typed is not what was shown. Compare it with what you wrote down.',
          { errors },
        )
      const before = state()
      const wrapped = wrapDataKey(store.seal, recoveryKey, clock())
      keepRecoveryProof(store.secrets)
      store.database.transaction(() => {
        keepRecoveryKey(store.folder, wrapped)
        note(deps.store, actor, 'recovery-key.make', 'recovery.key', { replaces: before.madeAt })
      })
      shown = undefined
      deps.onInForce?.()
      return state()
    },
  }
}
