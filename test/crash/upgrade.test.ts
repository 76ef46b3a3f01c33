import { randomUUID } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { GOLDEN_AT, goldenFolder, type Rows } from '../support/golden.ts'
import { faultsOf, lost, manyRows, migrated, rowsIn, schemaOf } from '../support/golden-checks.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const NEWEST = MIGRATIONS.length
/** The schema that is migrated: every later migration has rows to change. */
const OLDEST = 2
/** The program is killed before each such call; every migration makes more of them than this. */
const CALLS = perTier(3, 1)

/** A folder of schema 2, and copies of it to be migrated. */
function openOriginal(entries: number) {
  const temp = tempFolder()
  const original = join(temp.folder, 'original')
  const before = rowsIn(goldenFolder(original, OLDEST, manyRows(entries)))
  const folder = join(temp.folder, 'copy')
  return {
    ...{ before, entries, folder },
    copy() {
      rmSync(folder, { recursive: true, force: true })
      cpSync(original, folder, { recursive: true })
      return folder
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

/** Expects that the next program opens what a killed one left, with everything in it. */
function expectWhole(on: { folder: string; entries: number; before: Rows }, when: string): void {
  const file = join(on.folder, 'gateway.sqlite')
  {
    using store = openContext({
      folder: on.folder,
      clock: () => Date.parse(GOLDEN_AT),
      uuid: randomUUID,
    })
    expect(store.audit.verify(), when).toEqual({ isIntact: true, entries: on.entries + 1 })
    expect(store.settings.get('clinic.name')).toBe('North Clinic')
  }
  expect(schemaOf(file), when).toBe(NEWEST)
  expect(faultsOf(file), when).toEqual([])
  expect(lost(on.before, rowsIn(file)), when).toEqual([])
}

describe('a program that is killed while it brings the schema up to date', () => {
  it('loses nothing before any call that changes the database or its files', {
    timeout: 240_000,
  }, async () => {
    using on = openOriginal(100)
    const program = await bundledChild('migrating.ts')
    const left = new Set<unknown>()
    for (let call = 0; ; call += CALLS) {
      const { said, signal } = await migrated(on.copy(), { program, killAtCall: call })
      left.add(schemaOf(join(on.folder, 'gateway.sqlite')))
      expectWhole(on, `killed before call ${call}`)
      if (signal === null) {
        expect(said).toEqual(['begins', 'done'])
        break
      }
      expect(signal).toBe('SIGKILL')
    }
    // It was killed before, after and between all the migrations.
    expect([...left]).toEqual(
      Array.from({ length: NEWEST - OLDEST + 1 }, (_, index) => OLDEST + index),
    )
  })

  it('loses nothing at any moment, of a database that takes longer', {
    timeout: 240_000,
  }, async () => {
    using on = openOriginal(2500)
    const program = await bundledChild('migrating.ts')
    const startedAt = performance.now()
    expect((await migrated(on.copy(), { program })).said).toEqual(['begins', 'done'])
    const wholeMs = performance.now() - startedAt
    const left = new Set<unknown>()
    const rounds = perTier(4, 20)
    for (let round = 0; round < rounds; round++) {
      await migrated(on.copy(), { program, killAfterMs: (round / rounds) * wholeMs })
      left.add(schemaOf(join(on.folder, 'gateway.sqlite')))
      expectWhole(on, `round ${round}`)
    }
    // The first was killed at once.
    expect(left).toContain(OLDEST)
  })
})
