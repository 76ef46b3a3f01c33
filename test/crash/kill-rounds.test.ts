import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { killClinic } from '../simulation/kill-rounds/clinic.ts'

// `npm run simulate -- --kills 1000` goes on with other seeds.

const ROUNDS = 2
const TIMEOUT = { timeout: 300_000 }

describe('a gateway that is killed while everybody works on it', TIMEOUT, () => {
  it('has all that it acknowledged, and nothing else', async () => {
    const { counts, breaches } = await killClinic({ seed: 17, rounds: ROUNDS })
    expect(breaches).toEqual([])
    expect(counts.kills).toBeGreaterThanOrEqual(ROUNDS)
    for (const name of ['images', 'creates', 'drafts', 'worklists'] as const)
      expect(counts[name], name).toBeGreaterThan(0)
  })
})

describe('npm run simulate', () => {
  const run = (...words: string[]) => spawnSync(process.execPath, words, { encoding: 'utf8' })
  const simulation = join(import.meta.dirname, '../simulation')

  it('fails where the time is over before all kills are made, and says how many were', () => {
    const { status, stdout, stderr } = run(
      join(simulation, 'kill-rounds/main.ts'),
      '--kills',
      '3',
      '--minutes',
      '0',
    )
    expect([status, stderr.trim()]).toEqual([
      1,
      'The time was over after 0 of 3 kills: allow more --minutes.',
    ])
    expect(stdout).toContain('kept so far: 0 kills')
    expect(stdout).not.toContain('all kept')
  })

  it('takes no empty number of kills', () => {
    expect(run(join(simulation, 'kill-rounds/main.ts'), '--kills', '').status).toBe(2)
  })

  it('fails where the time is over before all rounds that were asked for', () => {
    const { status, stderr } = run(join(simulation, 'main.ts'), '--rounds', '3', '--minutes', '0')
    expect([status, stderr.trim()]).toEqual([
      1,
      'The time was over after 0 of 3 rounds: allow more --minutes.',
    ])
  })
})

/** Changes the database past its own rules. */
function spoil(folder: string, statement: string): void {
  const sqlite = new Sqlite(join(folder, DATABASE_FILE))
  for (const name of sqlite
    .prepare("select name from sqlite_master where type = 'trigger'")
    .pluck()
    .all())
    sqlite.exec(`drop trigger "${name}"`)
  sqlite.pragma('foreign_keys = off')
  expect(sqlite.prepare(statement).run().changes, statement).toBeGreaterThan(0)
  sqlite.close()
}

const filesOf = (folder: string) =>
  readdirSync(join(folder, 'images'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.dcm'))
    .map(({ parentPath, name }) => join(parentPath, name))

describe('its checks find', TIMEOUT, () => {
  it.concurrent.each<[string, (folder: string) => void, RegExp]>([
    [
      'images that are gone',
      (folder) => {
        for (const file of filesOf(folder)) rmSync(file)
      },
      /Nothing acknowledged is lost: images/,
    ],
    [
      'a saved revision that is gone',
      (folder) => spoil(folder, 'delete from reports'),
      /in place of/,
    ],
    [
      'a study that nobody asked for, in place of one that was created',
      (folder) =>
        spoil(
          folder,
          "update studies set studyInstanceUid = '9.9' where seq = (select max(seq) from studies)",
        ),
      /9\.9 was never asked for/,
    ],
  ])('%s', async (_, afterKill, found) => {
    const { breaches } = await killClinic({ seed: 17, rounds: 1, afterKill })
    expect(breaches.join('\n')).toMatch(found)
  })
})
