import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openPartnerSimulator, type Scenario } from '#electron/simulator/partner.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { startAcceptor } from '../../support/acceptor.ts'
import { type Serving, serving } from '../../support/command-line.ts'
import { DEVICE } from '../../support/device.ts'
import { callerOf, sessionHeaders, webhookSecret } from '../../support/gateway.ts'
import { PROGRAM, PROGRAM_ENVIRONMENT } from '../../support/program.ts'
import { isGone } from '../../support/reading-desk.ts'
import { listenForCommitments } from '../commitment-listener.ts'
import { newLedger } from '../ledger.ts'
import { randomOf } from '../random.ts'
import { openReader } from '../reader.ts'
import { PEOPLE } from '../stage.ts'
import { checkKept, checkSettled, type Outside } from './checks.ts'
import { COUNTS, type Counts, drawOf, startClients, type Work } from './clients.ts'

export interface KillClinicOptions {
  readonly seed: number
  readonly rounds: number
  /** Does something to the folder between a kill and the next start. */
  readonly afterKill?: (folder: string, round: number) => void
}

export interface KillOutcome {
  readonly counts: Counts
  /** What is lost or invented, in sentences; empty where nothing is. */
  readonly breaches: readonly string[]
}

const DESKS = 2
/** A kill comes after so many acknowledgements at the most, and so long after the last of them. */
const MOST_ANSWERS = 120
const MOST_DELAY_MS = 25
/** Where a round does not come that far. */
const LONGEST_ROUND_MS = 10_000
/** Share of the restarts that are killed as well, and how soon. */
const KILLED_STARTS = 0.15
const MOST_START_MS = 900
/** How long what waits may take once nothing goes wrong any more. */
const DRAIN_MS = 240_000
/**
 * A retry ends the association under way: one that comes too soon would send nothing on a busy
 * machine.
 */
const RETRY_MS = 15_000
const MOST_DELIVERIES = 5_000
const MEMORY = '/dev/shm'

/** How the partner takes the n-th report that comes to it; `down` hangs up after it has read it. */
function mannerOf(seed: number, n: number): Scenario {
  const drawn = drawOf(seed, `partner ${n}`)
  if (drawn < 0.75) return 'normal'
  if (drawn < 0.85) return 'error'
  return drawn < 0.93 ? 'refuse' : 'down'
}

/**
 * A clinic on one data folder whose gateway is killed so many times. It ends at the first breach.
 */
export async function killClinic({
  seed,
  rounds,
  afterKill,
}: KillClinicOptions): Promise<KillOutcome> {
  await using opened = new AsyncDisposableStack()
  const root = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'isthmus-kills-'))
  opened.defer(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'data')
  const counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts
  const ledger = newLedger()
  const secret = webhookSecret()
  const day = new Date(Date.now() + 24 * 60 * 60_000).toISOString().slice(0, 10).replaceAll('-', '')
  const partner = opened.use(
    await openPartnerSimulator({
      port: 0,
      secret,
      clock: Date.now,
      worklist: (of) => (of === day ? worklistDay(of) : []),
    }),
  )
  const manners = Array.from({ length: MOST_DELIVERIES }, (_, n) => mannerOf(seed, n))
  partner.setSequence('report.delivered', manners)
  // Devices are always there: a listener that hangs up would make the gateway wait for minutes.
  const listener = opened.use(
    await listenForCommitments({ ...randomOf(seed), of: () => 1 }, ledger),
  )
  const outside: Outside = { archive: new Map() }
  const archive = opened.use(
    await startAcceptor({
      message(message, peer) {
        const uid = message.command.affectedSopInstanceUid
        if (uid && Buffer.isBuffer(message.dataSet)) {
          const hashes = outside.archive.get(uid) ?? new Set()
          outside.archive.set(
            uid,
            hashes.add(createHash('sha256').update(message.dataSet).digest('hex')),
          )
          counts.forwarded++
        }
        peer.respond(message, 0x0000)
      },
    }),
  )
  const key = await furnish(folder, { url: partner.url, secret, devicePort: listener.port })
  const args = ['--log-level', 'warn'] as const
  let gateway: Serving = opened.use(await serving(folder, ...args))
  const owner = await sessionHeaders(gateway.http, PEOPLE.owner)
  const radiologist = await sessionHeaders(gateway.http, PEOPLE.radiologist)
  const ownerCall = () => callerOf(gateway.http, owner)
  const body = NewDestination.parse({
    name: 'Archive',
    aeTitle: 'PACS',
    host: '127.0.0.1',
    port: archive.port,
    isAutomatic: true,
  })
  const { destinationId } = await ownerCall()(dashboardDestinations.add, { body })

  const work: Work = {
    ...{
      seed,
      ledger,
      counts,
      asked: new Set(),
      transactions: new Map(),
      deskStudies: [],
      unanswered: [],
      numbers: 0,
    },
    desks: Array.from({ length: DESKS }, () => undefined),
  }
  const seen = new Set<unknown>()
  let arrived = 0
  let recoveredAt = Number.POSITIVE_INFINITY
  /** The simulator keeps the newest thousand events alone. */
  function noteArrivals(): void {
    for (const event of partner.received) {
      if (event.envelope.type !== 'report.delivered' || seen.has(event)) continue
      seen.add(event)
      const { presignedUrl: _link, ...content } = event.envelope
        .data as EventData<'report.delivered'>
      const isAccepted = arrived >= recoveredAt || manners[arrived] === 'normal'
      arrived++
      ledger.arrivals.push({
        ...{
          eventId: event.envelope.id,
          type: event.envelope.type,
          content: JSON.stringify(content),
        },
        ...{
          reportId: content.reportId,
          text: content.plainText ?? '',
          isAccepted,
          isSigned: true,
        },
      })
    }
  }
  function check(isEnd: boolean): readonly string[] {
    noteArrivals()
    ledger.log.push(...gateway.stderr)
    using reader = openReader(folder, Date.now)
    return isEnd ? checkSettled({ work, reader, outside }) : checkKept({ work, reader, outside })
  }
  const outcome = (breaches: readonly string[]): KillOutcome => {
    counts.delivered = new Set(
      ledger.arrivals.filter(({ isAccepted }) => isAccepted).map(({ reportId }) => reportId),
    ).size
    return { counts, breaches }
  }

  for (let round = 1; round <= rounds; round++) {
    const wrong = await workUntilKilled(work, round, gateway, { key, radiologist, day })
    counts.kills++
    ledger.log.push(...gateway.stderr)
    if (wrong.length > 0) return outcome(wrong)
    afterKill?.(folder, round)
    if (drawOf(seed, `start ${round}`) < KILLED_STARTS) {
      await killStart(folder, drawOf(seed, `start delay ${round}`) * MOST_START_MS)
      counts.kills++
    }
    gateway = opened.use(await serving(folder, ...args))
    const breaches = await settledCheck(() => check(false))
    if (breaches.length > 0) return outcome(breaches)
    archive.received.length = 0
    archive.messages.length = 0
  }

  partner.setSequence('report.delivered', [])
  noteArrivals()
  recoveredAt = arrived
  const until = Date.now() + DRAIN_MS
  let breaches: readonly string[]
  let retriedAt = Number.NEGATIVE_INFINITY
  do {
    if (Date.now() - retriedAt > RETRY_MS) {
      retriedAt = Date.now()
      await ownerCall()(dashboardEvents.replay, { body: { which: 'since-outage' } })
      await ownerCall()(dashboardDestinations.retry, { params: { destinationId }, body: {} })
    }
    await wait(500)
    breaches = check(true)
  } while (breaches.length > 0 && Date.now() < until)
  await gateway.end('SIGTERM')
  return outcome(breaches)
}

/** What a kill left without a row is looked for beside the work of the restarted gateway. */
async function settledCheck(check: () => readonly string[]): Promise<readonly string[]> {
  const until = Date.now() + 10_000
  for (;;) {
    const breaches = check()
    if (breaches.length === 0 || Date.now() > until) return breaches
    await wait(100)
  }
}

/**
 * Everybody works until the kill of this round. Gives wrong answers, and errors before the kill.
 */
async function workUntilKilled(
  work: Work,
  round: number,
  gateway: Serving,
  of: {
    readonly key: string
    readonly radiologist: Readonly<Record<string, string>>
    readonly day: string
  },
): Promise<readonly string[]> {
  const { seed, counts } = work
  const killed = Promise.withResolvers<void>()
  let isKilled = false
  const kill = () => {
    if (isKilled) return
    isKilled = true
    void gateway.end('SIGKILL').then(() => killed.resolve())
  }
  let left = 1 + Math.floor(drawOf(seed, `kill ${round}`) * MOST_ANSWERS)
  const delayMs = Math.floor(drawOf(seed, `delay ${round}`) * MOST_DELAY_MS)
  const longest = setTimeout(kill, LONGEST_ROUND_MS)
  const clients = startClients(work, {
    ...{ round, http: gateway.http, dimsePort: gateway.dimsePort, ...of },
    onAnswered() {
      if (--left === 0) setTimeout(kill, delayMs)
    },
  })
  const wrong: string[] = []
  const ends = clients.map((client) =>
    client.catch((error: unknown) => {
      if (isKilled && isEndOfConnection(error)) counts.unanswered++
      else {
        wrong.push(`before the kill: ${String((error as Error).stack)}`)
        kill()
      }
    }),
  )
  await Promise.all([...ends, killed.promise])
  clearTimeout(longest)
  return wrong
}

const isEndOfConnection = (error: unknown) =>
  isGone(error) || /instead of|half an answer/.test(String(error))

/** Starts the gateway and kills it before it is ready, or soon after. */
async function killStart(folder: string, ms: number): Promise<void> {
  const words = [
    'serve',
    '--data',
    folder,
    '--http',
    '127.0.0.1:0',
    '--dimse',
    '127.0.0.1:0',
    '--dimse-tls',
    'off',
  ]
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: PROGRAM_ENVIRONMENT,
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await wait(ms)
  child.kill('SIGKILL')
  await exited
}

/** A data folder with a partner, its key, an owner, a radiologist and two CTs; the key. */
async function furnish(
  folder: string,
  {
    url,
    secret,
    devicePort,
  }: { readonly url: string; readonly secret: string; readonly devicePort: number },
): Promise<string> {
  using context = openContext({ folder })
  context.settings.change(
    {
      ...{
        'intake.stopGigabytes': 0,
        'intake.warnGigabytes': 0,
        'intake.idleSeconds': 1,
        'commitment.isOn': true,
      },
      ...{
        'http.ratePerSecond': 100_000,
        'http.rateBurst': 100_000,
        'clinic.timeZone': 'UTC',
        'backup.dailyAt': null,
      },
    },
    'command-line',
  )
  setPartner(context, { url, secret, allowPlaintext: true }, 'command-line')
  for (const aeTitle of ['CT1', 'CT2'])
    addDevice(
      context,
      { ...DEVICE, aeTitle, address: '127.0.0.1', port: devicePort },
      'command-line',
    )
  // A cheap hash: this is about other things than the price of a password.
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  const names = { firstName: 'Una', lastName: 'Reader' }
  await people.createUser(
    { ...PEOPLE.owner, ...names, level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
  await people.createUser(
    { ...PEOPLE.radiologist, ...names, level: 'member', clinicRole: 'Radiologist' },
    'command-line',
  )
  return createApiKey(
    context,
    { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
    'command-line',
  ).key
}
