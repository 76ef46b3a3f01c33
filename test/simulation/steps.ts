import {
  addendum,
  assign,
  beginReport,
  decide,
  downtime,
  look,
  overrideIdentity,
  saveDraft,
  sign,
} from './desk-steps.ts'
import { DISK_FAULTS, disk } from './disk.ts'
import { begin, commit, end, find, release, send, sendAgain, sendCutOff } from './imaging-steps.ts'
import { change, create, leave, patch, plan, repeat } from './partner-steps.ts'
import type { Stage, Told } from './stage.ts'

export interface Step {
  /** How often it is drawn, against the others. */
  readonly weight: number
  /** What the trace says of it; undefined: there was nothing to do, and another one is drawn. */
  readonly run: (stage: Stage) => Told | Promise<Told>
  /** What often comes next: a fault is to be met, and a change to be seen. */
  readonly next?: readonly string[]
  /** Not where nothing goes wrong. */
  readonly isFault?: true
}

const LOOKED_AT = ['find', 'find', 'change', 'leave']
const WRITTEN = [
  'send',
  'send',
  'sendAgain',
  'create',
  'patch',
  'beginReport',
  'saveDraft',
  'sign',
  'begin',
  'end',
  'find',
]

export const STEPS: readonly Step[] = [
  { weight: 9, run: find },
  { weight: 7, run: begin },
  { weight: 15, run: send },
  { weight: 3, run: sendCutOff },
  { weight: 5, run: sendAgain },
  { weight: 4, run: end },
  { weight: 2, run: commit },
  { weight: 2, run: release },
  { weight: 3, run: plan },
  { weight: 5, run: change, next: LOOKED_AT },
  { weight: 3, run: leave, next: LOOKED_AT },
  { weight: 4, run: create },
  { weight: 3, run: repeat },
  { weight: 4, run: patch },
  { weight: 4, run: look },
  { weight: 2, run: assign },
  { weight: 7, run: beginReport },
  { weight: 9, run: saveDraft },
  { weight: 10, run: sign },
  { weight: 4, run: addendum },
  { weight: 2, run: overrideIdentity },
  { weight: 3, run: decide },
  { weight: 1, run: downtime },
  { weight: 2, run: failDisk, next: WRITTEN, isFault: true },
  { weight: 3, run: endSoon, next: WRITTEN, isFault: true },
  { weight: 0.5, run: restart, isFault: true },
]

function failDisk({ random }: Stage): string {
  if (disk.fault === 'full') {
    disk.fault = undefined
    return 'the disk has room again'
  }
  disk.fault = random.pick(DISK_FAULTS)
  return disk.fault === 'full' ? 'the disk is full' : `the disk fails next at: ${disk.fault}`
}

/** Most such moments are of one image or one call. */
function endSoon({ random, lives }: Stage): string {
  const moments = 1 + random.below(random.chance(0.7) ? 30 : 200)
  const isPowerFailure = moments % 2 === 0
  lives.endAt(moments, isPowerFailure)
  return isPowerFailure
    ? `the power fails after ${moments} moments`
    : `the gateway ends after ${moments} moments`
}

async function restart({ lives, devices }: Stage): Promise<string> {
  await lives.restart(() => {
    for (const device of devices) device.hangUp()
  })
  return 'the gateway is restarted'
}

/** The step of that name. */
export function stepNamed(name: string): Step {
  const step = STEPS.find(({ run }) => run.name === name)
  if (!step) throw new Error(`There is no step ${name}`)
  return step
}
