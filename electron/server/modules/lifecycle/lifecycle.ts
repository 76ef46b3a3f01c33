import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { Worker } from '#server/jobs/worker.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import type { DiskForecast } from '#server/modules/images/disk-forecast.ts'
import { appendDiskEntry, notifyImagesChanged } from '#server/modules/images/image-feed.ts'
import { finishFileRemovals, removeLocalFiles } from '#server/modules/images/local-files.ts'
import { addDays, clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type {
  LifecycleOverview,
  LifecyclePreview,
  LifecycleRule,
} from '#shared/contract/lifecycle.ts'
import { message } from '#shared/messages/message.ts'
import {
  type DiskModel,
  type DiskSimulation,
  HORIZON_DAYS,
  simulateDisk,
} from './disk-simulation.ts'
import { type LocalInstance, type Verdict, verdictOf } from './evaluation.ts'
import {
  findStudyFacts,
  hasObjectStore,
  markStudyRemoved,
  sumFiles,
  sumRemovedBytes,
} from './fact-queries.ts'
import { localStudies, previewOf, sumBytes } from './preview.ts'
import { ReadBacks } from './read-backs.ts'
import { RemovalPlan } from './removal-plan.ts'
import { findRule, listRules } from './rule-queries.ts'
import { recordRulePreview, requireRule } from './rules.ts'

const MINUTE_MS = 60_000
const RUN_EVERY_MS = 60 * MINUTE_MS
/** After the start, so that images that devices held back are received first. */
const FIRST_RUN_MS = 10 * MINUTE_MS
/** How long the plan of what the rules will remove is kept. */
const PLAN_CACHE_MS = 10 * MINUTE_MS
const GIGABYTE = 1e9
/** The rest waits for the next run, so that a mistake in a rule is noticed before all is gone. */
const MAX_STUDIES_PER_RUN = 500

/** Whether the rule would remove the study if its copies were read back, and wants them to be. */
const lacksReadBack = ([rule, verdict]: readonly [LifecycleRule, Verdict]): boolean =>
  rule.readsBack && verdict.kind === 'kept' && verdict.reason === 'not-confirmed'

/** Changes if one of the rules does. */
const keyOf = (rules: readonly LifecycleRule[]): string =>
  rules.map(({ ruleId, revision }) => `${ruleId} ${revision}`).join('\n')

/** Bytes received per day; null if there are no complete days. */
const averageOf = (days: DiskForecast['days']): number | null =>
  days.length === 0
    ? null
    : Math.round(days.reduce((sum, { bytes }) => sum + bytes, 0) / days.length)

/** The state of the image disk. */
export interface Disk {
  storage(): Pick<Status['storage'], 'state' | 'freeBytes' | 'totalBytes'>
  forecast(): DiskForecast
}

/** What a run has removed. */
export interface RunResult {
  readonly studies: number
  readonly bytes: number
}

/**
 * Removes the local files of studies by the rules that are on, once an hour. Each study is examined
 * again in the transaction that marks its files as removed, so nothing that changed since it was
 * listed is removed.
 */
export class Lifecycle implements AsyncDisposable {
  readonly #context: Context
  readonly #disk: Disk
  readonly #worker: Worker
  readonly #readBacks: ReadBacks | undefined
  #nextRunMs: number
  #lastRun: LifecycleOverview['lastRun'] = null
  #running: Promise<RunResult> | undefined
  /** When the disk will be full with the rules that are on. */
  #ruledForecast:
    | { readonly at: number; readonly of: string; readonly fullInDays: number }
    | undefined
  #plan:
    | {
        readonly at: number
        readonly of: string
        readonly removals: Pick<DiskModel, 'leaving' | 'lifetimes'>
      }
    | undefined

  /** @param forwarding reads copies back; undefined in a command without a gateway */
  constructor(
    context: Context,
    disk: Disk,
    forwarding: Pick<Forwarding, 'pull' | 'pulls'> | undefined,
  ) {
    this.#context = context
    this.#disk = disk
    this.#readBacks = forwarding && new ReadBacks(context, forwarding)
    this.#nextRunMs = context.clock() + FIRST_RUN_MS
    this.#worker = new Worker(
      context,
      () => instantOf(this.#nextRunMs),
      async (signal) => {
        if (context.clock() >= this.#nextRunMs) await this.run(signal)
        await this.#updateForecast(signal)
      },
    )
    this.#worker.wake()
  }

  /**
   * When the disk will be full, with the rules that are on. Until every study was examined by them
   * after the start or a change of the rules, and while none is on, it is the forecast without rules.
   */
  forecast(): DiskForecast {
    const forecast = this.#disk.forecast()
    const rules = this.#activeRules()
    if (forecast.fullInDays === null || rules.length === 0) return forecast
    if (this.#ruledForecast?.of === keyOf(rules))
      return { ...forecast, fullInDays: this.#ruledForecast.fullInDays }
    this.#worker.wake()
    return forecast
  }

  /** Once an hour and after a change of the rules, because every study is examined. */
  async #updateForecast(signal: AbortSignal): Promise<void> {
    const now = this.#context.clock()
    const rules = this.#activeRules()
    const of = keyOf(rules)
    const known = this.#ruledForecast
    if (rules.length === 0 || (known?.of === of && now - known.at < RUN_EVERY_MS)) return
    const simulation = await this.#simulate(rules)
    if (signal.aborted || !simulation) return
    // The simulation ends after ten years.
    this.#ruledForecast = { at: now, of, fullInDays: simulation.fullInDays ?? HORIZON_DAYS + 1 }
  }

  #activeRules = (): LifecycleRule[] => listRules(this.#context.database).filter(({ isOn }) => isOn)

  /** What a rule would remove now. @throws ApiError not-found */
  async preview(ruleId: string): Promise<LifecyclePreview> {
    const rule = requireRule(this.#context, ruleId)
    const preview = await previewOf(this.#context, rule, this.#isLow())
    recordRulePreview(this.#context, rule)
    return preview
  }

  /** Runs the rules that are on; a call during a run waits for that one. */
  run(signal?: AbortSignal): Promise<RunResult> {
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(signal: AbortSignal | undefined): Promise<RunResult> {
    const context = this.#context
    this.#nextRunMs = context.clock() + RUN_EVERY_MS
    // Files that could not be deleted before, for example because they were open.
    await finishFileRemovals(context, signal)
    const rules = this.#activeRules()
    let studies = 0
    let bytes = 0
    if (rules.length > 0)
      for await (const study of localStudies(context, signal)) {
        if (studies >= MAX_STUDIES_PER_RUN) break
        const verdicts = rules.map(
          (rule) => [rule, verdictOf(rule, study, context.clock(), this.#isLow())] as const,
        )
        const [rule] = verdicts.find(([, { kind }]) => kind === 'remove') ?? []
        if (!rule) {
          if (verdicts.some(lacksReadBack)) this.#readBacks?.offer(study.studyInstanceUid)
          continue
        }
        const removed = await this.#remove(rule, study.studyInstanceUid)
        if (removed.length === 0) continue
        studies++
        bytes += sumBytes(removed)
      }
    this.#readBacks?.begin()
    this.#lastRun = { at: instantOf(context.clock()), studies, bytes }
    this.#plan = undefined
    if (studies > 0) {
      appendDiskEntry(context, 'plain', message('lifecycle.removed', { studies }))
      notifyImagesChanged(context)
    }
    return { studies, bytes }
  }

  async #remove(
    { ruleId }: LifecycleRule,
    studyInstanceUid: string,
  ): Promise<readonly LocalInstance[]> {
    const { database, clock, imageFiles } = this.#context
    const listed = findStudyFacts(database, studyInstanceUid)?.local ?? []
    return removeLocalFiles(this.#context, listed, () => {
      const rule = findRule(database, ruleId)
      const study = findStudyFacts(database, studyInstanceUid)
      if (!rule?.isOn || !study) return []
      const verdict = verdictOf(rule, study, clock(), this.#isLow())
      if (verdict.kind !== 'remove') return []
      const { instances } = verdict
      // The next run looks at the study again.
      if (instances.some(({ instanceId }) => imageFiles.inUse.has(instanceId))) return []
      markStudyRemoved(database, studyInstanceUid, instantOf(clock()))
      note(this.#context, 'gateway', 'lifecycle.remove', studyInstanceUid, {
        ...{ ruleId, ruleName: rule.name, instances: instances.length },
        bytes: sumBytes(instances),
        places: [...new Set(instances.flatMap(({ places }) => [...places]))].sort(),
      })
      return instances
    })
  }

  /** Runs the rules at the request of a person. */
  async runNow(actor: Actor): Promise<RunResult> {
    this.#context.database.transaction(() => note(this.#context, actor, 'lifecycle.run', 'rules'))
    return this.run()
  }

  /** The rules, and how the disk fills with and without them. */
  async overview(): Promise<LifecycleOverview> {
    const context = this.#context
    const rules = listRules(context.database)
    const { freeBytes, totalBytes } = this.#disk.storage()
    const { fullInDays, days } = this.#disk.forecast()
    const simulation = await this.#simulate(rules.filter(({ isOn }) => isOn))
    return {
      rules,
      disk: {
        ...{ freeBytes, totalBytes, ...sumFiles(context.database), fullInDays },
        receivedPerDay: averageOf(days),
        withRules: simulation ? this.#dated(simulation) : null,
      },
      mayBeConfirmed:
        rules.some(({ readsBack }) => readsBack) ||
        hasObjectStore(context.database) ||
        listDestinations(context.database).some(
          ({ confirmsStorage, isEnabled }) => confirmsStorage && isEnabled,
        ),
      lastRun: this.#lastRun,
    }
  }

  /** Undefined if the rate at which images arrive is unknown, or none arrive. */
  async #simulate(rules: readonly LifecycleRule[]): Promise<DiskSimulation | undefined> {
    const { fullInDays, days, stopBytes } = this.#disk.forecast()
    const receivedPerDay = averageOf(days)
    if (fullInDays === null || !receivedPerDay) return undefined
    const lowBytes = this.#context.settings.get('intake.warnGigabytes') * GIGABYTE
    const removals = await this.#removals(rules)
    const { freeBytes } = this.#disk.storage()
    return simulateDisk({ freeBytes, stopBytes, lowBytes, receivedPerDay, ...removals })
  }

  /** With the days of the clinic. */
  #dated({ fullInDays, weeks }: DiskSimulation): LifecycleOverview['disk']['withRules'] {
    const { clock, settings } = this.#context
    const today = clinicDay(clock(), timeZoneOf(settings.get('clinic.timeZone')))
    return {
      fullInDays,
      fullOn: fullInDays === null ? null : addDays(today, fullInDays),
      weeks: weeks.map((week, index) => ({ from: addDays(today, 7 * index), ...week })),
    }
  }

  /** What the rules will remove. Kept for a while, because every study is examined. */
  async #removals(
    rules: readonly LifecycleRule[],
  ): Promise<Pick<DiskModel, 'leaving' | 'lifetimes'>> {
    const { clock, database } = this.#context
    const now = clock()
    const of = keyOf(rules)
    const known = this.#plan
    if (known?.of === of && Math.abs(now - known.at) < PLAN_CACHE_MS) return known.removals
    const plan = new RemovalPlan(rules, now)
    if (rules.length > 0) for await (const study of localStudies(this.#context)) plan.add(study)
    const removals = plan.result((from, to) =>
      sumRemovedBytes(database, instantOf(from), instantOf(to)),
    )
    this.#plan = { at: now, of, removals }
    return removals
  }

  #isLow(): boolean {
    return ['low', 'full'].includes(this.#disk.storage().state)
  }

  async settled(): Promise<void> {
    await this.#worker.settled()
    await this.#running
    await this.#readBacks?.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]()
    await this.#running
    await this.#readBacks?.[Symbol.asyncDispose]()
  }
}
