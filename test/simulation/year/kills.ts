import type { Random } from '../random.ts'
import type { MigrationPeers, Step } from './steps.ts'

/** A kill of the gateway. */
export interface Kill {
  /** What the gateway is doing. */
  readonly name: string
  /** Whether it comes at a step of a migration, which is waited for. */
  readonly isStep?: boolean
  /** The gateway has started. What is returned calls it off. */
  readonly arm: (kill: () => void) => () => void
  /** The rules have been asked to run. */
  readonly inRun?: (gateway: { kill(signal: 'SIGKILL'): boolean }) => void
}

/** A kill comes within this time after the start, and after the request to run the rules. */
const LONGEST_LIFE_MS = 4000
const LONGEST_RUN_MS = 60

export const killedAtStep = (step: Step, peers: MigrationPeers, n: number): Kill => ({
  name: step.name,
  isStep: true,
  arm: (kill) => step.watch(peers, n, kill),
})

export function killedLater(random: Random): Kill {
  const afterMs = random.below(LONGEST_LIFE_MS)
  return {
    name: 'at any time',
    arm(kill) {
      const timer = setTimeout(kill, afterMs)
      return () => clearTimeout(timer)
    },
  }
}

export function killedInRun(random: Random): Kill {
  const afterMs = random.below(LONGEST_RUN_MS)
  return {
    name: 'while files are removed by a rule',
    arm: () => () => {},
    inRun: (gateway) => void setTimeout(() => gateway.kill('SIGKILL'), afterMs),
  }
}
