import type { Outcome } from './simulation.ts'

/**
 * What was broken, what went before, and how to see it again; undefined where every promise was
 * kept.
 */
export function failureReport(
  { seed, failure, trace }: Outcome,
  { days = 1, steps = 80 } = {},
): string | undefined {
  if (!failure) return undefined
  return [
    `seed ${seed}: broken at step ${failure.step}: ${failure.promise}`,
    `  ${failure.detail}`,
    '',
    ...trace.slice(-30).map((line) => `  ${line}`),
    '',
    `  npm run simulate -- --seed ${seed} --days ${days} --steps ${steps} --trace`,
    '',
  ].join('\n')
}
