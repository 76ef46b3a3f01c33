import { rootCertificates } from 'node:tls'
import { readSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import type { IsOwnListener } from '#server/webhooks/address.ts'
import { Agents } from '#server/webhooks/agents.ts'
import type { S3Settings } from '#shared/contract/tiers.ts'
import { ObjectStore } from './object-store.ts'
import type { TierRecord } from './tier-queries.ts'

/** Names of the secrets of a tier. */
export const secretNameOf = (tierId: string) => `tiers.${tierId}.secret`
export const customerKeyNameOf = (tierId: string) => `tiers.${tierId}.customer-key`

interface Open {
  readonly updatedAt: string
  readonly agents: Agents
  store: ObjectStore | undefined
}

/**
 * The connections to the tiers. Each has its own, since each may trust an authority of its own. A
 * tier that was changed is connected to anew.
 */
export class TierConnections implements AsyncDisposable {
  readonly #context: Context
  readonly #isOwn: IsOwnListener
  readonly #open = new Map<string, Open>()

  constructor(context: Context, isOwn: IsOwnListener) {
    this.#context = context
    this.#isOwn = isOwn
  }

  /** The object store of a tier of kind `s3`. */
  storeOf(tier: TierRecord & { readonly settings: S3Settings }): ObjectStore {
    const { database, clock } = this.#context
    const open = this.#openOf(tier, tier.settings.certificate)
    const key = readSecret({ database }, customerKeyNameOf(tier.tierId))
    open.store ??= new ObjectStore({
      settings: tier.settings,
      secretAccessKey: readSecret({ database }, secretNameOf(tier.tierId)) ?? '',
      customerKey: key === undefined ? undefined : Buffer.from(key, 'base64'),
      agents: open.agents,
      clock,
    })
    return open.store
  }

  /** The HTTP client for a tier of kind `dicomweb`. */
  agentsOf(tier: TierRecord, certificate: string | null): Agents {
    return this.#openOf(tier, certificate).agents
  }

  #openOf({ tierId, updatedAt }: TierRecord, certificate: string | null): Open {
    const open = this.#open.get(tierId)
    if (open?.updatedAt === updatedAt) return open
    this.forget(tierId)
    const authorities = certificate === null ? undefined : [...rootCertificates, certificate]
    const agents = new Agents(this.#isOwn, undefined, authorities)
    const opened = { updatedAt, agents, store: undefined }
    this.#open.set(tierId, opened)
    return opened
  }

  /** Closes the connections of a tier once their requests have ended. */
  forget(tierId: string): void {
    const open = this.#open.get(tierId)
    this.#open.delete(tierId)
    if (!open) return
    open.store?.close()
    open.agents[Symbol.asyncDispose]().catch(() => undefined /* They are closed already. */)
  }

  async [Symbol.asyncDispose]() {
    const all = [...this.#open.values()]
    this.#open.clear()
    for (const { store } of all) store?.close()
    await Promise.all(all.map(({ agents }) => agents[Symbol.asyncDispose]()))
  }
}
