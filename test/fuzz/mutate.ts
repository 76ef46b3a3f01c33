import type { Random } from './random.ts'

/** What changes bytes without knowing what they mean. */
export interface ByteRules {
  readonly mostBytes: number
  /** Words of the format, put in and written over others. */
  readonly tokens: readonly Buffer[]
  /** Of another input of the corpus. */
  readonly other: () => Buffer
}

type Change = (bytes: Buffer, random: Random, rules: ByteRules) => Buffer

const concat = Buffer.concat
const put = (bytes: Buffer, at: number, more: Buffer, over = 0): Buffer =>
  concat([bytes.subarray(0, at), more, bytes.subarray(at + over)])

/** A stretch of the bytes; mostly a short one. */
function stretch(bytes: Buffer, random: Random): readonly [at: number, length: number] {
  const at = random.below(bytes.length + 1)
  const room = bytes.length - at
  return [at, random.below(1 + (random.isOnce(4) ? room : Math.min(room, 32)))]
}

/** Lengths that readers get wrong. */
function lengths(bytes: Buffer, at: number, was: number, random: Random): number {
  const rest = bytes.length - at
  return random.of(
    [
      0, 1, 2, 3, 0x7f, 0xff, 0x7fff, 0xfffe, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe,
      0xffffffff,
    ].concat([
      was + 1,
      was - 1,
      was + 2,
      was * 2,
      was >>> 1,
      rest,
      rest - 1,
      rest - 4,
      rest + 1,
      random.below(70_000),
    ]),
  )
}

const CHANGES: readonly Change[] = [
  function flipBit(bytes, random) {
    const changed = Buffer.from(bytes)
    const at = random.below(bytes.length)
    if (at < bytes.length) changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
    return changed
  },
  function setByte(bytes, random) {
    const changed = Buffer.from(bytes)
    const at = random.below(bytes.length)
    if (at < bytes.length)
      changed[at] = random.of([0, 1, 0x20, 0x7f, 0x80, 0xfe, 0xff, random.below(256)])
    return changed
  },
  /**
   * A number of 2 or 4 bytes in either order becomes another: length fields more often than not.
   */
  function setNumber(bytes, random) {
    const width = random.of([2, 2, 4, 4, 4])
    if (bytes.length < width) return bytes
    const changed = Buffer.from(bytes)
    const at = random.below(bytes.length - width + 1)
    const isBig = random.isOnce(2)
    const was = isBig ? bytes.readUIntBE(at, width) : bytes.readUIntLE(at, width)
    const value = lengths(bytes, at + width, was, random) >>> 0
    if (isBig) changed.writeUIntBE(width === 2 ? value & 0xffff : value, at, width)
    else changed.writeUIntLE(width === 2 ? value & 0xffff : value, at, width)
    return changed
  },
  function insertBytes(bytes, random) {
    return put(bytes, random.below(bytes.length + 1), random.bytes(1 + random.below(16)))
  },
  function removeStretch(bytes, random) {
    const [at, length] = stretch(bytes, random)
    return put(bytes, at, Buffer.alloc(0), length)
  },
  function doubleStretch(bytes, random) {
    const [at, length] = stretch(bytes, random)
    return put(bytes, at, bytes.subarray(at, at + length))
  },
  /** A few bytes many times, up to what an input may be: what is quadratic shows. */
  function repeatStretch(bytes, random, { mostBytes }) {
    const at = random.below(bytes.length + 1)
    const piece = bytes.subarray(at, at + 1 + random.below(random.of([1, 4, 24])))
    if (piece.length === 0) return bytes
    const room = Math.max(0, mostBytes - bytes.length)
    const times = random.below(
      1 + Math.floor((random.isOnce(3) ? room : Math.min(room, 2000)) / piece.length),
    )
    return put(bytes, at, Buffer.alloc(times * piece.length, piece))
  },
  function swapStretches(bytes, random) {
    const [at, length] = stretch(bytes, random)
    const to = random.below(bytes.length - length + 1)
    return put(put(bytes, at, Buffer.alloc(0), length), to, bytes.subarray(at, at + length))
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1))
  },
  function zero(bytes, random) {
    const [at, length] = stretch(bytes, random)
    return put(bytes, at, Buffer.alloc(length, random.of([0, 0xff, 0x20])), length)
  },
  function splice(bytes, random, { other }) {
    const [more, at] = [other(), random.below(bytes.length + 1)]
    const [from, length] = stretch(more, random)
    const piece = random.isOnce(3) ? more.subarray(from) : more.subarray(from, from + length)
    return random.isOnce(2) ? concat([bytes.subarray(0, at), piece]) : put(bytes, at, piece)
  },
  function token(bytes, random, { tokens }) {
    if (tokens.length === 0) return bytes
    const word = random.of(tokens)
    return put(bytes, random.below(bytes.length + 1), word, random.isOnce(2) ? word.length : 0)
  },
]

/** The input with one to six changes. */
export function mutateBytes(input: Buffer, random: Random, rules: ByteRules): Buffer {
  let bytes = input
  for (let left = 1 + random.below(random.of([1, 2, 6])); left > 0; left--)
    bytes = random.of(CHANGES)(bytes, random, rules)
  return Buffer.from(bytes.subarray(0, rules.mostBytes))
}
