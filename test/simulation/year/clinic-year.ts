import { rmSync, statfsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { dashboardTiers, type Tier } from '#shared/contract/tiers.ts'
import { say } from '../../interop/storage-fixture.ts'
import type { Intervention, TestStore } from '../../support/object-store.ts'
import type { Random } from '../random.ts'
import {
  addArchive,
  type Day,
  findTier,
  setArchive,
  signedIn,
  startDay,
  startMigration,
  switchOnRule,
} from './gateway-day.ts'
import { type Kill, killedAtStep, killedInRun, killedLater } from './kills.ts'
import { readStudy } from './reading.ts'
import type { Relay } from './relay.ts'
import { MIGRATION_DAYS, type Schedule } from './schedule.ts'
import { isRare, MIGRATION_STEPS, SLOW, type Step } from './steps.ts'
import { LOST, makeStudy, type YearImage } from './studies.ts'

export interface YearOptions {
  readonly folder: string
  /** Where devices keep the images of a day. */
  readonly scratch: string
  readonly keepDays: number
  readonly random: Random
  readonly schedule: Schedule
  readonly dimsePort: number
  readonly ports: { readonly archive: number; readonly closed: number }
  readonly fromArchive: Relay
  /** In the order of the migrations. */
  readonly stores: readonly [NamedStore, NamedStore]
  /** Of a caller that may read all studies. */
  readonly key: string
}

export interface NamedStore {
  readonly name: string
  readonly store: TestStore
}

export const STUDIES_A_DAY = 2
export const FIRST_DAY = Date.parse('2025-01-01T08:00:00Z')
const DAY_MS = 24 * 60 * 60_000
const KILLED_DAYS = 0.2
const KILLED_RUNS = 0.1
/** Every so many studies is a mammogram, and every so many is not kept by the archive. */
const MAMMOGRAM_EVERY = 7
const LOST_EVERY = 9
/** How long a day waits for what was sent on the day before to be confirmed. */
const CONFIRM_MS = 4000
/** How long a migration, or a step of one, may take. */
const MIGRATION_MS = 60 * 60_000

/** A clinic whose gateway runs once for each day. */
export class ClinicYear {
  readonly acknowledged = new Map<string, YearImage>()
  readonly breaches: string[] = []
  readonly counts = { studies: 0, refused: 0, readStudies: 0, restored: 0, leastFreeMiB: 1e9 }
  /** By what the gateway was doing. */
  readonly kills = new Map<string, number>()
  heldStudy = ''
  readonly #options: YearOptions
  #dayBefore: readonly YearImage[] = []

  constructor(options: YearOptions) {
    this.#options = options
  }

  /** One day, with the gateway started again each time that it was killed. */
  async live(day: number): Promise<void> {
    const { scratch, random, schedule } = this.#options
    const images = Array.from({ length: STUDIES_A_DAY }, (_, at) => {
      const number = this.counts.studies + at + 1
      return makeStudy(
        scratch,
        {
          studyInstanceUid: `2.25.2025.${day}.${at + 1}`,
          studyId: number % LOST_EVERY === 0 ? LOST : '1',
          isMammogram: number % MAMMOGRAM_EVERY === 0,
        },
        random,
      )
    }).flat()
    const intervene = (how: Intervention) => {
      for (const { store } of this.#options.stores) store.intervene(how)
    }
    const migration = this.#migrationOf(day)
    if (schedule.areStoresAway(day)) intervene({ refuse: 'ServiceUnavailable' })
    else intervene(migration ? SLOW : {})
    for (const kill of [...this.#killsOf(day), undefined]) {
      if (!kill && migration?.dayOfIt === MIGRATION_DAYS - 1) intervene({})
      const wasKilled = await this.#run(day, images, kill)
      // The migration may have ended before one of its steps was reached again.
      if (!wasKilled && !kill?.isStep) break
    }
    for (const { path } of images) rmSync(path)
    this.counts.studies += STUDIES_A_DAY
    this.counts.leastFreeMiB = Math.min(this.counts.leastFreeMiB, this.freeMiB())
    this.#dayBefore = images
  }

  /** What the gateway is killed at on a day, in this order. */
  #killsOf(day: number): Kill[] {
    const { random, stores, fromArchive, schedule } = this.#options
    const to = this.#migrationOf(day)
    if (to) {
      const { store: target, at } = to
      const peers = { target, source: at > 0 ? stores[0].store : undefined, fromArchive }
      const steps = (MIGRATION_STEPS[at] as readonly Step[]).filter(
        (_, index) => index % MIGRATION_DAYS === to.dayOfIt,
      )
      // Twice each, at different images.
      return [...steps, ...steps].map((step) =>
        killedAtStep(step, peers, isRare(step) ? 1 : 1 + random.below(schedule.mostTimes)),
      )
    }
    if (random.chance(KILLED_DAYS)) return [killedLater(random)]
    return random.chance(KILLED_RUNS) ? [killedInRun(random)] : []
  }

  /** Runs the gateway until the end of the day, or until it was killed. Whether it was. */
  async #run(day: number, images: readonly YearImage[], kill: Kill | undefined): Promise<boolean> {
    const { folder, dimsePort } = this.#options
    const at = new Date(FIRST_DAY + day * DAY_MS).toISOString()
    const gateway = await startDay(folder, dimsePort, at)
    const { child } = gateway.serving
    const end = kill?.arm(() => child.kill('SIGKILL'))
    try {
      await this.#work(gateway, day, images, kill)
    } catch (error) {
      if (!child.killed) {
        console.error(gateway.serving.stderr.join('\n'))
        throw error
      }
    } finally {
      end?.()
    }
    if (!child.killed) {
      await gateway.serving.end('SIGTERM')
      return false
    }
    await gateway.serving[Symbol.asyncDispose]()
    const name = kill?.name ?? ''
    this.kills.set(name, (this.kills.get(name) ?? 0) + 1)
    return true
  }

  /** What happens while the gateway runs. */
  async #work(
    gateway: Day,
    day: number,
    images: readonly YearImage[],
    kill: Kill | undefined,
  ): Promise<void> {
    const { schedule, ports } = this.#options
    const isAway = schedule.isArchiveAway(day)
    if (day === 1) await this.#setUp(gateway)
    await setArchive(gateway, {
      port: isAway ? ports.closed : ports.archive,
      isAutomatic: schedule.isForwarding(day),
    })
    await this.#migrate(gateway, day, kill)
    await this.#send(images)
    if (day === schedule.heldDay) await this.#placeHold(gateway, images)
    if (kill?.isStep) return await this.#awaitStep(gateway, day, kill)
    if (!isAway && !schedule.areStoresAway(day)) {
      await this.#read(gateway)
      await this.#awaitConfirmation(gateway)
    }
    const { call } = await signedIn(gateway.serving)
    const running = call(dashboardLifecycle.run, {})
    kill?.inRun?.(gateway.serving.child)
    await running
    await this.#endMigration(gateway, day)
  }

  async #setUp(gateway: Day): Promise<void> {
    if (await findTier(gateway, 'Archive')) return
    await addArchive(gateway, this.#options.ports.archive)
    await switchOnRule(gateway, this.#options.keepDays)
  }

  /** Sends images as a device does, and notes what is acknowledged. What is refused ends the year. */
  async #send(images: readonly YearImage[]): Promise<void> {
    const to = ['-aet', 'CT1', '-aec', 'ISTHMUS', '127.0.0.1', String(this.#options.dimsePort)]
    const { output } = await say('storescu', ['-v', ...to, ...images.map(({ path }) => path)])
    let last = ''
    for (const line of output.split('\n')) {
      last = /Sending file: (.*)/.exec(line)?.[1] ?? last
      const response = /Received Store Response \((.*)\)/.exec(line)?.[1]
      const image = images.find(({ path }) => path === last)
      if (!response || !image) continue
      if (response === 'Success') this.acknowledged.set(image.sopInstanceUid, image)
      else {
        this.counts.refused++
        throw new Error(`${last} was refused: ${response}`)
      }
    }
    const missing = images.filter(({ sopInstanceUid }) => !this.acknowledged.has(sopInstanceUid))
    if (missing.length > 0) throw new Error(`${missing.length} images were not taken: ${output}`)
  }

  async #placeHold({ call }: Day, [image]: readonly YearImage[]): Promise<void> {
    if (this.heldStudy !== '' || !image) return
    const { studyInstanceUid } = image
    const params = { studyInstanceUid }
    await call(dashboardLifecycle.placeHold, { params, body: { reason: 'A claim of the patient' } })
    this.heldStudy = studyInstanceUid
  }

  /** Waits a while until all that was sent on the day before is confirmed somewhere. */
  async #awaitConfirmation({ call }: Day): Promise<void> {
    const until = Date.now() + CONFIRM_MS
    for (const studyInstanceUid of new Set(this.#dayBefore.map((one) => one.studyInstanceUid)))
      while (Date.now() < until) {
        const { instances, copies } = await call(dashboardLifecycle.study, {
          params: { studyInstanceUid },
        })
        if (copies.some((copy) => copy.instances === instances)) break
        await wait(100)
      }
  }

  /** Somebody reads an earlier study, which may have to be fetched. */
  async #read(gateway: Day): Promise<void> {
    const studies = [...Map.groupBy(this.acknowledged.values(), (one) => one.studyInstanceUid)]
    const [, images] = this.#options.random.pick(studies)
    await this.#compare(gateway, images)
  }

  async #compare({ call, serving }: Day, images: readonly YearImage[]): Promise<void> {
    const { studyInstanceUid } = images[0] as YearImage
    const { removed } = await call(dashboardLifecycle.study, { params: { studyInstanceUid } })
    const found = await readStudy(serving.http, this.#options.key, images)
    this.breaches.push(...found)
    this.counts.readStudies++
    if (found.length === 0) this.counts.restored += removed
  }

  /** The store that is migrated to on this day. */
  #migrationOf(day: number) {
    const { schedule, stores } = this.#options
    for (const [at, first] of schedule.migrations.entries())
      if (day >= first && day < first + MIGRATION_DAYS)
        return { ...(stores[at] as NamedStore), at, dayOfIt: day - first }
    return undefined
  }

  /**
   * Starts the migration of a day, or resumes it. Until its last day it goes on only to reach the
   * steps at which the gateway is killed, and is paused otherwise.
   */
  async #migrate(gateway: Day, day: number, kill: Kill | undefined): Promise<void> {
    const to = this.#migrationOf(day)
    if (!to) return
    const tier = await findTier(gateway, to.name)
    if (!tier) {
      const { name, store } = to
      return await startMigration(gateway, store.tier({ name, isAutomatic: true }))
    }
    const params = { tierId: tier.tierId }
    const isWanted = kill?.isStep || to.dayOfIt === MIGRATION_DAYS - 1
    const action = isWanted ? 'resume' : 'pause'
    const before = isWanted ? 'paused' : 'running'
    if (tier.migration?.state === before)
      await gateway.call(dashboardTiers.changeMigration, { params, body: { action } })
  }

  /** Waits until the gateway was killed. It is not if the migration ends before the step. */
  async #awaitStep(gateway: Day, day: number, kill: Kill): Promise<void> {
    const { child } = gateway.serving
    const isOver = ({ migration }: Tier) => child.killed || migration?.state === 'done'
    await gateway.call(dashboardLifecycle.run, {})
    await this.#until(gateway, this.#migrationOf(day)?.name ?? '', isOver)
    if (!child.killed) console.log(`day ${day}: the migration ended before: ${kill.name}`)
  }

  /**
   * On its last day a migration goes on to its end. The images in the second store are then
   * verified, and the first store is removed for good.
   */
  async #endMigration(gateway: Day, day: number): Promise<void> {
    const to = this.#migrationOf(day)
    if (to?.dayOfIt !== MIGRATION_DAYS - 1) return
    const isOver = ({ migration }: Tier) => migration?.state === 'done'
    const { migration, failed } = await this.#until(gateway, to.name, isOver)
    if (migration?.failedInstances !== 0 || failed > 0)
      this.breaches.push(`the migration to the ${to.name} failed: ${JSON.stringify(migration)}`)
    console.log(`day ${day}: ${migration?.doneInstances} images copied to the ${to.name}`)
    if (to.at === 1) await this.#removeFirstStore(await signedIn(gateway.serving), day)
  }

  async #removeFirstStore(gateway: Day, day: number): Promise<void> {
    const [first, second] = this.#options.stores
    const kept = await findTier(gateway, second.name)
    const params = { tierId: kept?.tierId ?? '' }
    await gateway.call(dashboardTiers.verify, { params, body: {} })
    const verified = await this.#until(gateway, second.name, ({ verification }) =>
      Boolean(verification && verification.state !== 'running'),
    )
    const { checked, missing, changed, state } = verified.verification ?? {}
    console.log(`day ${day}: ${checked} images of the ${second.name} verified`)
    if (state !== 'done' || missing !== 0 || changed !== 0)
      this.breaches.push(`the ${second.name} is not whole: ${JSON.stringify(verified)}`)
    const removed = await findTier(gateway, first.name)
    const { call } = await signedIn(gateway.serving)
    await call(dashboardTiers.remove, { params: { tierId: removed?.tierId ?? '' } })
    await first.store[Symbol.asyncDispose]()
  }

  async #until(gateway: Day, name: string, isReached: (tier: Tier) => boolean): Promise<Tier> {
    const began = Date.now()
    let session = gateway
    for (let polls = 1; Date.now() - began < MIGRATION_MS; polls++) {
      const tier = await findTier(session, name)
      if (tier && isReached(tier)) return tier
      await wait(250)
      if (polls % 40 !== 0) continue
      // A migration takes longer than a session stays unlocked, and the rules run every hour.
      session = await signedIn(gateway.serving)
      await session.call(dashboardLifecycle.run, {})
    }
    throw new Error(`the ${name} took too long`)
  }

  /** Reads every image ever acknowledged from the gateway. */
  async readAll(day: number): Promise<void> {
    const { folder, dimsePort } = this.#options
    const at = new Date(FIRST_DAY + day * DAY_MS).toISOString()
    const gateway = await startDay(folder, dimsePort, at)
    for (const images of Map.groupBy(this.acknowledged.values(), (one) => one.studyInstanceUid))
      await this.#compare(gateway, images[1])
    await gateway.serving.end('SIGTERM')
  }

  freeMiB(): number {
    const { bavail, bsize } = statfsSync(this.#options.folder)
    return Math.floor((bavail * bsize) / 2 ** 20)
  }
}
