import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  openPartnerSimulator,
  type PartnerSimulator,
  type PartnerSimulatorOptions,
} from '#electron/simulator/partner.ts'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import { type Context, openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import type { Gateway } from '#server/modules/control/gateway-options.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import type { Clock } from '#server/platform/clock.ts'
import { openLog } from '#server/platform/log.ts'
import { openGateway } from '#server/server.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { NewDevice } from '#shared/contract/devices.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import type { InputOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'
import { DEVICE } from './device.ts'
import { httpCall, OWN_PAGE } from './http-call.ts'
import { prepareDataFolder, tempFolder } from './temp-store.ts'

export const OWNER = {
  email: 'owner@clinic.example',
  password: 'a long and quiet evening',
} as const

/** A secret of Standard Webhooks, made for a test. */
export const webhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export interface StartOptions {
  /** Options of the simulator; the URL of a partner of the test's own; null for none at all. */
  readonly partner?: Partial<PartnerSimulatorOptions> | string | null
  /**
   * Other settings than the first ones. They are kept in the data folder, so the test may change
   * them again.
   */
  readonly overrides?: SettingOverrides
  /** the gateway knows; CT1 at any address where none are given. */
  readonly devices?: readonly (Partial<NewDevice> & { readonly aeTitle: string })[]
  /**
   * A folder that stays: what an earlier gateway of the test left in it is taken as it is. Without
   * one: a new folder, gone at the end.
   */
  readonly folder?: string
  /** What else the clinic has set up before the gateway opens, such as keys and users. */
  readonly prepare?: (context: Context) => void | Promise<void>
  /** `serve --safe-mode`. */
  readonly isSafe?: boolean
  /** How the desktop app says the data key is kept. */
  readonly keyStore?: KeyStoreState
  /**
   * For both the gateway and the simulator. A partner that checks signatures wants it within five
   * minutes of the real time.
   */
  readonly clock?: Clock
}

export interface StartedGateway extends AsyncDisposable {
  readonly gateway: Gateway
  /** The simulator, where the gateway has one. */
  readonly partner: PartnerSimulator
  readonly folder: string
  /** Base URL of the window. */
  readonly http: string
  readonly dimsePort: number
  /** What the gateway logged, at every level. */
  readonly log: readonly string[]
  /** A call of the window, signed in as the owner. Rejects with the problem's message. */
  call<S extends OperationShape>(operation: Operation<S>, input: InputOf<S>): Promise<ReplyOf<S>>
}

/** Without a port that two tests would share, and whatever room the disk has. */
const SETTINGS: SettingOverrides = {
  'dimse.tlsPort': null,
  'intake.stopGigabytes': 0,
  'intake.warnGigabytes': 0,
}

/**
 * The whole gateway in this process: real sockets on free ports of 127.0.0.1, a real database in a
 * folder of its own, a partner over HTTP.
 */
export async function startGateway(options: StartOptions = {}): Promise<StartedGateway> {
  const {
    partner = {},
    overrides = {},
    devices = [{ aeTitle: 'CT1' }],
    prepare = () => {},
    isSafe = false,
    clock = Date.now,
  } = options
  await using opened = new AsyncDisposableStack()
  const folder = options.folder ?? opened.use(tempFolder()).folder
  const secret = webhookSecret()
  const simulator =
    typeof partner === 'object' && partner !== null
      ? opened.use(
          await openPartnerSimulator({ clock, ...partner, port: 0, host: '127.0.0.1', secret }),
        )
      : undefined
  const url = simulator?.url ?? partner
  // Where one of the two is gone, the gateway is to find that.
  if (!existsSync(join(folder, DATABASE_FILE)) && !existsSync(join(folder, KEY_FILE)))
    await furnish(folder, { overrides, devices, prepare, clock })

  const log: string[] = []
  const gateway = opened.use(
    await openGateway({
      folder,
      log: openLog('trace', { write: (line) => void log.push(line) }),
      version: '0.0.0',
      pageFolder: join(folder, 'no-page'),
      overrides: {
        'http.host': '127.0.0.1',
        'http.port': 0,
        'dimse.host': '127.0.0.1',
        'dimse.port': 0,
      },
      ...(typeof url === 'string' && { partner: { url, secret } }),
      ...{ isSafe, clock, keyStore: options.keyStore },
    }),
  )
  const call = await signIn(gateway.http)
  const kept = opened.move()
  return {
    gateway,
    get partner() {
      if (!simulator) throw new Error('This gateway has no simulated partner')
      return simulator
    },
    folder,
    http: gateway.http,
    dimsePort: Number(gateway.dimse.split(':').at(-1)),
    log,
    call,
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** What a clinic has set up before: an owner, devices, settings. */
async function furnish(
  folder: string,
  {
    overrides,
    devices,
    prepare,
    clock,
  }: Required<Pick<StartOptions, 'overrides' | 'devices' | 'prepare' | 'clock'>>,
): Promise<void> {
  prepareDataFolder(folder)
  using context = openContext({ folder: folder, clock })
  context.settings.change({ ...SETTINGS, ...overrides }, 'command-line')
  for (const device of devices) addDevice(context, { ...DEVICE, ...device }, 'command-line')
  // A cheap hash: the tests are about other things than the price of a password.
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  await people.createUser(
    { ...OWNER, firstName: 'Olga', lastName: 'Owner', level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
  await prepare(context)
}

/** Signs in at a gateway, by default as the owner `startGateway` made. */
export async function signIn(
  http: string,
  login: { email: string; password: string } = OWNER,
): Promise<StartedGateway['call']> {
  return callerOf(http, await sessionHeaders(http, login))
}

/** The headers of a call of the window, signed in. */
export async function sessionHeaders(
  http: string,
  login: { email: string; password: string },
): Promise<Record<string, string>> {
  const answer = await httpCall(`${http}/dashboard/session`, {
    method: 'POST',
    headers: OWN_PAGE,
    json: login,
  })
  return { ...OWN_PAGE, cookie: cookieOf(answer.status, answer.headers['set-cookie'], answer.text) }
}

/** Signs in by a link that the command line printed. */
export async function followLink(link: string): Promise<StartedGateway['call']> {
  const [http = '', token] = link.trim().split('/#/sign-in?token=')
  const { path } = dashboard.followLink
  const answer = await httpCall(`${http}${path}`, {
    method: 'POST',
    headers: OWN_PAGE,
    json: { token },
  })
  return callerOf(http, {
    ...OWN_PAGE,
    cookie: cookieOf(answer.status, answer.headers['set-cookie'], answer.text),
  })
}

function cookieOf(status: number, set: readonly string[] | undefined, text: string): string {
  const cookie = set?.[0]?.split(';')[0]
  if (status >= 300 || !cookie) throw new Error(`no session: ${status} ${text}`)
  return cookie
}

/**
 * Calls with these headers, replies read by the contract. Rejects with the problem's status and
 * message.
 */
export function callerOf(
  http: string,
  given: Readonly<Record<string, string>>,
): StartedGateway['call'] {
  // The name of the cookie has the port, which is another one when a test starts the gateway again.
  const { port } = new URL(http)
  const cookie = given.cookie?.replace(/^isthmus-session-\d+=/, `isthmus-session-${port}=`)
  const headers = { ...given, ...(cookie && { cookie }) }
  return async (operation, input) => {
    const {
      params = {},
      query = {},
      body,
    } = input as Partial<Record<'params' | 'query', Record<string, unknown>>> & { body?: unknown }
    const path = operation.path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(String(params[name])),
    )
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)]),
    )
    const answer = await httpCall(`${http}${path}?${search}`, {
      method: operation.method,
      headers,
      json: body,
    })
    if (answer.status >= 300)
      throw new Error(
        `${answer.status} ${(answer.json as { message?: string })?.message ?? answer.text}`,
      )
    return operation.reply.parse(answer.json) as ReplyOf<typeof operation>
  }
}
