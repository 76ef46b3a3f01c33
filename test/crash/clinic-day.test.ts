// First: it takes the place of parts of `fs` before anything of the gateway is loaded.
import '../simulation/disk.ts'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { evidenceCopy } from '../simulation/evidence-copy.ts'
import { failureReport } from '../simulation/failure-report.ts'
import type { Evidence } from '../simulation/promise.ts'
import { PROMISES } from '../simulation/promises.ts'
import { simulate } from '../simulation/simulation.ts'
import { tempFolder } from '../support/temp-store.ts'

// `npm run simulate` goes on with other seeds: an invented clinic a seed, whose promises are
// checked after every step.

// It is all work and no waiting: on a machine that is busy it takes as long as that.
describe('a simulated clinic day', { timeout: 120_000 }, () => {
  it.each([1, 2, 3])('keeps every promise of the architecture: seed %i', async (seed) => {
    const outcome = await simulate({ seed, steps: 40 })
    expect(failureReport(outcome, { steps: 40 })).toBeUndefined()
    expect(outcome.counts.steps).toBe(40)
  })

  it('is the same one again for the same seed, to the word', async () => {
    const one = await simulate({ seed: 4, steps: 30 })
    const again = await simulate({ seed: 4, steps: 30 })
    expect(again.trace).toEqual(one.trace)
    expect(again.hash).toBe(one.hash)
  })
})

/** Changes the database past its own rules. */
function spoil({ reader }: Evidence, statement: string): void {
  const sqlite = new Sqlite(join(reader.folder, DATABASE_FILE))
  for (const name of sqlite
    .prepare("select name from sqlite_master where type = 'trigger'")
    .pluck()
    .all())
    sqlite.exec(`drop trigger "${name}"`)
  sqlite.pragma('foreign_keys = off')
  const { changes } = sqlite.prepare(statement).run()
  sqlite.close()
  expect(changes, statement).toBeGreaterThan(0)
}

function fileOfDevice({ reader }: Evidence): string {
  const [row] = reader.select<{ file: string }>(
    "select file from instances where callingAeTitle like 'CT%' limit 1",
  )
  return join(reader.folder, 'images', row?.file ?? '')
}

/** What each checker has to find. */
const PLANTED: Readonly<Record<string, (evidence: Evidence) => void>> = {
  'Nothing acknowledged is lost: studies': (evidence) =>
    spoil(
      evidence,
      "update studies set severity = case severity when 'stat' then 'high' else 'stat' end",
    ),
  'Nothing acknowledged is lost: reports': (evidence) =>
    spoil(evidence, 'delete from reports where seq = (select min(seq) from reports)'),
  'Nothing signed changes': (evidence) =>
    spoil(evidence, "update reports set sealedText = null where status = 'completed'"),
  'Nothing is delivered twice with different text': ({ ledger: { arrivals } }) => {
    const [first] = arrivals
    if (first) arrivals.push({ ...first, content: first.content.replace('Normal', 'Abnormal') })
  },
  'No row is invented'({ ledger }) {
    const row = {
      studyInstanceUid: '1.2.3',
      stepId: 'S0',
      accessionNumber: 'A0',
      patientId: 'P0',
      patientName: 'X',
      description: '',
    }
    const find = {
      callingAe: 'CT1',
      hidesStarted: false,
      from: '20260309',
      to: '20260309',
      today: '20260309',
      status: '0000',
      isLive: true,
    }
    const rows = [{ ...row, day: '20260309', time: '101500', status: 'SCHEDULED' }]
    ledger.finds.push({ ...find, rows, answers: ledger.answers.length })
  },
  'Nothing about a patient in a log': ({ ledger }) =>
    void ledger.log.push('{"level":30,"msg":"an image of KANAREK1^Bo"}'),
  'Nothing acknowledged is lost: images': (evidence) => appendFileSync(fileOfDevice(evidence), 'x'),
  'Every row has its file, and every file its row': (evidence) => rmSync(fileOfDevice(evidence)),
  'Images of another patient are never merged silently': (evidence) =>
    spoil(evidence, 'delete from imageStudies'),
  'Nothing is committed that is not kept': ({ ledger }) =>
    void ledger.commitments.push({ transactionUid: '1.2', committed: ['1.2.3.4'] }),
  'The audit chain verifies': (evidence) =>
    spoil(evidence, "update auditEntries set action = 'study.read' where seq = 3"),
  'Every notification arrives at last': (evidence) =>
    spoil(evidence, "delete from outbox where kind = 'report.delivered'"),
}

describe('the checkers of the simulation', { timeout: 120_000 }, () => {
  it('find what is planted, each of them', async () => {
    using temp = tempFolder()
    const found: Record<string, readonly [before: readonly string[], after: boolean]> = {}
    await simulate({
      ...{ seed: 11, steps: 60, hasFaults: false },
      atEnd(evidence) {
        for (const [at, { name, check }] of PROMISES.entries()) {
          using copy = evidenceCopy(evidence, join(temp.folder, String(at)), () =>
            Date.parse('2026-03-11T00:00:00.000Z'),
          )
          const before = check(copy)
          PLANTED[name]?.(copy)
          found[name] = [before, check(copy).length > 0]
        }
      },
    })
    expect(found).toEqual(Object.fromEntries(PROMISES.map(({ name }) => [name, [[], true]])))
  })
})
