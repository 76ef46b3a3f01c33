import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { needing } from '../support/needs.ts'
import { perTier } from '../support/tier.ts'

// A short run of `npm run soak`: what leaks at each turn shows here too. Its memory is still
// settling: it may grow by more than in a long one.

const MAIN = join(import.meta.dirname, '../../scripts/soak/main.mjs')
const GROWTH = 1.3
/** Half of the associations store an image, a quarter ask for the worklist. */
const [ASSOCIATIONS, CALLS, EVENTS] = perTier([60, 600, 12], [300, 3000, 50])

interface Soaked {
  readonly done: Readonly<Record<string, number>>
  readonly before: AtRest
  readonly after: AtRest
  readonly samples: readonly unknown[]
  readonly metrics: Readonly<Record<string, number>>
}
interface AtRest {
  /** MiB. */
  readonly rss: number
  readonly descriptors: number
  /** What they lead to. */
  readonly open: Readonly<Record<string, number>>
}

it(`takes ${ASSOCIATIONS} associations, ${CALLS} calls and ${EVENTS} events without leaving a descriptor open or growing`, {
  ...needing('linux'),
  timeout: 600_000,
}, async () => {
  const words = [
    '--associations',
    String(ASSOCIATIONS),
    '--calls',
    String(CALLS),
    '--events',
    String(EVENTS),
    '--json',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words], {
    maxBuffer: 1 << 26,
  })
  const { done, before, after, samples, metrics } = JSON.parse(
    stdout.trim().split('\n').at(-1) ?? '',
  ) as Soaked
  expect(done).toEqual({ associations: ASSOCIATIONS, calls: CALLS, events: EVENTS })
  expect(metrics).toMatchObject({
    'isthmus_associations_total{outcome="accepted"}': ASSOCIATIONS,
    'isthmus_associations_total{outcome="rejected"}': 0,
    'isthmus_c_store_instances_total{outcome="success"}': ASSOCIATIONS / 2,
    'isthmus_c_find_total{outcome="success"}': ASSOCIATIONS / 4,
    'isthmus_webhook_calls_total{event="report.delivered",outcome="accepted"}': EVENTS,
  })
  expect(after.open).toEqual(before.open)
  expect(after.descriptors).toBe(before.descriptors)
  expect(samples.length).toBeGreaterThan(0)
  expect(after.rss / before.rss).toBeLessThan(GROWTH)
})
