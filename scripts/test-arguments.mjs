// What `npm test` can run, and what its arguments mean.

/**
 * Every stage: what it needs before it runs, and which results it writes. Stages with the same
 * `run` share one run: the tests of one fill the pauses of the others, which wait for processes,
 * disks and sockets.
 * @type {Record<string, {
 *   readonly needs: readonly ('build' | 'tools' | 'native')[],
 *   readonly reads?: 'vitest' | 'playwright',
 *   readonly run?: 'vitest',
 * }>}
 */
export const STAGES = {
  types: { needs: [] },
  lint: { needs: [] },
  unit: { needs: ['tools', 'native'], reads: 'vitest', run: 'vitest' },
  crash: { needs: ['build', 'tools', 'native'], reads: 'vitest', run: 'vitest' },
  flows: { needs: ['build', 'tools', 'native'], reads: 'vitest', run: 'vitest' },
  interop: { needs: ['build', 'tools', 'native'], reads: 'vitest', run: 'vitest' },
  // Alone: it measures how long the gateway takes to answer while it is attacked.
  attacks: { needs: ['build', 'tools', 'native'], reads: 'vitest' },
  e2e: { needs: ['build', 'tools', 'native'], reads: 'playwright' },
  electron: { needs: ['build'], reads: 'playwright' },
  fuzz: { needs: ['build'] },
  simulate: { needs: [] },
  soak: { needs: ['build'] },
  faults: { needs: ['build', 'tools', 'native'] },
  mutation: { needs: ['build', 'tools', 'native'] },
}

const FULL = ['types', 'lint', 'unit', 'crash', 'flows', 'interop', 'attacks', 'e2e']

/**
 * The stages of each tier. A tier leaves `electron` out where there is no display or no binary of
 * Electron, and says so.
 */
export const TIERS = {
  quick: ['types', 'lint', 'unit'],
  full: FULL,
  nightly: [...FULL, 'electron', 'fuzz', 'simulate', 'soak', 'faults', 'mutation'],
}

/**
 * Reads `[STAGE …] [--tier TIER]`; without stages it is all stages of the tier.
 * @param {readonly string[]} args
 * @returns {{ readonly tier: string, readonly stages: readonly string[], readonly areNamed:
 *   boolean } | { readonly error: string }}
 */
export function parseTestArguments(args) {
  const stages = []
  let tier = 'full'
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '--tier') {
      tier = args[++i] ?? ''
      if (!Object.hasOwn(TIERS, tier)) {
        const known = Object.keys(TIERS).join(', ')
        return { error: `Unknown tier "${tier}". The tiers are ${known}.` }
      }
    } else if (Object.hasOwn(STAGES, arg)) stages.push(arg)
    else {
      const known = Object.keys(STAGES).join(', ')
      return { error: `Unknown test stage "${arg}". The stages are ${known}.` }
    }
  }
  const order = Object.keys(STAGES)
  return {
    tier,
    stages: stages.length > 0 ? order.filter((name) => stages.includes(name)) : TIERS[tier],
    areNamed: stages.length > 0,
  }
}

/**
 * A line for each group of stages of the project that a run leaves out, with the reason.
 * @param {{ readonly stages: readonly string[], readonly areNamed?: boolean }} run
 * @param {Readonly<Record<string, string | undefined>>} lacking what this machine lacks for a stage
 * @returns {string[]}
 */
export function stagesNotRun({ stages, areNamed = false }, lacking = {}) {
  const reasonOf = (name) => {
    if (lacking[name]) return lacking[name]
    if (areNamed) return 'other stages were named'
    const [tier] = Object.entries(TIERS).find(([, names]) => names.includes(name)) ?? []
    const needs =
      name === 'electron'
        ? ', where a display and the Electron binary are: npm run test:electron'
        : ''
    return tier ? `in the tier ${tier}${needs}` : 'in no tier'
  }
  const left = Object.keys(STAGES).filter((name) => !stages.includes(name))
  const reasons = [...new Set(left.map(reasonOf))]
  return reasons.map(
    (reason) =>
      `Not run: ${left.filter((name) => reasonOf(name) === reason).join(', ')} (${reason})`,
  )
}

/**
 * The stages in their order, those of one run together.
 * @param {readonly string[]} stages
 * @returns {string[][]}
 */
export function runsOf(stages) {
  const runs = new Map()
  for (const name of stages) {
    const run = STAGES[name].run ?? name
    runs.set(run, [...(runs.get(run) ?? []), name])
  }
  return [...runs.values()]
}
