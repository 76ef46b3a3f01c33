import type { Context } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import './commits.ts'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccounts } from '#server/modules/users/people.ts'
import { DEVICE } from '../support/device.ts'
import { seededAmbient } from './ambient.ts'
import { type CommitmentListener, listenForCommitments } from './commitment-listener.ts'
import { openDevice } from './device.ts'
import { disk } from './disk.ts'
import { openLives } from './gateway-lives.ts'
import { newLedger } from './ledger.ts'
import { openPartner, type Partner } from './partner.ts'
import type { Evidence } from './promise.ts'
import { checkPromises } from './promises.ts'
import { type Random, randomOf } from './random.ts'
import { openReader, type Reader } from './reader.ts'
import { BrokenPromise, PEOPLE, risClient, type Stage, staffCalls } from './stage.ts'
import { STEPS, type Step, stepNamed } from './steps.ts'
import { virtualTime } from './virtual-time.ts'

export interface SimulationOptions {
  readonly seed: number
  /** 1 without it. */
  readonly days?: number
  /** Steps of a day; 80 without it. */
  readonly steps?: number
  /** Whether the disk fails and the gateway ends suddenly; as the seed has it without it. */
  readonly hasFaults?: boolean
  readonly onLine?: (line: string) => void
  /** Looks at, and may spoil, what is there at the end, before it is checked for the last time. */
  readonly atEnd?: (evidence: Evidence) => void
}

export interface Outcome {
  readonly seed: number
  readonly trace: readonly string[]
  /** SHA-256 of the trace: the same for the same seed and program. */
  readonly hash: string
  /** The first promise that was broken. */
  readonly failure:
    | { readonly promise: string; readonly detail: string; readonly step: number }
    | undefined
  readonly counts: Readonly<
    Record<'steps' | 'lives' | 'images' | 'signed' | 'arrivals' | 'finds' | 'faults', number>
  >
}

/** A Monday. */
const BEGINS_AT = Date.parse('2026-03-09T06:30:00.000Z')
const DAY_MS = 24 * 60 * 60_000
const MINUTE_MS = 60_000
/** SQLite waits for a disk at each commit; a power failure here is a simulated one. */
const MEMORY = '/dev/shm'

/** One clinic for some days, drawn from the seed: the same seed does the same. */
export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const { seed, days = 1, steps = 80, onLine } = options
  const random = randomOf(seed)
  const hasFaults = options.hasFaults ?? random.chance(0.75)
  const trace: string[] = []
  const ledger = newLedger()
  const counts = { steps: 0, lives: 1, images: 0, signed: 0, arrivals: 0, finds: 0, faults: 0 }
  let failure: Outcome['failure']
  let finds = 0
  let last: Step | undefined

  await using opened = new AsyncDisposableStack()
  const root = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'isthmus-day-'))
  opened.defer(() => rmSync(root, { recursive: true, force: true }))
  const time = opened.use(virtualTime(BEGINS_AT))
  opened.use(seededAmbient(seed))
  opened.defer(() => {
    disk.fault = undefined
  })
  const partner = opened.use(await openPartner(time, random, ledger))
  const listener = opened.use(await listenForCommitments(random, ledger))
  const clinic = { key: '' }
  const isBusy = () => partner.isBusy() || listener.isBusy()
  const lives = opened.use(
    await openLives({
      root,
      time,
      partner,
      ledger,
      isBusy,
      furnish: furnishing(partner, listener, clinic),
    }),
  )
  const devices = [openDevice('CT1'), openDevice('CT2', true)]
  opened.defer(() => {
    for (const device of devices) device.hangUp()
  })

  let reader: Reader | undefined
  const forget = () => {
    reader?.[Symbol.dispose]()
    reader = undefined
  }
  opened.defer(forget)
  let numbers = 0
  const stage: Stage = {
    ...{ random, time, ledger, partner, lives, devices, runs: [], calls: [] },
    number: () => ++numbers,
    day: (from = 0) =>
      new Date(time.now() + from * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''),
    reader() {
      if (reader && reader.folder !== lives.folder) forget()
      reader ??= openReader(lives.folder, time.now)
      return reader
    },
    staff: staffCalls(() => lives),
    ris: () => risClient(lives.http, clinic.key),
  }

  const say = (text: string) => {
    const line = `${new Date(time.now()).toISOString().slice(5, 19)} ${text}`
    trace.push(line)
    onLine?.(line)
  }
  const sayNews = () => {
    for (const line of partner.news()) say(`  ${line}`)
  }
  const check = (when: 'step' | 'day', isEnd = false) => {
    finds += ledger.finds.length
    checkPromises({ ledger, reader: stage.reader(), isEnd }, when)
  }
  /** The next run, where this one was ended; some of them end while they begin. */
  async function goOn(): Promise<void> {
    while (lives.isOver) {
      say('the gateway was ended, and begins again')
      if (random.chance(0.1)) lives.endAt(1 + random.below(40))
      await lives.reopen(() => {
        forget()
        for (const device of devices) device.hangUp()
      })
      if (!lives.isOver) check('day')
    }
  }
  async function pass(ms: number): Promise<void> {
    const until = time.now() + ms
    while (time.now() < until) {
      await lives.pass(until - time.now())
      sayNews()
      await goOn()
    }
  }
  async function take(step: Step): Promise<void> {
    if (step.isFault) forget()
    const told = await step.run(stage)
    if (told === undefined) return await take(drawn(random, hasFaults))
    last = step
    counts.steps++
    say(`#${counts.steps} ${told}`)
    sayNews()
    await goOn()
    check('step')
    await pass(
      random.chance(0.8)
        ? 1_000 + random.below(90_000)
        : 2 * MINUTE_MS + random.below(13 * MINUTE_MS),
    )
  }

  async function run(): Promise<void> {
    say(`seed ${seed}, ${hasFaults ? 'with' : 'without'} faults`)
    for (let day = 0; day < days; day++) {
      for (const step of MORNING) await take(step)
      for (let step = MORNING.length; step < steps; step++) {
        const next = last?.next
        await take(
          next && random.chance(0.6) ? stepNamed(random.pick(next)) : drawn(random, hasFaults),
        )
      }
      check('day')
      const morning = BEGINS_AT + (Math.floor((time.now() - BEGINS_AT) / DAY_MS) + 1) * DAY_MS
      if (day < days - 1) await pass(morning - time.now())
    }
    disk.fault = undefined
    partner.leave('error', time.now())
    partner.isCalm = true
    lives.endAt(Number.POSITIVE_INFINITY)
    say('nothing goes wrong any more')
    // The longest wait between two attempts is a day, and a tenth more.
    const until = time.now() + 1.2 * DAY_MS
    do await pass(60 * MINUTE_MS)
    while (
      time.now() < until &&
      stage.reader().select("select 1 from outbox where state = 'waiting'").length > 0
    )
    options.atEnd?.({ ledger, reader: stage.reader(), isEnd: true })
    check('day', true)
  }

  try {
    await run()
  } catch (error) {
    const promise = error instanceof BrokenPromise ? error.promise : 'It goes on'
    const detail = error instanceof BrokenPromise ? error.message : String((error as Error).stack)
    failure = { promise, detail, step: counts.steps }
    say(`broken: ${promise}`)
  }
  Object.assign(counts, {
    ...{ lives: lives.count, images: ledger.instances.length, signed: ledger.frozen.size },
    ...{ arrivals: ledger.arrivals.length, finds, faults: ledger.faultsMet },
  })
  forget()
  return {
    seed,
    trace,
    hash: createHash('sha256').update(trace.join('\n')).digest('hex'),
    failure,
    counts,
  }
}

/** Before anything else: exams, studies, and devices that know of them. */
const MORNING = ['plan', 'plan', 'plan', 'plan', 'create', 'create', 'find', 'find'].map(stepNamed)

function drawn(random: Random, hasFaults: boolean): Step {
  const possible = hasFaults ? STEPS : STEPS.filter(({ isFault }) => !isFault)
  let left = random.next() * possible.reduce((sum, { weight }) => sum + weight, 0)
  for (const step of possible) {
    left -= step.weight
    if (left < 0) return step
  }
  return stepNamed('find')
}

function furnishing(partner: Partner, { port }: CommitmentListener, clinic: { key: string }) {
  return async (context: Context): Promise<void> => {
    context.settings.change(
      {
        ...{
          'dimse.tlsPort': null,
          'intake.stopGigabytes': 0,
          'intake.warnGigabytes': 0,
          'backup.dailyAt': null,
        },
        ...{ 'clinic.timeZone': 'UTC', 'worklist.freshSeconds': 0, 'commitment.isOn': true },
        ...{ 'http.ratePerSecond': 100_000, 'http.rateBurst': 100_000 },
      },
      'command-line',
    )
    setPartner(
      context,
      { url: partner.url, secret: partner.secret, allowPlaintext: true },
      'command-line',
    )
    addDevice(context, { ...DEVICE, aeTitle: 'CT1', name: 'CT room 1', port }, 'command-line')
    addDevice(
      context,
      { ...DEVICE, aeTitle: 'CT2', name: 'CT room 2', port, hideStarted: true },
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
    clinic.key = createApiKey(
      context,
      { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
      'command-line',
    ).key
  }
}
