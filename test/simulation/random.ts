import { createHash } from 'node:crypto'

/** Draws that the same seed repeats. */
export interface Random {
  /** From 0 up to, but not, 1: the next one. */
  next(): number
  /** A whole number from 0 up to, but not, `end`. */
  below(end: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  /**
   * The same for the same words, whatever was drawn before: for what happens side by side, in an
   * order that is nobody's.
   */
  of(words: string): number
}

/** sfc32, seeded by a hash. */
export function randomOf(seed: number): Random {
  const start = createHash('sha256').update(`isthmus ${seed}`).digest()
  let [a, b, c, counter] = [start.readUInt32LE(0), start.readUInt32LE(4), start.readUInt32LE(8), 1]
  const next = () => {
    const sum = (a + b + counter) >>> 0
    counter = (counter + 1) >>> 0
    a = (b ^ (b >>> 9)) >>> 0
    b = (c + (c << 3)) >>> 0
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0
    return sum / 2 ** 32
  }
  for (let warm = 0; warm < 12; warm++) next()
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('There is nothing to pick from')
      return list[below(list.length)] as T
    },
    of: (words) =>
      createHash('sha256').update(`${seed} ${words}`).digest().readUInt32LE() / 2 ** 32,
  }
}
