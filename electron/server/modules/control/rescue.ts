import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { salvageSetting } from '#server/database/database-contents.ts'
import { StoreError, type StoreFault } from '#server/database/store-error.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HttpServer, type ListenerAddress, openHttpServer } from '#server/http/server.ts'
import { lockFolder } from '#server/modules/backups/open-data-directory.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import { isLoopback } from '#server/platform/network-interfaces.ts'
import { createToken } from '#server/platform/token.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { openControl } from './control.ts'
import { RESCUE_PATH, serveRescue } from './rescue-routes.ts'
import { RescueStaging } from './rescue-staging.ts'

export interface RescueOptions {
  /** The data folder, which no process has open. */
  readonly folder: string
  /** Why the gateway could not open it. */
  readonly fault: StoreError
  /** Host of the window. Unless it is a loopback address, 127.0.0.1 is used instead. */
  readonly host?: string | undefined
  /** TCP port, by default the window's; a free port if it is not available. */
  readonly port?: number | undefined
  readonly log: Log
  readonly version: string
  /** Folder of the built window. */
  readonly pageFolder: string
  /** The data key from the key store; `undefined` to read `data.key`. */
  readonly dataKey?: Buffer | undefined
  /** Token of the link; a new one by default. */
  readonly token?: string | undefined
  /**
   * Called after a restore. The caller then disposes of the rescue server and starts the gateway.
   */
  readonly onDone: () => void
  readonly clock?: Clock
  /** Delay of `onDone` in milliseconds, so that the page can show the result. */
  readonly doneDelayMs?: number
}

export interface RescueServer extends AsyncDisposable {
  /** Base URL, reachable only from this PC. */
  readonly http: string
  /** Address of the page. The token is in the fragment, which browsers do not send to servers. */
  readonly link: string
  readonly token: string
}

/** Faults that restoring a backup or the data key can fix. */
const RECOVERABLE: readonly StoreFault[] = [
  ...(['damaged', 'not-a-database', 'database-missing'] as const),
  ...(['key-missing', 'key-sealed', 'key-wrong', 'seal-broken'] as const),
]

export const canBeRescued = (error: unknown): error is StoreError =>
  error instanceof StoreError && RECOVERABLE.includes(error.fault)

const PAGE_FILE = 'rescue.html'
const DONE_DELAY_MS = 1500

/**
 * Serves the rescue page, on which a user restores a backup or the data key when the gateway cannot
 * open its data. It holds the folder's lock and opens no listener for devices.
 * @throws StartError if another process has the folder; the system's error if no port is available
 */
export async function openRescue(options: RescueOptions): Promise<RescueServer> {
  const { folder, fault, host = '127.0.0.1', log, version, pageFolder, onDone } = options
  const { token = createToken(), clock = Date.now, doneDelayMs: lingerMs = DONE_DELAY_MS } = options
  await using opened = new AsyncDisposableStack()
  opened.use(await lockFolder(folder))
  const staging = opened.use(
    new RescueStaging(folder, clock, log, options.dataKey, onDone, lingerMs),
  )
  let doneTimer: NodeJS.Timeout | undefined
  opened.defer(() => clearTimeout(doneTimer))
  const scheduleDone = () => {
    doneTimer = setTimeout(onDone, lingerMs)
  }
  const server = opened.use(
    await listenAt(
      isLoopback(host) ? host : '127.0.0.1',
      options.port ?? salvageSetting(folder, 'http.port') ?? SETTINGS['http.port'].initial,
      (place) =>
        openHttpServer(
          place,
          () => ({ publicUrl: null, allowedHosts: [] }),
          log,
          pageFolder,
          (app) => {
            requireToken(app, token, existsSync(join(pageFolder, PAGE_FILE)))
            serveRescue(app, staging, fault, version, scheduleDone)
          },
        ),
    ),
  )
  const link = `${server.url}/${PAGE_FILE}#token=${token}`
  opened.use(
    await openControl(folder, async ({ command }) =>
      // Anyone who can open the data folder is trusted with the link, as with a sign-in link.
      command === 'sign-in-link'
        ? { ok: true, output: link }
        : { ok: false, output: `The gateway cannot open its data. ${fault.message}` },
    ),
  )
  log.warn(
    { fault: fault.fault, http: server.url },
    'the data cannot be opened; the rescue page is available',
  )
  const resources = opened.move()
  return {
    http: server.url,
    link,
    token,
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

/**
 * Listens on a free port if another program has taken the window's port; the link contains the
 * actual port.
 */
async function listenAt(
  host: string,
  port: number,
  open: (place: ListenerAddress) => Promise<HttpServer>,
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
 * The page contains no secrets. Each operation requires the token of the link. Requests for the
 * window are redirected to the page.
 */
function requireToken({ fastify }: HttpApp, token: string, hasPage: boolean): void {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(`Bearer ${token}`)
  fastify.addHook('onRequest', (request, reply, done) => {
    // The route, not the raw URL, which can encode the same path in another way.
    const route = request.routeOptions.url ?? ''
    if (hasPage && (route === '/' || route === '/index.html'))
      return void reply.header('cache-control', 'no-store').redirect(`/${PAGE_FILE}`)
    const isAllowed =
      !route.startsWith(RESCUE_PATH) ||
      timingSafeEqual(digest(request.headers.authorization ?? ''), expected)
    done(isAllowed ? undefined : tokenMissingError())
  })
}

const tokenMissingError = () =>
  new ApiError('not-signed-in', message('control.only-by-link'), {
    headers: { 'www-authenticate': 'Bearer realm="isthmus"' },
  })
