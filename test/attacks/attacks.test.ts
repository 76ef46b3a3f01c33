import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openPartnerSimulator } from '#electron/simulator/partner.ts'
import { openParts } from '#gateway/parts.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { running, type Serving } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { callerOf, OWNER, sessionHeaders, webhookSecret } from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { tempDataFolder } from '../support/temp-store.ts'
import { queryWorklist } from '../support/worklist-client.ts'
import { ATTACK_NAMES, type AttackName, type Targets } from './attacker.ts'

// One host attacks; a listed modality and an approved workstation of other addresses are beside it.
// All addresses are of this PC.
const [ATTACKER, MODALITY, WORKSTATION] = ['127.0.0.66', '127.0.0.7', '127.0.0.8']
/** What the gateway promises under attack, in milliseconds. */
const [PROMPT_MS, STOPPED_MS] = [2000, 10_000]

interface Clinic extends AsyncDisposable {
  readonly gateway: Serving
  readonly targets: Targets
  /** Milliseconds of a modality's worklist by a new association, and of a page at a workstation. */
  worklist(): Promise<number>
  page(): Promise<number>
}

async function openClinic(): Promise<Clinic> {
  await using opened = new AsyncDisposableStack()
  const temp = opened.use(tempDataFolder())
  const secret = webhookSecret()
  const partner = opened.use(await openPartnerSimulator({ port: 0, secret, clock: Date.now }))
  const ports = { http: await freePort(), https: await freePort(), dimse: await freePort(), dimseTls: await freePort() }
  {
    using parts = openParts(temp.folder)
    parts.settings.change({ 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0 }, 'command-line')
    parts.devices.add(NewDevice.parse({ aeTitle: 'CT1', address: MODALITY }), 'command-line')
    await parts.people.createUser({ ...OWNER, firstName: 'Olga', lastName: 'Owner', level: 'owner', clinicRole: 'Other' }, 'command-line')
  }
  const gateway = opened.use(
    await running([
      ...['serve', '--data', temp.folder, '--http', `127.0.0.1:${ports.http}`, '--https', `127.0.0.1:${ports.https}`],
      ...['--dimse', `127.0.0.1:${ports.dimse}`, '--dimse-tls', String(ports.dimseTls)],
      ...['--partner-url', partner.url, '--partner-secret', secret, '--log-level', 'error'],
    ]),
  )
  const cookie = await approved(gateway, `https://127.0.0.1:${ports.https}`, temp.folder)
  const ca = readFileSync(join(temp.folder, 'tls', 'cert.pem'), 'utf8')
  const kept = opened.move()
  return {
    ...{ gateway, targets: { from: ATTACKER, ...ports } },
    worklist: () =>
      timed(async () => {
        const { status, rows } = await queryWorklist(ports.dimse, { callingAeTitle: 'CT1', localAddress: MODALITY })
        expect([status, rows.length > 0]).toEqual(['0000', true])
      }),
    page: () =>
      timed(async () => {
        const headers = { ...OWN_PAGE, cookie }
        const answer = await httpCall(`https://127.0.0.1:${ports.https}/dashboard/status`, { from: WORKSTATION, ca, headers })
        expect(answer.status).toBe(200)
      }),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** Cookies of a workstation that the owner approved and signed in at. */
async function approved({ http }: Serving, https: string, folder: string): Promise<string> {
  const ca = readFileSync(join(folder, 'tls', 'cert.pem'), 'utf8')
  const cookies: string[] = []
  const post = async (path: string, json: unknown) => {
    const headers = { ...OWN_PAGE, cookie: cookies.join('; ') }
    const answer = await httpCall(`${https}${path}`, { method: 'POST', from: WORKSTATION, ca, headers, json })
    for (const set of answer.headers['set-cookie'] ?? []) cookies.push(set.split(';')[0] ?? '')
  }
  await post('/dashboard/workstation', { name: 'Reading room 2' })
  const owner = callerOf(http, await sessionHeaders(http, OWNER))
  const [asking] = (await owner(dashboardSecurity.lanAccess, {})).workstations
  await owner(dashboardSecurity.approveWorkstation, { params: { workstationId: asking?.workstationId ?? '' }, body: {} })
  await post('/dashboard/session', OWNER)
  return cookies.join('; ')
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** The attacker, in position. */
async function attack(targets: Targets, names: readonly AttackName[]): Promise<ChildProcess & AsyncDisposable> {
  const args = [join(import.meta.dirname, 'attacker.ts'), JSON.stringify(targets), ...names]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
    },
  })
}

describe.each([...ATTACK_NAMES.map((name) => [name, [name]] as const), ['all at once', ATTACK_NAMES] as const])(
  'attacked by %s',
  (_what, names) => {
    it('a listed modality has its worklist and an approved workstation its page within 2 s, and SIGTERM ends within 10 s', async () => {
      await using clinic = await openClinic()
      // What is first asked for is loaded then.
      await Promise.all([clinic.worklist(), clinic.page()])
      await using _attacker = await attack(clinic.targets, names)
      for (let round = 0; round < 3; round++) {
        expect(await clinic.worklist()).toBeLessThan(PROMPT_MS)
        expect(await clinic.page()).toBeLessThan(PROMPT_MS)
        await wait(300)
      }
      const stopped = await timed(async () => void expect(await clinic.gateway.end('SIGTERM')).toBe(0))
      expect(stopped).toBeLessThan(STOPPED_MS)
    })
  },
)

describe('TLS handshakes that are never finished', () => {
  it('leave no socket behind when their clients close', { timeout: 40_000 }, async () => {
    await using clinic = await openClinic()
    const before = openSockets(clinic.gateway)
    {
      await using _attacker = await attack(clinic.targets, ['handshakes'])
      // Until the deadline of the first ones is over.
      await wait(12_000)
    }
    await expect.poll(() => openSockets(clinic.gateway), { timeout: 15_000 }).toBeLessThanOrEqual(before)
  })
})

/** Of the gateway's process, as Linux counts them. */
function openSockets({ child }: Serving): number {
  const folder = `/proc/${child.pid}/fd`
  return readdirSync(folder).filter((fd) => {
    try {
      return readlinkSync(join(folder, fd)).startsWith('socket:')
    } catch {
      // It was closed meanwhile.
      return false
    }
  }).length
}
