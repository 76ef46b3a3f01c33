import { hostname, networkInterfaces } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { LanAccess } from '#shared/contract/dashboard-security.ts'
import type { Certificates } from './certificates.ts'
import type { HttpServer } from './server.ts'
import { sentenceOf } from './start-error.ts'

export interface LanListenerOptions {
  readonly settings: Settings
  readonly certificates: Pick<Certificates, 'endUse' | 'list'>
  /** Given at the start for this run: the settings wait until the next one. */
  readonly override: { readonly host: string; readonly port: number } | undefined
  /** @throws StartError */
  readonly open: (at: { readonly host: string; readonly port: number }) => Promise<HttpServer>
  /** A fault of ours that the state can only name. */
  readonly onError: (error: unknown) => void
}

/**
 * The HTTPS listener, opened and closed by its settings while the gateway runs
 * (docs/decisions/0023).
 */
export interface LanListener extends AsyncDisposable {
  /** Base URL of the listener that is up. */
  readonly url: string | undefined
  state(): Omit<LanAccess, 'workstations'>
  /**
   * Resolves when it stands as wanted, or is known to be down: `state` says why. @throws ApiError
   * malformed
   */
  set(
    wanted: {
      readonly isOn: boolean
      readonly host?: string | undefined
      readonly port?: number | undefined
    },
    actor: Parameters<Settings['change']>[1],
  ): Promise<void>
}

const [AGAIN_MS, MOST_TRIES] = [100, 30]
const ALL = ['0.0.0.0', '::', '[::]']

/**
 * Opens it where it is on. A port that cannot be had is told in the state, never thrown, unless it
 * was given for this run. @throws StartError
 */
export async function openLanListener({
  settings,
  certificates,
  override,
  open,
  onError,
}: LanListenerOptions): Promise<LanListener> {
  let server: HttpServer | undefined
  let detail = ''
  let stands = ''
  const closing = new Set<Promise<unknown>>()

  const wanted = () =>
    override ??
    (settings.get('https.isOn')
      ? { host: settings.get('https.host'), port: settings.get('https.port') }
      : undefined)

  /** Calls under way get to finish, also the one that closes it. */
  function close(): void {
    if (!server) return
    const closed: Promise<unknown> = Promise.resolve(server[Symbol.asyncDispose]()).finally(() =>
      closing.delete(closed),
    )
    closing.add(closed)
    certificates.endUse('https')
    server = undefined
  }

  async function stand(): Promise<void> {
    const at = wanted()
    const next = at ? `${at.host} ${at.port}` : ''
    if (next === stands && (server !== undefined || at === undefined)) return
    close()
    stands = next
    detail = ''
    if (!at) return
    for (let tries = 1; ; tries++) {
      try {
        server = await open(at)
        return
      } catch (error) {
        // The listener before it lets its port go in a moment.
        if (closing.size > 0 && tries < MOST_TRIES) await wait(AGAIN_MS)
        else {
          const sentence = sentenceOf(error)
          if (sentence === undefined) onError(error)
          detail = sentence ?? 'The listener could not be opened; the log of the gateway says more.'
          return
        }
      }
    }
  }

  // One after another: two changes at once would open two.
  let last: Promise<void> = Promise.resolve()
  const change = (): Promise<void> => {
    last = last.then(stand)
    return last
  }

  if (override) server = await open(override)
  else await change()
  const forget = override
    ? () => {}
    : settings.onChange((keys) => void (keys.some((key) => key.startsWith('https.')) && change()))

  const fingerprint = (): string => {
    const inUse = certificates.list().find(({ use }) => use === 'https')
    return inUse?.fingerprint256 ?? ''
  }

  return {
    get url() {
      return server?.url
    },
    state() {
      const at = wanted() ?? { host: settings.get('https.host'), port: settings.get('https.port') }
      const { host } = at
      const port = server?.port ?? at.port
      return {
        ...{ isOn: wanted() !== undefined, host, port, isUp: server !== undefined },
        urls: server ? namesOf(host).map((name) => urlOf(name, port)) : [],
        detail: override
          ? 'It was opened for this run when the gateway was started: what is set here counts from the next start on.'
          : detail,
        fingerprint256: server ? fingerprint() : '',
      }
    },
    async set({ isOn, host, port }, actor) {
      settings.change(
        {
          'https.isOn': isOn,
          ...(host !== undefined && { 'https.host': host }),
          ...(port !== undefined && { 'https.port': port }),
        },
        actor,
      )
      if (!override) await change()
    },
    async [Symbol.asyncDispose]() {
      forget()
      await last
      close()
      await Promise.all(closing)
    },
  }
}

/**
 * What a listener is reached by at another PC: its addresses first, since not every network knows
 * its PCs by name.
 */
function namesOf(host: string): string[] {
  if (!ALL.includes(host)) return [host]
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
