import type { EventType } from '#shared/contract/webhooks.ts'
import { answerChecks, timingChecks } from './answer-checks.ts'
import { type Check, type CheckGroup, type Finding, GROUPS } from './check.ts'
import { requestChecks } from './request-checks.ts'
import { signatureChecks } from './signature-checks.ts'
import { type ConformanceOptions, Stage } from './stage.ts'

/** Every check, in the order in which they run. Their points add up to 100. */
export const CONFORMANCE_CHECKS: readonly Check[] = [
  ...answerChecks,
  ...timingChecks,
  ...signatureChecks,
  ...requestChecks,
]

export interface CheckResult extends Finding {
  readonly id: string
  readonly group: CheckGroup
  readonly title: string
  readonly clause: string
  readonly points: number
}

export interface ConformanceReport {
  readonly url: string
  readonly events: readonly EventType[]
  /** Points that the partner earned, and that it could earn with these events. */
  readonly earned: number
  readonly points: number
  readonly checks: readonly CheckResult[]
}

/**
 * Plays events to a partner's endpoint: correct ones, slow, malformed and repeated ones, and judges
 * each answer as the gateway would. Nothing is stored here; the partner receives invented patients
 * only.
 * @param onResult called after each check
 */
export async function runConformance(
  options: ConformanceOptions,
  onResult: (result: CheckResult) => void = () => {},
): Promise<ConformanceReport> {
  const stage = new Stage(options)
  const checks: CheckResult[] = []
  for (const { needs, run, ...check } of CONFORMANCE_CHECKS) {
    if (!needs.every((type) => stage.has(type))) continue
    const result = { ...check, ...(await run(stage)) }
    checks.push(result)
    onResult(result)
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    ...{ url: options.url, events: stage.events },
    earned: sum(checks.map(({ earned }) => earned)),
    points: sum(checks.map(({ points }) => points)),
    checks,
  }
}

/** The report for a terminal: failures with everything that is known of them, the rest in a line. */
export function reportText({ url, events, earned, points, checks }: ConformanceReport): string {
  const groups = Object.entries(GROUPS).flatMap(([group, name]) => {
    const own = checks.filter((check) => check.group === group)
    if (own.length === 0) return []
    const reached = own.reduce((total, check) => total + check.earned, 0)
    const possiblePoints = own.reduce((total, check) => total + check.points, 0)
    return ['', `${name}: ${reached} of ${possiblePoints}`, ...own.flatMap(linesOf)]
  })
  return [
    `Conformance of ${url}`,
    `Events: ${events.join(', ')}`,
    `Score: ${earned} of ${points}`,
    ...groups,
  ].join('\n')
}

function linesOf({ id, title, points, earned, clause, sent, answered, remedy }: CheckResult) {
  const head = `  ${earned === points ? 'ok  ' : 'LOST'}  ${`${earned}/${points}`.padEnd(5)} ${title}`
  if (earned === points) return [head]
  return [
    `${head} (${id})`,
    `        Clause:   ${clause}`,
    `        Sent:     ${sent}`,
    `        Answered: ${answered}`,
    `        Remedy:   ${remedy ?? ''}`,
  ]
}
