import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { listFileRemovals } from '#server/modules/images/local-file-queries.ts'
import { Erasures } from '#server/modules/lifecycle/erasures.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { tempFolder } from '../support/temp-store.ts'

const [FIRST, SECOND] = ['1.2.3.1', '1.2.3.2']
/** More than either task has, so that the last round ends by itself. */
const MAX_STEPS = 200

/** Runs the program to its end, or until it is killed at the step. Returns whether it was killed. */
async function run(program: string, folder: string, task: string, killAt?: number) {
  const env = { ...process.env, ...(killAt && { ISTHMUS_TEST_KILL_AT: String(killAt) }) }
  const child = spawn(process.execPath, [program, folder, task], {
    ...{ env, stdio: ['ignore', 'ignore', 'inherit'] },
  })
  const [code, signal] = await once(child, 'close')
  expect([code, signal]).toEqual(signal === 'SIGKILL' ? [null, 'SIGKILL'] : [0, null])
  return signal === 'SIGKILL'
}

/** Kills the task at each of its steps, each time over a fresh copy of the folder. */
async function atEveryStep(
  task: 'remove' | 'erase',
  check: (context: Context, isFinished: boolean) => void,
): Promise<number> {
  using temp = tempFolder()
  const program = await bundledChild('image-remover.ts')
  const prepared = join(temp.folder, 'prepared')
  await run(program, prepared, 'prepare')
  for (let killAt = 1; killAt <= MAX_STEPS; killAt++) {
    const folder = join(temp.folder, 'round')
    rmSync(folder, { recursive: true, force: true })
    cpSync(prepared, folder, { recursive: true })
    const isKilled = await run(program, folder, task, killAt)
    await run(program, folder, 'start')
    using context = openContext({ folder, clock: Date.now, uuid: randomUUID })
    expect(listFileRemovals(context.database, 100)).toEqual([])
    expect([...context.imageFiles.recovery.files()]).toEqual([])
    expect(context.audit.verify().isIntact).toBe(true)
    check(context, !isKilled)
    if (!isKilled) return killAt - 1
  }
  throw new Error('The task has more steps than expected.')
}

interface InstanceRow {
  readonly studyInstanceUid: string
  readonly file: string
  readonly localRemovedAt: string | null
  readonly crc32: number
  readonly dataSetOffset: number
}

const rowsOf = ({ database }: Context) =>
  database.all(rawQuery<InstanceRow>('select * from instances order by instanceId', []))
const filesOf = ({ folder }: Context): string[] =>
  existsSync(join(folder, 'images'))
    ? readdirSync(join(folder, 'images'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.dcm'))
        .map((name) => name.replaceAll('\\', '/'))
        .sort()
    : []

/** Each file that a row names is there and whole, and there is no other. */
function expectWholeFiles(context: Context): void {
  const local = rowsOf(context).filter(({ localRemovedAt }) => localRemovedAt === null)
  expect(filesOf(context)).toEqual(local.map(({ file }) => file).sort())
  for (const { file, crc32: expected, dataSetOffset } of local)
    expect(crc32(readFileSync(context.imageFiles.pathOf(file)).subarray(dataSetOffset))).toBe(
      expected,
    )
}

it('a process that is killed at any step of a removal keeps every row, and each file is either whole or gone', {
  timeout: 480_000,
}, async () => {
  const steps = await atEveryStep('remove', (context, isFinished) => {
    expect(rowsOf(context)).toHaveLength(4)
    expectWholeFiles(context)
    const entries = context.audit
      .list({ limit: 100 })
      .items.filter(({ action }) => action === 'lifecycle.remove')
    for (const study of [FIRST, SECOND]) {
      const removed = rowsOf(context).filter(
        (row) => row.studyInstanceUid === study && row.localRemovedAt !== null,
      )
      // All images of a study or none, and what is removed is written down.
      expect([0, 2]).toContain(removed.length)
      expect(entries.filter(({ target }) => target === study)).toHaveLength(removed.length / 2)
    }
    if (isFinished) expect(filesOf(context)).toEqual([])
  })
  expect(steps).toBeGreaterThanOrEqual(16)
})

it('a process that is killed at any step of an erasure has erased everything after the next start, or nothing', {
  timeout: 480_000,
}, async () => {
  const steps = await atEveryStep('erase', (context, isFinished) => {
    expectWholeFiles(context)
    const of = (study: string) =>
      rowsOf(context).filter(({ studyInstanceUid }) => studyInstanceUid === study).length
    expect(of(SECOND)).toBe(2)
    const erasures = new Erasures(context, async () => [], {
      views: { purge: () => 0 },
      dicomweb: { deleteOrphans: async () => undefined },
      pulls: { isRetrieving: () => false, block: () => new DisposableStack() },
    })
    const [done] = erasures.list()
    if (isFinished) expect(done).toBeDefined()
    if (!done) return expect(of(FIRST)).toBe(2)
    expect(of(FIRST)).toBe(0)
    const { record, isValid, state } = erasures.read(done.erasureId)
    expect([state, isValid]).toEqual(['done', true])
    expect(record?.studies).toMatchObject([
      { studyInstanceUid: FIRST, instances: 2, files: 2, rows: { instances: 2, imageStudies: 1 } },
    ])
  })
  expect(steps).toBeGreaterThanOrEqual(12)
})
