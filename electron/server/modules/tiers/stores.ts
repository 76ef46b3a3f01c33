import { rootCertificates } from 'node:tls'
import { readSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import type { IsOwnListener } from '#server/webhooks/address.ts'
import { Agents } from '#server/webhooks/agents.ts'
import type { ObjectStore } from './object-store.ts'
import type { S3Tier, TierRecord } from './tier-queries.ts'

/** Names of the secrets of a tier. */
export const secretNameOf = (tierId: string) => `tiers.${tierId}.secret`
export const customerKeyNameOf = (tierId: string) => `tiers.${tierId}.customer-key`

interface OpenStore {
  readonly updatedAt: string
  readonly agents: Agents
  store: Promise<ObjectStore> | undefined
}

/**
 * The connections to the tiers. Each has its own, since each may trust an authority of its own. A
 * tier that was changed is connected to anew.
 */
export class TierConnections implements AsyncDisposable {
  readonly #context: Context
  readonly #isOwn: IsOwnListener
  readonly #open = new Map<string, OpenStore>()

  constructor(context: Context, isOwn: IsOwnListener) {
    this.#context = context
    this.#isOwn = isOwn
  }

  /** The object store of a tier of kind `s3`. */
  storeOf(tier: S3Tier): Promise<ObjectStore> {
    const open = this.#openOf(tier, tier.settings.certificate)
    open.store ??= this.#connect(tier, open.agents)
    return open.store
  }

  async #connect({ tierId, settings }: S3Tier, agents: Agents): Promise<ObjectStore> {
    // Loaded when a tier needs it: the SDK would delay the start of every gateway.
    const { ObjectStore } = await import('./object-store.ts')
    const { database, clock } = this.#context
    const key = readSecret({ database }, customerKeyNameOf(tierId))
    return new ObjectStore({
      settings,
      secretAccessKey: readSecret({ database }, secretNameOf(tierId)) ?? '',
      customerKey: key === undefined ? undefined : Buffer.from(key, 'base64'),
      agents,
      clock,
    })
  }

  /** The HTTP client for a tier of kind `dicomweb`. */
  agentsOf(tier: TierRecord, certificate: string | null): Agents {
    return this.#openOf(tier, certificate).agents
  }

  #openOf({ tierId, updatedAt }: TierRecord, certificate: string | null): OpenStore {
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
    closeStore(open)
    open.agents[Symbol.asyncDispose]().catch(() => undefined /* They are closed already. */)
  }

  async [Symbol.asyncDispose]() {
    const all = [...this.#open.values()]
    this.#open.clear()
    for (const open of all) closeStore(open)
    await Promise.all(all.map(({ agents }) => agents[Symbol.asyncDispose]()))
  }
}

function closeStore({ store }: OpenStore): void {
  store?.then(
    (opened) => opened.close(),
    () => undefined /* It was never open. */,
  )
}
