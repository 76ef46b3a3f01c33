import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { salvageSetting } from '#server/database/database-contents.ts'
import { StoreError, type StoreFault } from '#server/database/store-error.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HttpServer, type ListenerPlace, openHttpServer } from '#server/http/server.ts'
import { lockFolder } from '#server/modules/backups/open-data-directory.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import { isLoopback } from '#server/platform/network-interfaces.ts'
import { createToken } from '#server/platform/token.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { openControl } from './control.ts'
import { RESCUE_CALLS, serveRescue } from './rescue-calls.ts'
import { RescueStaging } from './rescue-staging.ts'

export interface RescueOptions {
  /** The data folder, which nobody has open. */
  readonly folder: string
  /** Why the gateway could not open it. */
  readonly fault: StoreError
  /** Of the window; where it is not this PC alone, 127.0.0.1 is taken. */
  readonly host?: string | undefined
  /** TCP port; the one of the window where none is given, a free one where that cannot be had. */
  readonly port?: number | undefined
  readonly log: Log
  readonly version: string
  /** Where the built window is. */
  readonly pageFolder: string
  /** Handed over by whoever keeps it; without it `data.key`. */
  readonly dataKey?: Buffer | undefined
  /** Of the link; a new one where none is given. */
  readonly token?: string | undefined
  /** Something was put back: the rescue is to be disposed of, and the gateway opened. */
  readonly onDone: () => void
  readonly clock?: Clock
  /** Milliseconds that a page has to see that it is done. */
  readonly lingerMs?: number
}

export interface Rescue extends AsyncDisposable {
  /** Base URL; this PC alone reaches it. */
  readonly http: string
  /**
   * Address of the page, with the token of this rescue in its fragment: browsers send that to
   * nobody.
   */
  readonly link: string
  readonly token: string
}

/** What a person can mend by a backup, or by the recovery key. */
const MENDABLE: readonly StoreFault[] = [
  ...(['damaged', 'not-a-database', 'database-missing'] as const),
  ...(['key-missing', 'key-sealed', 'key-wrong', 'seal-broken'] as const),
]

export const canBeRescued = (error: unknown): error is StoreError =>
  error instanceof StoreError && MENDABLE.includes(error.fault)

const PAGE = 'rescue.html'
const LINGER_MS = 1500

/**
 * Serves the page by which a person puts a backup back, or the data key, in place of a gateway
 * that cannot open its data. It holds the folder's lock and opens no listener for devices, which
 * are refused the connection.
 * @throws StartError another process has the folder; the system's error where no port can be had
 */
export async function openRescue(options: RescueOptions): Promise<Rescue> {
  const { folder, fault, host = '127.0.0.1', log, version, pageFolder, onDone } = options
  const { token = createToken(), clock = Date.now, lingerMs = LINGER_MS } = options
  await using opened = new AsyncDisposableStack()
  opened.use(await lockFolder(folder))
  const staging = opened.use(
    new RescueStaging(folder, clock, log, options.dataKey, onDone, lingerMs),
  )
  let leaving: NodeJS.Timeout | undefined
  opened.defer(() => clearTimeout(leaving))
  const leaveSoon = () => {
    leaving = setTimeout(onDone, lingerMs)
  }
  const server = opened.use(
    await openAt(
      isLoopback(host) ? host : '127.0.0.1',
      options.port ?? salvageSetting(folder, 'http.port') ?? SETTINGS['http.port'].initial,
      (place) =>
        openHttpServer(
          place,
          () => ({ publicUrl: null, allowedHosts: [] }),
          log,
          pageFolder,
          (app) => {
            admitByToken(app, token, existsSync(join(pageFolder, PAGE)))
            serveRescue(app, staging, fault, version, leaveSoon)
          },
        ),
    ),
  )
  const link = `${server.url}/${PAGE}#token=${token}`
  opened.use(
    await openControl(folder, async ({ command }) =>
      // Whoever can open the data folder is trusted with it, as with a link to sign in by.
      command === 'sign-in-link'
        ? { ok: true, output: link }
        : { ok: false, output: `The gateway cannot open its data. ${fault.message}` },
    ),
  )
  log.warn(
    { fault: fault.fault, http: server.url },
    'the data cannot be opened: the page to put a backup back is up',
  )
  const kept = opened.move()
  return { http: server.url, link, token, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}

/**
 * Another program may have taken the port of the window meanwhile: the link says where the page is.
 */
async function openAt(
  host: string,
  port: number,
  open: (place: ListenerPlace) => Promise<HttpServer>,
): Promise<HttpServer> {
  try {
    return await open({ host, port })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (port === 0 || !['EADDRINUSE', 'EACCES'].includes(code)) throw error
    return await open({ host, port: 0 })
  }
}

/**
 * The page itself holds no secret; each of its calls proves that it came by the link. Who asks for
 * the window is led to the page.
 */
function admitByToken({ fastify }: HttpApp, token: string, hasPage: boolean): void {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(`Bearer ${token}`)
  fastify.addHook('onRequest', (request, reply, done) => {
    // Not the address as it was sent, which may write the same path in another way.
    const route = request.routeOptions.url ?? ''
    if (hasPage && (route === '/' || route === '/index.html'))
      return void reply.header('cache-control', 'no-store').redirect(`/${PAGE}`)
    const isAllowed =
      !route.startsWith(RESCUE_CALLS) ||
      timingSafeEqual(digest(request.headers.authorization ?? ''), expected)
    done(isAllowed ? undefined : notByLink())
  })
}

const notByLink = () =>
  new ApiError('not-signed-in', message('control.only-by-link'), {
    headers: { 'www-authenticate': 'Bearer realm="isthmus"' },
  })
