import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFailed, vi } from 'vitest'
import {
  openPartnerSimulator,
  type PartnerSimulator,
  type Scenario,
} from '#electron/simulator/partner.ts'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { serving } from '../support/command-line.ts'
import {
  callerOf,
  OWNER,
  type StartedGateway,
  sessionHeaders,
  webhookSecret,
} from '../support/gateway.ts'
import { seedOfRun } from '../support/property-runs.ts'
import {
  type DeskOptions,
  type DeskStudy,
  isGone,
  newStudy,
  type Step,
  writeReports,
} from '../support/reading-desk.ts'
import { type Arrival, openLedger } from '../support/report-ledger.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

// A signature is answered only once text, PDF, outbox rows, event and audit row are durable
// together (decision 0016): the gateway, a process of its own, is killed in each phase of writing,
// signing and delivering. `ISTHMUS_SEED` repeats a run.

const SEED = seedOfRun()
/** On one data folder. */
const MOST_ROUNDS = 20
/** Studies written on at once. */
const LANES = 4
const RADIOLOGIST = { email: 'radiologist@clinic.example', password: OWNER.password }
const MOST_DELIVERIES = 5000

/** From 0 up to, but not, 1; the n-th draw of this run. */
function draw(n: string): number {
  return createHash('sha256').update(`${SEED} ${n}`).digest().readUInt32LE() / 2 ** 32
}

/** What a round is killed at, one after the other: the n-th of such moments, and a while later. */
const MOMENTS = [
  { at: 'answered', most: 30, delayMs: 8 },
  { at: 'signed', most: 4, delayMs: 0 },
  // While the PDF is rendered and all of it written.
  { at: 'sign-asked', most: 4, delayMs: 150 },
  // While it is delivered and archived.
  { at: 'signed', most: 4, delayMs: 150 },
  // The partner has taken a report and has not said so yet.
  { at: 'taken', most: 3, delayMs: 0 },
  { at: 'taken', most: 3, delayMs: 8 },
] as const
type Moment = (typeof MOMENTS)[number]['at']
const KILLS = perTier(MOMENTS.length, 200)

/** How the partner takes the n-th report that comes to it; `down` hangs up after it has read it. */
function mannerOf(n: number): Scenario {
  const drawn = draw(`partner ${n}`)
  if (drawn < 0.6) return 'normal'
  if (drawn < 0.73) return 'error'
  if (drawn < 0.85) return 'refuse'
  return drawn < 0.99 ? 'down' : 'hang'
}

/** The partner with a memory of everything that came. */
interface Receiver {
  readonly partner: PartnerSimulator
  arrivals(): readonly Arrival[]
  /** From now on it takes everything. */
  recover(): void
}

function receiverOf(partner: PartnerSimulator): Receiver {
  const manners = Array.from({ length: MOST_DELIVERIES }, (_, n) => mannerOf(n))
  partner.setSequence('report.delivered', manners)
  // The simulator keeps the newest thousand.
  const seen = new Set<PartnerSimulator['received'][number]>()
  const ofReports = () => {
    for (const event of partner.received)
      if (event.envelope.type === 'report.delivered') seen.add(event)
    return [...seen]
  }
  let recoveredAt = Number.POSITIVE_INFINITY
  return {
    partner,
    arrivals: () =>
      ofReports().map(({ envelope }, n) => ({
        eventId: envelope.id,
        data: envelope.data as EventData<'report.delivered'>,
        isAccepted: n >= recoveredAt || manners[n] === 'normal',
      })),
    recover() {
      recoveredAt = ofReports().length
      partner.setSequence('report.delivered', [])
    },
  }
}

/** A data folder with a partner, its key, an owner and a radiologist; the key. */
async function furnish(folder: string, url: string, secret: string): Promise<string> {
  using context = openContext({ folder })
  const room = {
    'intake.stopGigabytes': 0,
    'intake.warnGigabytes': 0,
    'http.ratePerSecond': 10_000,
    'http.rateBurst': 10_000,
  } as const
  context.settings.change(room, 'command-line')
  setPartner(context, { url, secret, allowPlaintext: true }, 'command-line')
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  const names = { firstName: 'Una', lastName: 'Malá' }
  await people.createUser(
    { ...OWNER, ...names, level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
  await people.createUser(
    { ...RADIOLOGIST, ...names, level: 'member', clinicRole: 'Radiologist' },
    'command-line',
  )
  return createApiKey(
    context,
    { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
    'command-line',
  ).key
}

/** The window says of each study what the database does. */
async function expectShown(
  call: StartedGateway['call'],
  studies: readonly DeskStudy[],
): Promise<void> {
  for (const { studyId, told } of studies) {
    const { status, draft, reports } = await call(dashboardReports.read, { params: { studyId } })
    const signed = reports.filter((report) => report.status === 'completed')
    expect({
      status,
      draft: draft && { isAddendum: draft.isAddendum, revision: draft.revision, text: draft.text },
      signed: signed.map(({ isAddendum, isCritical, text }) => ({ isAddendum, isCritical, text })),
    }).toEqual(told)
  }
}

/** Files of the archive, and of what was on its way there. */
function filesIn(folder: string, name: 'images' | 'spool'): string[] {
  if (!existsSync(join(folder, name))) return []
  const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
}

/** Who writes on what: a desk goes on with its study after a kill. */
interface Room {
  readonly desks: (DeskStudy | undefined)[]
  readonly studies: DeskStudy[]
}

/** Ends the gateway at the moment of this round. */
function killOf(round: number, kill: () => Promise<unknown>) {
  const { at, most, delayMs } = MOMENTS[round % MOMENTS.length] ?? MOMENTS[0]
  let left = 1 + Math.floor(draw(`kill ${round}`) * most)
  const killed = Promise.withResolvers<unknown>()
  return {
    killed: killed.promise,
    note(moment: Moment) {
      if (moment !== at || --left !== 0) return
      const end = () => killed.resolve(kill())
      if (delayMs === 0) end()
      else void wait(draw(`delay ${round}`) * delayMs).then(end)
    },
  }
}

/** Every desk writes until the gateway is gone. Gives the studies that were written on. */
async function writtenUntilKilled(
  { desks, studies }: Room,
  options: DeskOptions,
  round: number,
  killed: Promise<unknown>,
) {
  const touched = new Set<DeskStudy>()
  const lane = async (number: number) => {
    for (let n = 0; ; n++) {
      const study =
        desks[number] ?? (await newStudy(options, `1.2.3.${SEED}.${round}.${number}.${n}`))
      if (!desks[number]) studies.push(study)
      desks[number] = study
      touched.add(study)
      await writeReports(options, study)
      desks[number] = undefined
    }
  }
  const lanes = desks.map((_, number) =>
    lane(number).catch((error: unknown) => {
      // The connection ends with the gateway; anything else is a wrong answer.
      if (!isGone(error)) throw error
    }),
  )
  await Promise.all([...lanes, killed])
  return [...touched]
}

/**
 * What was answered stands; the one call on its way was done as a whole, or not at all. Gives how
 * many were on their way.
 */
function expectStanding(
  folder: string,
  studies: readonly DeskStudy[],
  arrivals: readonly Arrival[],
): number {
  using ledger = openLedger(folder)
  let underWay = 0
  for (const study of studies) {
    const standing = ledger.standingOf(study.studyId)
    expect([study.told, ...(study.asked ? [study.asked] : [])]).toContainEqual(standing)
    if (study.asked) underWay++
    study.told = standing
    study.asked = undefined
  }
  ledger.expectSound(arrivals)
  return underWay
}

/** Once the partner takes everything, it has each report once and in order. */
async function expectDelivered(
  folder: string,
  owner: StartedGateway['call'],
  { recover, arrivals }: Receiver,
): Promise<void> {
  recover()
  using ledger = openLedger(folder)
  const delivered = async () => {
    // Again and again: an answer of before may still be on its way, and fail.
    await owner(dashboardEvents.replay, { body: { which: 'since-outage' } })
    expect(ledger.waiting()).toBe(0)
  }
  await vi.waitFor(delivered, { timeout: 60_000, interval: 300 })
  ledger.expectSettled(arrivals())
}

/** The newest have their PDF and their copies, which the window opens. */
async function expectOpened(
  owner: StartedGateway['call'],
  studies: readonly DeskStudy[],
): Promise<void> {
  for (const { studyId, told } of studies) {
    const { reports } = await owner(dashboardReports.read, { params: { studyId } })
    for (const { reportId, delivery, objects } of reports.slice(0, told.signed.length)) {
      expect([delivery?.state, objects.length]).toEqual(['delivered', 2])
      const { url } = await owner(dashboardReports.pdfLink, { params: { reportId } })
      const pdf = Buffer.from(await (await fetch(url)).arrayBuffer())
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    }
  }
}

/** Nothing half-written: files that a kill left without a row are looked for beside the work. */
const expectNothingLeft = (folder: string, kept: number) =>
  vi.waitFor(
    () =>
      expect([filesIn(folder, 'images').length, filesIn(folder, 'spool')]).toEqual([2 * kept, []]),
    {
      timeout: 10_000,
      interval: 50,
    },
  )

const wrongLines = (lines: readonly string[]) =>
  lines.filter((line) => /internal error|Vymyslena|MRN-4711|lungs/.test(line))

const groups = Array.from({ length: Math.ceil(KILLS / MOST_ROUNDS) }, (_, group) => {
  const first = group * MOST_ROUNDS + 1
  return { first, last: Math.min(KILLS, first + MOST_ROUNDS - 1) }
})

it.each(groups)(
  'has every report it said was signed, whole, and delivers it once and in order, after SIGKILL at any moment: rounds $first to $last',
  { timeout: 60_000 + MOST_ROUNDS * 20_000 },
  async ({ first, last }) => {
    let round = first
    onTestFailed(() => console.error(`round ${round}; ISTHMUS_SEED=${SEED} repeats it`))
    using temp = tempFolder()
    const { folder } = temp
    const secret = webhookSecret()
    let note = (_moment: Moment) => {}
    const partner = await openPartnerSimulator({
      ...{ port: 0, secret, clock: Date.now },
      answers: {
        'report.delivered'() {
          note('taken')
          return { success: true }
        },
      },
    })
    await using stack = new AsyncDisposableStack()
    stack.use(partner)
    const receiver = receiverOf(partner)
    const key = await furnish(folder, partner.url, secret)
    const start = () => serving(folder, '--log-level', 'warn')
    let gateway = stack.use(await start())
    const radiologist = await sessionHeaders(gateway.http, RADIOLOGIST)
    const windowOf = (headers: Readonly<Record<string, string>>) => callerOf(gateway.http, headers)
    const room: Room = { desks: Array.from({ length: LANES }, () => undefined), studies: [] }
    let underWay = 0

    for (; round <= last; round++) {
      const kill = killOf(round, () => gateway.end('SIGKILL'))
      note = kill.note
      const options = {
        call: windowOf(radiologist),
        partner: callerOf(gateway.http, { authorization: `Bearer ${key}` }),
        windowId: randomUUID(),
        draw,
        onAsked: (step: Step) => step === 'sign' && kill.note('sign-asked'),
        onAnswered(step: Step) {
          kill.note('answered')
          if (step === 'sign') kill.note('signed')
        },
      }
      const touched = await writtenUntilKilled(room, options, round, kill.killed)
      expect(gateway.child.signalCode).toBe('SIGKILL')
      expect(wrongLines(gateway.stderr)).toEqual([])
      underWay += expectStanding(folder, room.studies, receiver.arrivals())
      gateway = stack.use(await start())
      await expectShown(windowOf(radiologist), touched)
    }

    // A kill may come while nobody waits for an answer, but not each time.
    expect(underWay).toBeGreaterThan((last - first + 1) / 2)
    const owner = windowOf(await sessionHeaders(gateway.http, OWNER))
    await expectDelivered(folder, owner, receiver)
    await expectShown(owner, room.studies)
    await expectOpened(owner, room.studies.slice(-LANES))
    const kept = room.studies.reduce((sum, study) => sum + study.told.signed.length, 0)
    expect(kept).toBeGreaterThan(last - first)
    await expectNothingLeft(folder, kept)
    expect(wrongLines(gateway.stderr)).toEqual([])
    expect(await gateway.end('SIGTERM')).toBe(0)
  },
)
