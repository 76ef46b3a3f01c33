import { mutateBytes } from '../mutate.ts'
import { QUICK, type Target } from '../target.ts'
import type { Targets } from '../worker.ts'

/**
 * Readers with a fault each, for the test of the engine: one that finds nothing in them proves
 * nothing elsewhere.
 */
function toy(name: string, run: (input: Buffer) => string, more: Partial<Target> = {}): Target {
  return {
    name,
    ...QUICK,
    mostBytes: 4096,
    testExecutions: 20_000,
    open: () => ({
      seeds: [Buffer.from('TOY\x04abcd')],
      mutate: (input, random, other) =>
        mutateBytes(input, random, { mostBytes: 4096, tokens: [], other }),
      run,
    }),
    ...more,
  }
}

/** A length that is believed. */
function bodyOf(input: Buffer): Buffer {
  if (input.toString('latin1', 0, 3) !== 'TOY') return Buffer.alloc(0)
  const length = input[3] ?? 0
  return input.subarray(4, 4 + length)
}

const kept: Buffer[] = []

export const TARGETS: Targets = {
  sound: async () => toy('sound', (input) => String(bodyOf(input).length > 0)),
  /** Reads behind the end. */
  crash: async () =>
    toy('crash', (input) => {
      const length = input[3] ?? 0
      if (bodyOf(input).length > 0) input.readUInt8(3 + length)
      return 'read'
    }),
  /** Never comes to the end of an element without a length. */
  hang: async () =>
    toy(
      'hang',
      (input) => {
        const isToy = input.toString('latin1', 0, 3) === 'TOY'
        for (let at = 3; isToy && at < input.length; at += input[at] ?? 1);
        return 'read'
      },
      { silentSeconds: 1 },
    ),
  /** Makes room for what the input says it has. */
  memory: async () =>
    toy('memory', (input) => {
      const room = Buffer.alloc(
        input.length >= 8 && input.toString('latin1', 0, 3) === 'TOY' ? (input[3] ?? 0) << 20 : 0,
        1,
      )
      return String(room.length > 1 << 22)
    }),
  /** Keeps what it was given. */
  leak: async () =>
    toy('leak', (input) => {
      kept.push(Buffer.alloc(100_000, input[0]))
      return 'read'
    }),
  /** The square of its length in time. */
  slow: async () =>
    toy(
      'slow',
      (input) => {
        let count = 0
        if (input.length > 2000)
          for (let left = input.length ** 2 * 4; left > 0; left--) count = (count ^ left) & 0xff
        return String(count)
      },
      { slowSeconds: 0.004, silentSeconds: 60 },
    ),
  /** Ends the process, as a fault of a native module would. */
  death: async () =>
    toy('death', (input) => {
      if (bodyOf(input).length > 8) process.kill(process.pid, 'SIGKILL')
      return 'read'
    }),
  /** Throws where nobody can catch it. */
  later: async () =>
    toy('later', (input) => {
      if (bodyOf(input).length > 8)
        setTimeout(() => {
          throw new Error('thrown later')
        }, 1)
      return 'read'
    }),
}
