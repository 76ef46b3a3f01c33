import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { type ApiKey, createApiKey, revokeApiKey } from '#server/modules/api-keys/api-keys.ts'
import { findApiKey, listApiKeys } from '#server/modules/api-keys/queries.ts'
import { KeyedMutex } from '#server/platform/concurrency.ts'
import { reportError } from '#server/platform/log.ts'
import type { SandboxOverview } from '#shared/contract/sandbox.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import type { SandboxActions } from './bench.ts'
import {
  keptSandboxSettings,
  prepareSandboxFolder,
  replaceSandbox,
  TEST_KEY_RIGHTS,
} from './sandbox-folder.ts'
import { setWebhook } from './webhook.ts'

/** The sandbox's own gateway: a complete one without ports on the network. */
export interface SandboxGateway extends AsyncDisposable {
  readonly context: Context
  readonly bench: SandboxActions
  /** Answers a request that a listener of the live gateway received. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
}

/** How long requests may take to end before the sandbox is emptied or closed. */
const DRAIN_MS = 5000

/**
 * The sandbox of this gateway, which the setting `sandbox.isOn` opens and closes. Its data is in a
 * folder of its own (decision 0075); this class is the only connection between the two.
 */
export class Sandbox implements AsyncDisposable {
  readonly #context: Context
  readonly #open: (folder: string, sandbox: Sandbox) => Promise<SandboxGateway>
  readonly #changes = new KeyedMutex()
  readonly #requests = new Set<ServerResponse>()
  #gateway: SandboxGateway | undefined
  /** Requests wait for this while the sandbox is opened, closed or emptied. */
  #changing: Promise<void> | undefined
  #fault: Message | null = null
  #unsubscribe = () => {}

  /** @param open opens the gateway of the sandbox in a folder */
  constructor(
    context: Context,
    open: (folder: string, sandbox: Sandbox) => Promise<SandboxGateway>,
  ) {
    this.#context = context
    this.#open = open
  }

  /** Opens the sandbox if it is switched on. Failures are reported by `overview`. */
  async begin(): Promise<void> {
    this.#unsubscribe = this.#context.settings.onChange((keys) => {
      if (keys.includes('sandbox.isOn')) void this.#apply()
    })
    await this.#apply()
  }

  /** Takes over a request that a listener of the live gateway received, if the sandbox is on. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!this.#isOn || (!this.#gateway && !this.#changing)) return false
    if (this.#changing) {
      void this.#changing.then(() => {
        if (!response.writableEnded && !this.#pass(request, response)) respondUnavailable(response)
      })
      return true
    }
    return this.#pass(request, response)
  }

  overview(): SandboxOverview {
    const gateway = this.#gateway
    const isOn = this.#isOn
    if (!gateway) return { isOn, fault: this.#fault, keys: [], webhook: null, contents: null }
    const { webhook, ...contents } = gateway.bench.state()
    const keys = listApiKeys(gateway.context.database).map(
      ({ keyHash: _, oldKeyHash: __, oldLast4: ___, oldExpiresAt: ____, ...key }) => ({
        ...key,
        old: null,
      }),
    )
    return { isOn, fault: null, keys, webhook, contents }
  }

  /** Switches the sandbox on or off. Resolves when it is open or closed. */
  async switch(isOn: boolean, actor: Actor): Promise<void> {
    this.#context.settings.change({ 'sandbox.isOn': isOn }, actor)
    await this.#apply()
  }

  /**
   * Creates a test key, which may call everything in the sandbox. Switches the sandbox on.
   * @throws ApiError unavailable if it cannot be opened
   */
  async createKey(
    description: string,
    actor: Actor,
  ): Promise<{ readonly apiKey: ApiKey; readonly key: string }> {
    if (!this.#isOn) await this.switch(true, actor)
    const { context } = this.#opened()
    const made = createApiKey(context, { description, ...TEST_KEY_RIGHTS }, actor)
    this.#note(actor, 'sandbox.create-key', made.apiKey.apiKeyId)
    return made
  }

  /** @throws ApiError not-found; unavailable */
  revokeKey(apiKeyId: string, actor: Actor): void {
    const { context } = this.#opened()
    const isActive = findApiKey(context.database, apiKeyId)?.revokedAt === null
    revokeApiKey(context, apiKeyId, actor)
    if (isActive) this.#note(actor, 'sandbox.revoke-key', apiKeyId)
  }

  /**
   * Sets where the events of the sandbox go, for an administrator, who may choose any address.
   * @returns the secret, if one was generated
   * @throws ApiError malformed, refused, unavailable
   */
  setWebhook(
    url: string,
    options: { readonly secret?: string | undefined; readonly allowPlaintext: boolean },
    actor: Actor,
  ): string | null {
    const { secret } = setWebhook(this.#opened().context, { url, ...options }, actor)
    this.#note(actor, 'sandbox.set-webhook', url)
    return secret
  }

  /** Deletes all test data. Keys and webhook stay. */
  empty(actor: Actor): Promise<void> {
    return this.#change(() => this.#emptyNow(actor))
  }

  /**
   * As `empty`, for a request of the sandbox itself: the sandbox is closed when the response was
   * sent.
   */
  emptySoon(actor: Actor): void {
    void this.empty(actor).catch((error: unknown) => reportError(this.#context, error))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    await this.#change(() => this.#close())
  }

  get #isOn(): boolean {
    return this.#context.settings.get('sandbox.isOn')
  }

  #opened(): SandboxGateway {
    if (this.#gateway) return this.#gateway
    throw new ApiError('unavailable', this.#fault ?? message('sandbox.off'))
  }

  #apply(): Promise<void> {
    return this.#change(async () => {
      if (this.#isOn && !this.#gateway) await this.#openNow()
      if (!this.#isOn) await this.#close()
      this.#context.feed.noteStatus()
    })
  }

  async #emptyNow(actor: Actor): Promise<void> {
    const kept = keptSandboxSettings(this.#opened().context)
    await this.#close()
    replaceSandbox(this.#context.folder, kept, this.#context.clock)
    this.#note(actor, 'sandbox.empty', 'sandbox')
    await this.#openNow()
  }

  async #openNow(): Promise<void> {
    try {
      this.#gateway = await this.#open(prepareSandboxFolder(this.#context.folder), this)
      this.#fault = null
    } catch (error) {
      this.#fault = explanationOf(error)
      reportError(this.#context, error)
    }
  }

  async #close(): Promise<void> {
    const gateway = this.#gateway
    this.#gateway = undefined
    for (const end = Date.now() + DRAIN_MS; this.#requests.size > 0 && Date.now() < end; )
      await Promise.race([
        ...[...this.#requests].map((one) => new Promise((resolve) => one.once('close', resolve))),
        new Promise((resolve) => setTimeout(resolve, 100)),
      ])
    await gateway?.[Symbol.asyncDispose]()
  }

  /** Makes one change at a time, during which requests wait. */
  #change(work: () => Promise<void>): Promise<void> {
    const changeRun = this.#changes.run('change', work)
    const changing = changeRun.then(
      () => undefined,
      () => undefined,
    )
    this.#changing = changing
    void changing.then(() => {
      if (this.#changing === changing) this.#changing = undefined
    })
    return changeRun
  }

  #pass(request: IncomingMessage, response: ServerResponse): boolean {
    const gateway = this.#gateway
    if (!gateway) return false
    this.#requests.add(response)
    response.once('close', () => this.#requests.delete(response))
    gateway.answer(request, response)
    return true
  }

  #note(actor: Actor, action: string, target: string): void {
    const { database } = this.#context
    database.transaction(() => note(this.#context, actor, action, target))
  }
}

const PROBLEM_BODY = JSON.stringify({
  type: 'urn:isthmus:problem:unavailable',
  title: 'Not available',
  status: 503,
  detail: 'The sandbox could not be opened.',
  message: 'The sandbox could not be opened.',
  code: 'unavailable',
  errors: [],
})

const respondUnavailable = (response: ServerResponse) =>
  response.writeHead(503, { 'content-type': 'application/problem+json' }).end(PROBLEM_BODY)
