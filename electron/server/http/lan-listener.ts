import { hostname, networkInterfaces } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Settings } from '#server/configuration/settings.ts'
import type { Context } from '#server/context.ts'
import { reportError } from '#server/platform/log.ts'
import type { LanAccess } from '#shared/contract/dashboard-security.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import type { Certificates } from './certificates.ts'
import { explainListenError } from './listeners.ts'
import type { HttpServer, ListenerAddress } from './server.ts'
import { userErrorText } from './start-error.ts'

const [RETRY_MS, MAX_ATTEMPTS] = [100, 30]
const ALL_ADDRESSES = ['0.0.0.0', '::', '[::]']
type BindAddress = Omit<ListenerAddress, 'tls'>

/**
 * Opens the HTTPS listener if it is enabled. If the port is unavailable, `state` reports it; an
 * exception is thrown only if the port was given for this run. @throws StartError
 * @param override host and port for this run only; the settings apply again at the next start
 */
export async function openLanListener(
  context: Context,
  certificates: Certificates,
  override: BindAddress | undefined,
  open: (place: ListenerAddress) => Promise<HttpServer>,
): Promise<LanListener> {
  const listener = new LanListener(context, certificates, override, open)
  await listener.begin()
  return listener
}

/**
 * The HTTPS listener with the gateway's own certificate, opened and closed by its settings while
 * the gateway runs (docs/decisions/0023).
 */
export class LanListener implements AsyncDisposable {
  readonly #context: Context
  readonly #certificates: Certificates
  readonly #override: BindAddress | undefined
  readonly #open: (place: ListenerAddress) => Promise<HttpServer>
  readonly #closing = new Set<Promise<unknown>>()
  #server: HttpServer | undefined
  /** Why it is not listening. */
  #detail: Message | null = null
  /** Where it listens or failed to listen; empty if it is disabled. */
  #place = ''
  /** Serializes changes, because two concurrent ones would open two listeners. */
  #lastChange: Promise<void> = Promise.resolve()
  #unsubscribe = () => {}

  constructor(
    context: Context,
    certificates: Certificates,
    override: BindAddress | undefined,
    open: (place: ListenerAddress) => Promise<HttpServer>,
  ) {
    this.#context = context
    this.#certificates = certificates
    this.#override = override
    this.#open = open
  }

  async begin(): Promise<void> {
    if (this.#override) {
      this.#server = await this.#openAt(this.#override)
      return
    }
    await this.#change()
    this.#unsubscribe = this.#context.settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('https.'))) void this.#change()
    })
  }

  /** Base URL, if it is listening. */
  get url(): string | undefined {
    return this.#server?.url
  }

  state(): Omit<LanAccess, 'workstations'> {
    const { host, port: wanted } = this.#override ?? this.#setPlace()
    const port = this.#server?.port ?? wanted
    const currentCertificate = this.#certificates.list().find(({ use }) => use === 'https')
    return {
      isOn: this.#wanted() !== undefined,
      host,
      port,
      isUp: this.#server !== undefined,
      urls: this.#server ? namesOf(host).map((name) => urlOf(name, port)) : [],
      detail: this.#override ? message('http.opened-for-this-run') : this.#detail,
      fingerprint256: this.#server ? (currentCertificate?.fingerprint256 ?? '') : '',
    }
  }

  /**
   * Resolves when the change has taken effect or the listener has failed, as reported by `state`.
   * @throws ApiError malformed
   */
  async set(
    {
      isOn,
      host,
      port,
    }: {
      readonly isOn: boolean
      readonly host?: string | undefined
      readonly port?: number | undefined
    },
    actor: Parameters<Settings['change']>[1],
  ): Promise<void> {
    this.#context.settings.change(
      {
        'https.isOn': isOn,
        ...(host !== undefined && { 'https.host': host }),
        ...(port !== undefined && { 'https.port': port }),
      },
      actor,
    )
    if (!this.#override) await this.#change()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    await this.#lastChange
    this.#close()
    await Promise.all(this.#closing)
  }

  #setPlace(): BindAddress {
    const { settings } = this.#context
    return { host: settings.get('https.host'), port: settings.get('https.port') }
  }

  #wanted(): BindAddress | undefined {
    if (this.#override) return this.#override
    return this.#context.settings.get('https.isOn') ? this.#setPlace() : undefined
  }

  #change(): Promise<void> {
    this.#lastChange = this.#lastChange.then(() => this.#applySettings())
    return this.#lastChange
  }

  async #applySettings(): Promise<void> {
    const wanted = this.#wanted()
    const hostAndPort = wanted ? `${wanted.host} ${wanted.port}` : ''
    if (hostAndPort === this.#place && (this.#server !== undefined || wanted === undefined)) return
    this.#close()
    this.#place = hostAndPort
    this.#detail = null
    if (!wanted) return
    for (let tries = 1; ; tries++) {
      try {
        this.#server = await this.#openAt(wanted)
        return
      } catch (error) {
        // The previous listener is still releasing the port.
        if (this.#closing.size > 0 && tries < MAX_ATTEMPTS) await wait(RETRY_MS)
        else return this.#failed(error)
      }
    }
  }

  async #openAt(place: BindAddress): Promise<HttpServer> {
    const tls = this.#certificates.of('https')
    const addressOption = this.#override
      ? '--https HOST:PORT'
      : 'https.port (Settings, Access from other PCs)'
    const server = await explainListenError(
      this.#open({ ...place, tls }),
      'HTTPS',
      addressOption,
      place,
    )
    this.#certificates.use('https', tls, (files) => server.setCertificate(files))
    return server
  }

  #failed(error: unknown): void {
    const isInternal = userErrorText(error) === undefined
    if (isInternal) reportError(this.#context, error)
    this.#detail = isInternal ? message('http.listener-failed') : explanationOf(error)
  }

  /** Requests in progress can finish, including the one that closes the listener. */
  #close(): void {
    if (!this.#server) return
    const closed: Promise<unknown> = Promise.resolve(this.#server[Symbol.asyncDispose]()).finally(
      () => this.#closing.delete(closed),
    )
    this.#closing.add(closed)
    this.#certificates.endUse('https')
    this.#server = undefined
  }
}

/**
 * The names under which other PCs reach the listener: addresses first, because not every network
 * resolves PC names.
 */
function namesOf(host: string): string[] {
  if (!ALL_ADDRESSES.includes(host)) return [host]
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address)
  return [...new Set([...addresses, hostname()])]
}

function urlOf(name: string, port: number): string {
  const host = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  return `https://${host}${port === 443 ? '' : `:${port}`}/`
}
