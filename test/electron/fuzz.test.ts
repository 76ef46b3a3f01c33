import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { corpusOf } from '../fuzz/corpus.ts'
import { mutateBytes } from '../fuzz/mutate.ts'
import { mutateJson } from '../fuzz/mutate-json.ts'
import { piecesOf, randomOf } from '../fuzz/random.ts'
import { fuzz } from '../fuzz/supervise.ts'
import { TARGET_NAMES } from '../fuzz/targets/targets.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const SEED = 20_261_122
const TOYS = join(import.meta.dirname, '..', 'fuzz', 'toys', 'toys.ts')
/** A machine under load is slow, and no target is. */
const PATIENCE = 6

describe('what reads foreign bytes', () => {
  // One process for all of them: each by itself would start the gateway's modules anew.
  it('takes the whole corpus and a fixed number of inputs made of it', {
    timeout: perTier(300_000, 3_600_000),
  }, async () => {
    using temp = tempFolder()
    const { ran, failures } = await fuzz({
      targets: TARGET_NAMES,
      seed: SEED,
      patience: PATIENCE,
      failures: temp.folder,
    })
    expect(
      failures.map(({ target, why, stack, path }) => ({
        target,
        why,
        stack,
        input: readFileSync(path).toString('base64').slice(0, 2000),
      })),
    ).toEqual([])
    expect(ran.map(({ target }) => target)).toEqual(TARGET_NAMES)
    for (const { target, executions, given, outcomes } of ran) {
      expect({ target, executions }).toMatchObject({
        executions: expect.toSatisfy((count: number) => count > given),
      })
      // A target that always says the same looks at nothing.
      expect({ target, outcomes: Object.keys(outcomes).length }).toMatchObject({
        outcomes: expect.toSatisfy((count: number) => count >= 5),
      })
    }
  })

  it('has a corpus for each target', () => {
    const sizes = TARGET_NAMES.map((target) => ({ target, inputs: corpusOf(target) }))
    expect(sizes.filter(({ inputs }) => inputs.length < 5).map(({ target }) => target)).toEqual([])
    expect(
      sizes.flatMap(({ inputs }) => inputs).filter(({ bytes }) => bytes.length > 64 << 10),
    ).toEqual([])
  })
})

describe('the fuzzer', () => {
  it.each([
    ['crash', /RangeError|ERR_OUT_OF_RANGE|out of range/],
    ['hang', /hangs/],
    ['memory', /MiB of memory/],
    ['leak', /keeps \d+ MiB/],
    ['slow', /processor time/],
    ['death', /process died/],
    ['later', /thrown later/],
  ])(
    'finds the %s that is planted in a toy, and keeps the input that shows it again',
    { timeout: 120_000 },
    async (target, why) => {
      using temp = tempFolder()
      const options = {
        targets: [target],
        module: TOYS,
        corpus: temp.folder,
        failures: temp.folder,
        mostFailures: 1,
      }
      const { failures } = await fuzz({ ...options, seed: SEED })
      const [first] = failures
      expect(first?.why).toMatch(why)
      expect(first?.command).toMatch(/^npm run fuzz -- --target \w+ --input .+\.bin$/)
      // What is kept is not of one input, and what is thrown later may come while the next one
      // runs.
      if (target === 'leak' || target === 'later') return
      const again = await fuzz({ ...options, seed: 1, input: readFileSync(first?.path ?? '') })
      expect(again.failures.map((failure) => failure.why)).toEqual([expect.stringMatching(why)])
    },
  )

  it('finds nothing in a sound toy, and says how much it tried', { timeout: 60_000 }, async () => {
    using temp = tempFolder()
    const { ran, failures } = await fuzz({
      targets: ['sound'],
      module: TOYS,
      corpus: temp.folder,
      failures: temp.folder,
      seed: SEED,
      executions: 3000,
    })
    expect({ failures, ran }).toMatchObject({
      failures: [],
      ran: [{ target: 'sound', executions: 3000, outcomes: { true: expect.any(Number) } }],
    })
  })

  it('makes the same inputs of the same seed, and others of another', () => {
    const made = (seed: number) => {
      const random = randomOf(seed)
      const rules = {
        mostBytes: 5000,
        tokens: [Buffer.from('T')],
        other: () => Buffer.from('another'),
      }
      return Array.from({ length: 300 }, () =>
        mutateBytes(Buffer.from('an input of some length'), random, rules).toString('hex'),
      )
    }
    expect(made(1)).toEqual(made(1))
    expect(made(1)).not.toEqual(made(2))
    expect(new Set(made(1)).size).toBeGreaterThan(200)
  })

  it('cuts an input into pieces that are the input', () => {
    const bytes = randomOf(3).bytes(5000)
    for (let seed = 0; seed < 50; seed++)
      expect(Buffer.concat(piecesOf(bytes, randomOf(seed))).equals(bytes)).toBe(true)
  })

  it('changes documents into documents', () => {
    const random = randomOf(5)
    const document = { a: [1, { b: 'text' }], c: null }
    const made = Array.from({ length: 500 }, () =>
      JSON.stringify(mutateJson(document, random, () => [7])),
    )
    expect(new Set(made).size).toBeGreaterThan(250)
    expect(document).toEqual({ a: [1, { b: 'text' }], c: null })
  })
})
