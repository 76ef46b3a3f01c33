/**
 * Numbers that look random and come again from the same seed (mulberry32: 32 bits of state are
 * enough for choices).
 */
export interface Random {
  /** A whole number from 0 on, below `below`; 0 where there is none. */
  below(below: number): number
  /** One of them. */
  of<T>(choices: readonly T[]): T
  /** True once in so many times. */
  isOnce(inTimes: number): boolean
  bytes(length: number): Buffer
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (most: number) => (most <= 1 ? 0 : next() % most)
  return {
    below,
    of(choices) {
      if (choices.length === 0) throw new RangeError('nothing to choose from')
      return choices[below(choices.length)] as (typeof choices)[number]
    },
    isOnce: (inTimes) => below(inTimes) === 0,
    bytes(length) {
      const bytes = Buffer.allocUnsafe(length)
      for (let at = 0; at < length; at++) bytes[at] = next() & 0xff
      return bytes
    },
  }
}

/**
 * FNV-1a: a seed for what an input decides by itself, such as how it is cut, so that the input
 * alone repeats a run.
 */
export function hashOf(bytes: Buffer): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** The bytes in pieces of any length, some of them one byte long; the same for the same bytes. */
export function piecesOf(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = []
  const most = random.of([1, 2, 7, 64, 700, bytes.length])
  // A long input byte by byte takes longer than it teaches.
  const least = Math.ceil(bytes.length / 2000)
  for (let at = 0; at < bytes.length; ) {
    const length = Math.max(least, 1 + random.below(Math.max(1, most)))
    pieces.push(Buffer.from(bytes.subarray(at, at + length)))
    at += length
  }
  return pieces
}
