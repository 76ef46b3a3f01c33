import { describe, expect, it, onTestFailed, type TestContext } from 'vitest'
import { needs } from '../support/needs.ts'
import { isNightly, perTier } from '../support/tier.ts'
import { failuresFor, PLANTED } from './power-loss/planted-faults.ts'
import { brokenBy, everyFailure, sample } from './power-loss/power-failures.ts'
import { type Recording, record } from './power-loss/recording.ts'

// A gateway that sets up, receives, reports and backs up runs once under strace. From its system
// calls follows what a disk has at any of them when the power fails: a gateway is started on that,
// and has to keep every promise that was made until then. `ISTHMUS_SEED` repeats the choice.

const SEED = Number(process.env.ISTHMUS_SEED ?? 1)
const SEEDS = perTier([SEED], [SEED, SEED + 1, SEED + 2])

let recording: Promise<Recording> | undefined
function recorded(context: TestContext): Promise<Recording> {
  needs(context, 'strace')
  recording ??= record()
  return recording
}

describe('a power failure', () => {
  it.for(SEEDS)(
    'breaks no promise after calls of every kind: seed %i',
    { timeout: 300_000 },
    async (seed, context) => {
      onTestFailed(() => console.error(`ISTHMUS_SEED=${seed} repeats it`))
      const trace = await recorded(context)
      const failures = sample(trace, { seed, perKind: perTier(1, 6) })
      expect(await brokenBy(trace, failures, { seed })).toEqual([])
    },
  )

  // Registered for the nightly tier alone, because a skipped test fails a run on CI.
  if (isNightly)
    it('breaks no promise after any call', { timeout: 3_600_000 }, async (context) => {
      onTestFailed(() => console.error(`ISTHMUS_SEED=${SEED} repeats it`))
      const trace = await recorded(context)
      expect(await brokenBy(trace, everyFailure(trace, SEED), { seed: SEED })).toEqual([])
    })
})

describe('the power failures', { timeout: 120_000 }, () => {
  it.for(PLANTED)('find this: $name', async (fault, context) => {
    const trace = await recorded(context)
    const planted = fault.plant(trace)
    const found = await brokenBy(planted, failuresFor(fault, planted), { seed: SEED, most: 1 })
    expect(found.flatMap(({ breaches }) => breaches).join('\n')).toMatch(fault.finds)
  })
})
