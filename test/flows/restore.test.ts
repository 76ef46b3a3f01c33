import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { makeBackup } from '#server/modules/backups/make-backup.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import type { StudyId } from '#shared/ids.ts'
import { isthmus, serving } from '../support/command-line.ts'
import { callerOf, signIn } from '../support/gateway.ts'
import {
  CRITICAL,
  fetchPdf,
  furnishReporting,
  NORMAL,
  newScribeStudy,
  RADIOLOGIST,
  readingWindow,
} from '../support/reporting-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'

// The data of a clinic is backed up, lost, and put back on another PC: every command is a process
// of its own.
vi.setConfig({ testTimeout: 240_000 })

/**
 * What a partner and a reader see of each report: its text, who signed it and when, the bytes of
 * its PDF.
 */
async function seen(http: string, studies: readonly StudyId[]) {
  const reader = await signIn(http, RADIOLOGIST)
  const found = []
  for (const studyId of studies) {
    const { status, reports } = await reader(dashboardReports.read, { params: { studyId } })
    for (const { reportId, text, signedAt, isCritical, isAddendum } of reports) {
      const { url } = await reader(dashboardReports.pdfLink, { params: { reportId } })
      const { sha256, bytes } = await fetchPdf(url)
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
      found.push({ studyId, status, reportId, text, signedAt, isCritical, isAddendum, sha256 })
    }
  }
  return found
}

/**
 * Reports, a recovery key and a backup of them in `target`; more is written after it. The gateway
 * has ended.
 */
async function clinic(folder: string, target: string) {
  const partnerKey = await furnishReporting(folder)
  const recoveryKey = newRecoveryKey()
  const studies: StudyId[] = []
  let reports: Awaited<ReturnType<typeof seen>>
  {
    await using gateway = await serving(folder)
    const partner = callerOf(gateway.http, { authorization: `Bearer ${partnerKey}` })
    const reader = await signIn(gateway.http, RADIOLOGIST)
    for (const [text, isCritical] of [
      [NORMAL, false],
      [CRITICAL, true],
      [NORMAL.replace('Cough', 'Fever'), false],
    ] as const) {
      const { studyId } = await newScribeStudy(partner)
      studies.push(studyId)
      await readingWindow(reader, studyId).report(text, {
        isCritical,
        finding: isCritical ? 'Tension pneumothorax' : null,
      })
    }
    reports = await seen(gateway.http, studies)
    expect(await gateway.end('SIGTERM')).toBe(0)
  }
  using context = openContext({ folder })
  storeRecoveryProof(context)
  keepRecoveryKey(folder, wrapDataKey(context.database.seal, recoveryKey, Date.now()))
  const made = await makeBackup(context, target, 'scheduled', '1')
  context.settings.change({ 'clinic.name': 'Written after the backup' }, 'command-line')
  return {
    partnerKey,
    recoveryKey,
    studies,
    reports,
    from: join(target, made.name),
    entries: made.rows.auditEntries ?? 0,
  }
}

it('gives a new PC the same reports, bit by bit, with the recovery key alone', async () => {
  using old = tempFolder()
  using target = tempFolder()
  using other = tempFolder()
  const { partnerKey, recoveryKey, studies, reports, from, entries } = await clinic(
    old.folder,
    target.folder,
  )
  expect(reports).toHaveLength(3)
  rmSync(old.folder, { recursive: true })

  const data = join(other.folder, 'isthmus')
  const ran = await isthmus(
    ['restore', '--data', data, '--from', from, '--recovery-key-stdin'],
    `${recoveryKey.toLowerCase()}\n`,
  )
  expect(ran).toMatchObject({ exitCode: 0 })
  expect(ran.stdout).toMatch(/was restored to .*isthmus, and the database opens\./)
  expect(ran.stdout).toMatch(/reports +none -> 3\n/)
  expect(ran.stdout).not.toMatch(/replaced files/)
  expect(`${ran.stdout}${ran.stderr}`).not.toContain(recoveryKey)

  await using gateway = await serving(data)
  expect(await seen(gateway.http, studies)).toEqual(reports)
  const owner = await signIn(gateway.http)
  const { entries: trail } = await owner(dashboard.audit, { query: {} })
  expect(trail.find(({ action }) => action === 'database.restore')).toMatchObject({
    actor: 'command-line',
    detail: { keptAside: '' },
  })
  const check = await owner(dashboard.verifyAudit, {})
  expect(check.isIntact).toBe(true)
  expect(check.entries).toBeGreaterThan(entries)
  // The key that was given to the partner still opens the door.
  const partner = callerOf(gateway.http, { authorization: `Bearer ${partnerKey}` })
  expect((await newScribeStudy(partner)).studyId).toMatch(/^stu_/)
})

it('asks before it replaces a database, keeps that aside, and refuses what cannot be', async () => {
  using old = tempFolder()
  using target = tempFolder()
  const { folder } = old
  const { studies, reports, from } = await clinic(folder, target.folder)
  const restore = (...args: readonly string[]) => isthmus(['restore', '--data', folder, ...args])

  expect(await restore('--from', target.folder)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/contains 1 backups\. Name the one.*the newest/),
  })
  expect(await restore('--from', folder)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/is not a backup of Isthmus/),
  })
  expect(await restore()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/--from DIR/),
  })
  const asked = await restore('--from', from)
  expect(asked).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(
      /reports +3 -> 3\n[\s\S]*Nothing was changed\. Add --yes to restore the backup\.\n$/,
    ),
  })
  const wrong = await isthmus(
    ['restore', '--data', folder, '--from', from, '--recovery-key-stdin', '--yes'],
    newRecoveryKey(),
  )
  expect(wrong).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/This is not the recovery key/),
  })
  {
    await using gateway = await serving(folder)
    expect(await restore('--from', from, '--yes')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/A gateway is running on/),
    })
    expect(await gateway.end('SIGTERM')).toBe(0)
  }

  // The database is damaged: the gateway says what to do, and doing that helps.
  const file = join(folder, 'gateway.sqlite')
  truncateSync(file, 100_000)
  await expect(serving(folder)).rejects.toThrow(
    /is damaged .*isthmus restore --data .* --from BACKUP/,
  )
  const done = await restore('--from', from, '--yes')
  expect(done).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/reports +cannot be read -> 3\n/),
  })
  const aside = readdirSync(folder).find((name) => name.startsWith('replaced-')) ?? ''
  expect(done.stdout).toContain(`The replaced files are in ${join(folder, aside)}`)
  expect(existsSync(join(folder, aside, 'gateway.sqlite'))).toBe(true)
  await using gateway = await serving(folder)
  expect(await seen(gateway.http, studies)).toEqual(reports)
})

it('asks for the recovery key where the data key is another one', async () => {
  using old = tempFolder()
  using target = tempFolder()
  using other = tempFolder()
  const { from } = await clinic(old.folder, target.folder)
  expect(await isthmus(['restore', '--data', other.folder, '--from', from])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/Add --recovery-key-stdin/),
  })
  expect(readdirSync(other.folder).filter((name) => name !== 'gateway.lock')).toEqual([])
  writeFileSync(join(from, 'database.sealed'), 'half of it')
  expect(await isthmus(['restore', '--data', old.folder, '--from', from, '--yes'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/is damaged, was changed or was encrypted with another key/),
  })
})
