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
 * Stores the proof of the data key in the database. It must be durable before the recovery file is
 * written, because the file is useless without it.
 */
export const storeRecoveryProof = (context: Context): void =>
  storeSecret(context, PROOF_SECRET, PROOF_SECRET)

/** How long a recovery key can be confirmed after it was shown. It has no effect before. */
const CONFIRM_MS = 30 * 60_000

/** Creates recovery keys, which replace a lost data key. */
export class RecoveryKeySetup {
  readonly #context: Context
  readonly #onKeyActive: () => void
  #shown:
    | {
        readonly recoveryKey: string
        readonly asked: readonly number[]
        readonly actor: Actor
        readonly at: number
      }
    | undefined

  /**
   * @param onKeyActive called when a recovery key is in force, so that the data key may be moved from
   *   its plain file into a key store
   */
  constructor(context: Context, onKeyActive: () => void = () => {}) {
    this.#context = context
    this.#onKeyActive = onKeyActive
    // Repeats a move that a crash interrupted, or moves a data key that was recovered.
    if (this.state().state === 'ready') onKeyActive()
  }

  state(): RecoveryKeyState {
    return recoveryKeyState(this.#context.folder, this.#context.database.seal)
  }

  /**
   * Generates a recovery key, which is returned only here and takes effect when it is confirmed.
   * `asked` lists the indexes (from 0) of the groups that the user must repeat.
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
   * Puts the recovery key into force if the groups match.
   * @throws ApiError refused if no key was generated in the last half hour; malformed if a group
   *   differs
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
    storeRecoveryProof(context)
    context.database.transaction(() => {
      keepRecoveryKey(context.folder, wrapped)
      note(context, actor, 'recovery-key.make', 'recovery.key', { replaces })
    })
    this.#shown = undefined
    this.#onKeyActive()
    return this.state()
  }
}
