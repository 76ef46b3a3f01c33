import type { KeptReason, NewLifecycleRule } from '#shared/contract/lifecycle.ts'
import type { Lifetime, PlannedRemoval } from './disk-simulation.ts'
import { evaluateRule, type RuleEvaluation, type StudyFacts } from './evaluation.ts'
import { sumBytes } from './preview.ts'

const DAY_MS = 24 * 60 * 60_000
/** How recent studies are that show what arrives, and what becomes of it. */
const SAMPLE_DAYS = 14
/** Reasons that only a person ends. The others usually end by themselves. */
const LASTING_REASONS: ReadonlySet<KeptReason> = new Set(['legal-hold', 'quarantine', 'mismatch'])

interface AppliedRule extends RuleEvaluation {
  readonly ruleIndex: number
  readonly rule: NewLifecycleRule
  /** When the age is reached (ms). */
  readonly dueAt: number
}

/** Bytes that go at the same time by the same rule. */
interface Batch {
  readonly days: number
  readonly ruleIndex: number
  /** Whether nothing but the age keeps them; the others have a share of the rule that goes. */
  readonly isCertain: boolean
  /** Whether the age will be counted from a report that is not signed yet. */
  readonly isUnsigned: boolean
  bytes: number
}

/** What became of studies of a rule when they reached its age. */
interface Outcomes {
  removable: number
  kept: number
  sure: number
  unsure: number
}

/**
 * Adds up when the rules will remove the files that are here, and what they will make of new ones.
 *
 * A study goes at the age of the soonest rule that nothing but the age holds back. One that waits
 * for a signature, for forwarding or for copies goes with the share of its rule: of the bytes that
 * reached the age in the last 14 days, those that were removed or can be. Where none did, it is the
 * share of the younger studies that already fulfil the rest. One that reached the age and is kept
 * stays, and so does one that only a person can release. New images are like those of the last 14
 * days.
 */
export class RemovalPlan {
  readonly #rules: readonly NewLifecycleRule[]
  readonly #now: number
  readonly #leaving = new Map<string, Batch>()
  readonly #samples = new Map<string, Batch>()
  readonly #outcomes: readonly Outcomes[]
  readonly #signingTotals = { studies: 0, ms: 0 }
  #sampleBytes = 0

  constructor(rules: readonly NewLifecycleRule[], now: number) {
    this.#rules = rules
    this.#now = now
    this.#outcomes = rules.map(() => ({ removable: 0, kept: 0, sure: 0, unsure: 0 }))
  }

  add(study: StudyFacts): void {
    const { receivedAt, signedAt } = study
    if (signedAt !== null) {
      this.#signingTotals.studies++
      this.#signingTotals.ms += Math.max(0, signedAt - receivedAt)
    }
    const isSample = this.#now - receivedAt < SAMPLE_DAYS * DAY_MS
    if (isSample) this.#sampleBytes += sumBytes(study.local.filter(({ isOwn }) => !isOwn))
    const applied = this.#appliedTo(study)
    const outcomes = this.#outcomes[applied?.ruleIndex ?? -1]
    if (!applied || !outcomes) return
    const { ruleIndex, reason, dueAt, since } = applied
    const bytes = sumBytes(applied.instances)
    const isCertain = reason === undefined
    const of = { ruleIndex, isCertain, isUnsigned: since === null, bytes }
    const msUntilDue = dueAt - this.#now
    if (msUntilDue > 0) outcomes[isCertain ? 'sure' : 'unsure'] += bytes
    else if (msUntilDue > -SAMPLE_DAYS * DAY_MS) outcomes[isCertain ? 'removable' : 'kept'] += bytes
    if (isCertain || msUntilDue > 0)
      add(this.#leaving, { ...of, days: Math.max(0, Math.floor(msUntilDue / DAY_MS)) })
    if (isSample)
      add(this.#samples, { ...of, days: Math.max(0, Math.floor((dueAt - receivedAt) / DAY_MS)) })
  }

  /**
   * @param removedBytes sums up the studies received from one time to another (ms) whose files were
   *   removed
   */
  result(removedBytes: (from: number, to: number) => number): {
    readonly leaving: readonly PlannedRemoval[]
    readonly lifetimes: readonly Lifetime[]
  } {
    const now = this.#now
    const shares = this.#rules.map(({ days }, index) => {
      const dueAt = now - days * DAY_MS
      return shareOf(this.#outcomes[index], removedBytes(dueAt - SAMPLE_DAYS * DAY_MS, dueAt))
    })
    const signingDays = Math.round(
      this.#signingTotals.ms / DAY_MS / Math.max(1, this.#signingTotals.studies),
    )
    const removalOf = ({ days, ruleIndex, isCertain, isUnsigned, bytes }: Batch) => ({
      days: days + (isUnsigned ? signingDays : 0),
      bytes: isCertain ? bytes : bytes * (shares[ruleIndex] ?? 0),
      isEarlierWhenLow: this.#rules[ruleIndex]?.isEarlierWhenLow === true,
    })
    const leaving = [...this.#leaving.values()]
      .map(removalOf)
      .map(({ days, ...rest }) => ({ ...rest, inDays: days }))
    // Recent studies that are already removed went by the rule with the shortest age.
    const removed = removedBytes(now - SAMPLE_DAYS * DAY_MS, now)
    const soonest = Math.min(...this.#rules.map(({ days }) => days))
    const total = this.#sampleBytes + removed
    if (total === 0 || this.#rules.length === 0) return { leaving, lifetimes: [] }
    const lifetimes = [...this.#samples.values()]
      .map(removalOf)
      .map(({ bytes, ...rest }) => ({ ...rest, share: bytes / total }))
    if (removed > 0)
      lifetimes.push({ days: soonest, share: removed / total, isEarlierWhenLow: false })
    return { leaving, lifetimes }
  }

  /** The rule that will remove the study; undefined if none will. */
  #appliedTo(study: StudyFacts): AppliedRule | undefined {
    return this.#rules
      .flatMap((rule, ruleIndex): AppliedRule[] => {
        const standing = evaluateRule(rule, study)
        if (!standing || (standing.reason && LASTING_REASONS.has(standing.reason))) return []
        const dueAt = (standing.since ?? study.receivedAt) + rule.days * DAY_MS
        return [{ ...standing, ruleIndex, rule, dueAt }]
      })
      .sort(
        (a, b) =>
          Number(a.reason !== undefined) - Number(b.reason !== undefined) || a.dueAt - b.dueAt,
      )[0]
  }
}

function shareOf(outcomes: Outcomes | undefined, removed: number): number {
  const { removable = 0, kept = 0, sure = 0, unsure = 0 } = outcomes ?? {}
  const reached = removable + removed + kept
  if (reached > 0) return (removable + removed) / reached
  return sure + unsure > 0 ? sure / (sure + unsure) : 0
}

function add(batches: Map<string, Batch>, batch: Batch): void {
  const key = `${batch.days} ${batch.ruleIndex} ${batch.isCertain} ${batch.isUnsigned}`
  const before = batches.get(key)
  if (before) before.bytes += batch.bytes
  else batches.set(key, batch)
}
