import { randomInt } from 'node:crypto'
import { type Actor, note } from '#server/audit-log/audit.ts'
import { storeSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { PROOF_SECRET } from '#server/database/key-proof.ts'
import {
  keepRecoveryKey,
  newRecoveryKey,
  normalizeKey,
  RECOVERY_GROUPS,
  recoveryKeyState,
  wrapDataKey,
} from '#server/database/recovery-key.ts'
import type { RecoveryKeyState } from '#shared/contract/dashboard-setup.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

/**
 * Keeps in the database what the data key is proven by: durable before the recovery file is there,
 * which opens nothing without it.
 */
export const keepRecoveryProof = (context: Context): void =>
  storeSecret(context, PROOF_SECRET, PROOF_SECRET)

/** A key that was shown and not confirmed opens nothing, and is forgotten. */
const CONFIRM_MS = 30 * 60_000

/** Makes recovery keys: the key for when the data key is lost. */
export class RecoveryKeySetup {
  readonly #context: Context
  readonly #onInForce: () => void
  #shown:
    | {
        readonly recoveryKey: string
        readonly asked: readonly number[]
        readonly actor: Actor
        readonly at: number
      }
    | undefined

  /** @param onInForce a recovery key is in force: the data key may leave its plain file */
  constructor(context: Context, onInForce: () => void = () => {}) {
    this.#context = context
    this.#onInForce = onInForce
    // A crash may have interrupted the move, or the data key was recovered: it is moved now.
    if (this.state().state === 'ready') onInForce()
  }

  state(): RecoveryKeyState {
    return recoveryKeyState(this.#context.folder, this.#context.database.seal)
  }

  /**
   * Makes a key, shown this once; it is in force when it is confirmed. `asked`: the groups, from 0,
   * that confirm it.
   */
  make(actor: Actor): { readonly recoveryKey: string; readonly asked: number[] } {
    const first = randomInt(RECOVERY_GROUPS)
    const asked = [first, (first + 1 + randomInt(RECOVERY_GROUPS - 1)) % RECOVERY_GROUPS].sort(
      (a, b) => a - b,
    )
    const recoveryKey = newRecoveryKey()
    this.#shown = { recoveryKey, asked, actor, at: this.#context.clock() }
    return { recoveryKey, asked: [...asked] }
  }

  /**
   * @throws ApiError refused: none was made in the last half hour; malformed: other groups than
   *   asked for
   */
  confirm(groups: readonly string[], actor: Actor): RecoveryKeyState {
    const context = this.#context
    const shown = this.#shown
    if (!shown || shown.actor !== actor || context.clock() - shown.at > CONFIRM_MS)
      throw new ApiError('refused', message('backups.recovery-key-expired'))
    const { recoveryKey, asked } = shown
    const parts = recoveryKey.split('-')
    const errors = asked.flatMap((group, at) =>
      normalizeKey(groups[at] ?? '') === parts[group]
        ? []
        : [
            {
              path: `body.groups.${at}`,
              message: message('backups.other-group', { group: group + 1 }),
            },
          ],
    )
    if (errors.length > 0)
      throw new ApiError('malformed', message('backups.other-recovery-key'), { errors })
    const replaces = this.state().madeAt
    const wrapped = wrapDataKey(context.database.seal, recoveryKey, context.clock())
    keepRecoveryProof(context)
    context.database.transaction(() => {
      keepRecoveryKey(context.folder, wrapped)
      note(context, actor, 'recovery-key.make', 'recovery.key', { replaces })
    })
    this.#shown = undefined
    this.#onInForce()
    return this.state()
  }
}
