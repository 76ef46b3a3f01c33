import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { PART_BYTES } from '#server/modules/tiers/object-store.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { writeInstance } from '../support/instance-file.ts'
import type { TestStore } from '../support/object-store.ts'
import { openObjectStore, openStoredArchive } from '../support/stored-archive.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

/** Each request is one step: half of the rounds before the store receives it, half after. */
const STEPS_APART = perTier(2, 1)
const SMALL_IMAGES = 2
/** Its side, so that it is uploaded in two parts. */
const LARGE_SIDE = Math.ceil(Math.sqrt(PART_BYTES / 2)) + 16

interface Copy {
  readonly objectKey: string
  readonly file: string
  readonly sha256: Buffer
}

/** The copies that the gateway takes for stored. */
function storedCopies(folder: string): Copy[] {
  using context = openContext({ folder })
  return context.database.all(
    rawQuery<Copy>(
      `select c.objectKey, n.file, c.sha256 from tierCopies c join instances n using (instanceId)
       where c.state = 'stored'`,
      [],
    ),
  )
}

function expectComplete(folder: string, store: TestStore, copies: readonly Copy[]): void {
  for (const { objectKey, file, sha256 } of copies) {
    const original = hash('sha256', readFileSync(join(folder, 'images', file)), 'hex')
    expect(sha256.toString('hex')).toBe(original)
    expect(hash('sha256', store.contentOf(objectKey), 'hex')).toBe(original)
  }
}

/** Runs the migration; with `killAt`, it is killed at that request. Whether it was. */
async function run(
  program: string,
  folder: string,
  store: TestStore,
  tier: string,
  killAt?: { readonly request: number; readonly moment: 'before' | 'after' },
): Promise<boolean> {
  const child = spawn(process.execPath, [program, folder, tier], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const counts = { before: 0, after: 0 }
  const step = (moment: keyof typeof counts) => {
    if (++counts[moment] === killAt?.request && moment === killAt.moment) child.kill('SIGKILL')
  }
  store.intervene({ before: () => step('before'), after: () => step('after') })
  const [code, signal] = await once(child, 'close')
  if (signal !== 'SIGKILL') expect(code).toBe(0)
  return signal === 'SIGKILL'
}

it('a gateway that is killed at any step of a migration takes nothing for stored that the store does not have, and finishes it', {
  timeout: 480_000,
}, async () => {
  using temporary = tempFolder()
  const files = Array.from({ length: SMALL_IMAGES }, (_, at) =>
    writeInstance(temporary.folder, { sopInstanceUid: `2.25.100.1.${at + 1}` }),
  )
  const large = { sopInstanceUid: '2.25.100.1.9', size: LARGE_SIDE }
  files.push(writeInstance(temporary.folder, large))
  const archive = await openStoredArchive(files)
  await archive.stop()
  const program = await bundledChild('tier-migrator.ts')
  const store = await openObjectStore()
  let kills = 0
  for (let step = 1; ; step++) {
    const folder = join(temporary.folder, `data-${step}`)
    cpSync(archive.folder, folder, { recursive: true })
    const prefix = `step-${step}/`
    const tier = JSON.stringify(store.tier({}, { prefix }))
    const request = Math.ceil((step * STEPS_APART) / 2)
    const moment = step % 2 === 0 ? 'after' : 'before'
    const wasKilled = await run(program, folder, store, tier, { request, moment })
    expectComplete(folder, store, storedCopies(folder))
    if (!wasKilled) break
    kills++
    await run(program, folder, store, tier)
    const copies = storedCopies(folder)
    expect(copies).toHaveLength(files.length)
    expectComplete(folder, store, copies)
    expect(store.keys().filter((key) => key.startsWith(prefix))).toHaveLength(files.length)
  }
  // At least the requests of one small and one large image.
  expect(kills).toBeGreaterThanOrEqual(8)
})
