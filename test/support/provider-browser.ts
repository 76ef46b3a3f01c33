import {
  dashboardIdentityProvider,
  type SignInPurpose,
} from '#shared/contract/identity-provider.ts'
import type { Operation } from '#shared/operation.ts'
import { type HttpAnswer, httpCall, OWN_PAGE } from './http-call.ts'

/** What the gateway's page finds in its address when the provider has sent the browser back. */
export type Returned = Readonly<Record<string, string>>

/**
 * A browser of a person: its cookies by host and port, redirects one by one. The gateway's own page
 * is played by `call`.
 */
export class ProviderBrowser {
  readonly #gateway: string
  readonly #ca: string | undefined
  readonly #cookies = new Map<string, Map<string, string>>()

  /** @param ca the certificate (PEM) of a gateway that is reached by HTTPS */
  constructor(gateway: string, ca?: string) {
    this.#gateway = gateway
    this.#ca = ca
  }

  /** A call of the gateway's page. */
  async call(operation: Pick<Operation, 'method' | 'path'>, json?: unknown): Promise<HttpAnswer> {
    return await this.#request(`${this.#gateway}${operation.path}`, {
      method: operation.method,
      headers: { ...OWN_PAGE, origin: this.#gateway },
      ...(json !== undefined && { json }),
    })
  }

  /** Opens a page; nothing is followed. */
  open = (url: string): Promise<HttpAnswer> =>
    this.#request(url, { headers: { 'sec-fetch-site': 'cross-site' } })

  /** The path that the gateway gives for a sign-in. */
  async begin(purpose: SignInPurpose = 'sign-in'): Promise<string> {
    const begun = await this.call(dashboardIdentityProvider.begin, { purpose })
    if (begun.status !== 200) throw new Error(`${begun.status} ${begun.text}`)
    return (begun.json as { path: string }).path
  }

  /** Signs in at the provider; returns what the gateway's page gets. */
  async atProvider(path: string, account: string): Promise<Returned> {
    let url = `${this.#gateway}${path}`
    for (let step = 0; step < 15; step++) {
      let answer = await this.open(url)
      if (answer.status === 200)
        answer = await this.#request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: account === '' ? 'cancel=1' : `account=${account}`,
        })
      const next = answer.headers.location
      if (next === undefined) throw new Error(`${url}: ${answer.status} ${answer.text}`)
      url = new URL(next, url).href
      const [, search] = url.split('/#/oidc?')
      if (search !== undefined) return Object.fromEntries(new URLSearchParams(search))
    }
    throw new Error('The provider redirects without an end')
  }

  finish = (returned: Returned): Promise<HttpAnswer> =>
    this.call(dashboardIdentityProvider.finish, returned)

  /** The whole way, from the button to the session. */
  async signIn(account: string, purpose: SignInPurpose = 'sign-in'): Promise<HttpAnswer> {
    return await this.finish(await this.atProvider(await this.begin(purpose), account))
  }

  /** As if somebody had signed out at the provider. */
  leaveProvider(): void {
    for (const host of [...this.#cookies.keys()])
      if (host !== new URL(this.#gateway).host) this.#cookies.delete(host)
  }

  async #request(
    url: string,
    call: Parameters<typeof httpCall>[1] & { headers: Record<string, string> },
  ): Promise<HttpAnswer> {
    const { host } = new URL(url)
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await httpCall(url, {
      ...call,
      ...(this.#ca !== undefined && url.startsWith('https:') && { ca: this.#ca }),
      headers: { ...call.headers, ...(cookie && { cookie }) },
    })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = [
        pair.slice(0, pair.indexOf('=')),
        pair.slice(pair.indexOf('=') + 1),
      ]
      if (/expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
}
