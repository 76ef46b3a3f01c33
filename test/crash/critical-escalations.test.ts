import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { listDueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { listResultsBelowStep } from '#server/modules/reports/critical-escalation-queries.ts'
import { insertCriticalResult } from '#server/modules/reports/report-queries.ts'
import { createStudy } from '#server/modules/studies/service.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ESCALATION_MAIL } from '#shared/contract/mail.ts'
import { newKey, newUser } from '../support/callers.ts'
import { serving } from '../support/command-line.ts'
import { PROGRAM, PROGRAM_ENVIRONMENT } from '../support/program.ts'
import { completedReport } from '../support/reports.ts'
import { tempDataFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

// The steps of a critical result, their audit entries and the mail are one transaction
// (decision 0044): the gateway is killed at its start, when it escalates what is overdue.

const RESULTS = 40
const KILLS = perTier(6, 60)
const HOUR_MS = 60 * 60_000

/** Critical results that were signed more than an hour ago and not communicated. */
function furnish(context: Context): void {
  context.settings.change(
    {
      ...{ 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0 },
      'criticals.communicateMinutes': 1440,
      'criticals.escalationAddresses': ['chief@clinic.example'],
    },
    'command-line',
  )
  const key = newKey(context)
  const { userId } = newUser(context)
  const openedAt = instantOf(Date.now() - HOUR_MS - 60_000)
  for (let n = 0; n < RESULTS; n++) {
    const { studyId } = createStudy(context, key, 'scribe', {
      ...{ studyInstanceUid: `1.2.${n + 1}`, studyDescription: 'CT CHEST', severity: 'normal' },
    }).record
    const reportId = completedReport(context, { studyId, userId, isCritical: true })
    const about = { finding: 'Free air', communicatedAt: null, communication: null }
    insertCriticalResult(context.database, { reportId, studyId, openedAt, ...about })
  }
}

/** Results that have reached the first step, entries about it, and mails that wait. */
function standing(folder: string) {
  using context = openContext({ folder })
  const entries = context.audit
    .list({ limit: 1000 })
    .items.filter(({ action }) => action === 'critical.escalate')
    .map(({ target }) => target)
  return {
    escalated: RESULTS - listResultsBelowStep(context.database, 1).length,
    entries,
    mails: listDueOutboxJobs(context.database, ESCALATION_MAIL, '9999-01-01T00:00:00.000Z', 99)
      .length,
  }
}

/** Starts the gateway and kills it after so many ms. */
async function killedAfter(folder: string, ms: number): Promise<void> {
  const words = ['serve', '--data', folder, '--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0']
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: PROGRAM_ENVIRONMENT,
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await Promise.race([wait(ms), exited])
  child.kill('SIGKILL')
  await exited
}

it('are escalated all together or not at all where the gateway is killed, and once', async () => {
  using temp = tempDataFolder()
  const { folder } = temp
  {
    using context = openContext({ folder })
    furnish(context)
  }
  const began = performance.now()
  // Nothing is due yet: how long a start takes.
  await (await serving(folder)).end('SIGKILL')
  const startMs = performance.now() - began
  expect(standing(folder)).toEqual({ escalated: 0, entries: [], mails: 0 })
  {
    using context = openContext({ folder })
    context.settings.change({ 'criticals.communicateMinutes': 60 }, 'command-line')
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await killedAfter(folder, startMs * (0.5 + (0.6 * kill) / KILLS))
    const { escalated, entries, mails } = standing(folder)
    expect([0, RESULTS]).toContain(escalated)
    expect([entries.length, mails]).toEqual([escalated, escalated === 0 ? 0 : 1])
  }
  await (await serving(folder)).end('SIGTERM')
  const { escalated, entries } = standing(folder)
  expect([escalated, entries.length, new Set(entries).size]).toEqual([RESULTS, RESULTS, RESULTS])
})
