import { createHash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { findMovedAt } from '#server/modules/images/instance-copy-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import {
  type CopyRecord,
  listStoredCopies,
  recordCopyLost,
  recordCopyVerified,
} from './copy-queries.ts'
import type { PacsRetrieval } from './pacs-retrieval.ts'
import { isMissingObject } from './store-fault.ts'
import type { TierConnections } from './stores.ts'
import {
  findTier,
  isCurrentTier,
  isS3Tier,
  listTiers,
  setTierError,
  type TierRecord,
} from './tier-queries.ts'

/** Where the file of an instance can be fetched from. */
export type FileSource = { readonly tierId: string; readonly tierName: string } & (
  | {
      /** Its bytes, as they were received, which are compared with the checksum of the copy. */
      readonly kind: 'object'
      readonly read: (signal: AbortSignal) => AsyncIterable<Buffer>
    }
  | {
      /** Resolves when the PACS has sent the image, as any device would. */
      readonly kind: 'pacs'
      readonly retrieve: (signal: AbortSignal) => Promise<void>
    }
)

/** The content of a copy is not what was copied. */
class CopyFault extends MessageError {}

/** The tiers, as sources of files that are not on this PC. */
export class TierSources {
  readonly #context: Context
  readonly #connections: TierConnections
  readonly #pacs: PacsRetrieval

  constructor(context: Context, connections: TierConnections, pacs: PacsRetrieval) {
    this.#context = context
    this.#connections = connections
    this.#pacs = pacs
  }

  /** Verified copies in object stores first, then the PACS, of which it is not known. */
  of(instance: InstanceRecord): FileSource[] {
    const { database } = this.#context
    const copies = listStoredCopies(database, instance.instanceId).flatMap((copy) => {
      const tier = findTier(database, copy.tierId)
      return tier?.isEnabled ? this.#objectSource(tier, copy) : []
    })
    const pacs = listTiers(database).flatMap((tier) =>
      tier.isEnabled && tier.settings.kind !== 's3' ? [this.#pacsSource(tier, instance)] : [],
    )
    return [...copies, ...pacs]
  }

  #objectSource(tier: TierRecord, copy: CopyRecord): FileSource[] {
    if (!isS3Tier(tier)) return []
    const connect = () => this.#connections.storeOf(tier)
    const { database, clock } = this.#context
    async function* read(signal: AbortSignal) {
      const digest = createHash('sha256')
      const lostCopyFault = (why: Message, cause?: unknown) => {
        // What a server has that the tier no longer is says nothing.
        if (isCurrentTier(database, tier)) recordCopyLost(database, copy.copyId, why, null)
        return new CopyFault(why, { cause })
      }
      try {
        const store = await connect()
        const body = await store.read(copy.objectKey, copy.encryption, signal)
        for await (const chunk of body as AsyncIterable<Buffer>) {
          digest.update(chunk)
          yield chunk
        }
      } catch (error) {
        throw isMissingObject(error) ? lostCopyFault(message('tiers.object-missing'), error) : error
      }
      if (!copy.sha256?.equals(digest.digest())) throw lostCopyFault(message('tiers.copy-differs'))
      // The server at the new address of the tier has the copy.
      if (findMovedAt(database, tier.tierId) !== undefined && isCurrentTier(database, tier))
        recordCopyVerified(database, copy.copyId, instantOf(clock()))
    }
    return [{ kind: 'object', tierId: tier.tierId, tierName: tier.name, read }]
  }

  #pacsSource = (tier: TierRecord, instance: InstanceRecord): FileSource => ({
    kind: 'pacs',
    tierId: tier.tierId,
    tierName: tier.name,
    retrieve: (signal) => this.#pacs.retrieve(tier, instance, signal),
  })

  noteReached({ tierId }: FileSource): void {
    setTierError(this.#context.database, tierId, null)
  }

  noteFailure({ tierId }: FileSource, why: Message): void {
    setTierError(this.#context.database, tierId, why)
  }
}
