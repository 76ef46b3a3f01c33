import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { openRecoveryFile, RECOVERY_FILE } from '#server/database/recovery-key.ts'
import { listBackups } from '#server/modules/backups/make-backup.ts'
import { openBackup } from '#server/modules/backups/open-backup.ts'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import { findPerformedStep } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { readReportPdf } from '#server/modules/reports/report-document-queries.ts'
import { listReports } from '#server/modules/reports/report-queries.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { openLog } from '#server/platform/log.ts'
import { openGateway } from '#server/server.ts'
import { newLedger } from '../../simulation/ledger.ts'
import { filesHaveRows, imageFilesIn } from '../../simulation/promises/files-have-rows.ts'
import { imagesKept } from '../../simulation/promises/images-kept.ts'
import { quiet } from '../../simulation/quiet.ts'
import { openReader, type Reader } from '../../simulation/reader.ts'
import { BACKUPS, DATA, traceClock } from './clinic.ts'
import type { Promised } from './recording.ts'

/**
 * Starts the gateway on what a power failure left below `root`, ends it, and says which of the
 * promises it does not keep; a sentence for each. That it does not start is one.
 */
export async function breaches(root: string, promised: readonly Promised[]): Promise<string[]> {
  const folder = join(root, DATA)
  const clock = traceClock()
  const log: string[] = []
  try {
    await using _ = await openGateway({
      ...{ folder, version: '0.0.0', pageFolder: join(root, 'no-page'), clock },
      log: openLog('error', { write: (line) => void log.push(line) }),
      overrides: {
        ...{ 'http.host': '127.0.0.1', 'http.port': 0, 'dimse.host': '127.0.0.1', 'dimse.port': 0 },
        ...{ 'dimse.tlsPort': null, 'backup.dailyAt': null },
      },
    })
    // It looks for what was cut off beside its work.
    await quiet(() => false)
    await unknownFilesMoved(folder)
  } catch (error) {
    return [`The gateway does not start: ${(error as Error).message}`]
  }
  using reader = openReader(folder, clock)
  const integrity = reader.select<{ integrity_check: string }>('pragma integrity_check')[0]
    ?.integrity_check
  const found = [
    ...log.map((line) => `The gateway logged an error: ${line}`),
    ...(integrity === 'ok' ? [] : [`The database is damaged: ${integrity}`]),
    ...(reader.store.audit.verify().isIntact ? [] : ['The chain of the audit trail is broken']),
    ...filesHaveRows.check({ ledger: newLedger(), reader, isEnd: false }),
    ...(readdirSync(join(folder, 'spool')).some((name) => name.endsWith('.part'))
      ? ['A transfer is still in the spool']
      : []),
  ]
  const backups = join(root, BACKUPS)
  // Whoever has lost the data folder takes the newest one that is listed.
  for (const { name } of existsSync(backups) ? await listBackups(backups) : []) {
    const fault = await backupFault(root, reader, name)
    if (fault !== undefined) found.push(`The backup ${name} is listed and does not open: ${fault}`)
  }
  for (const promise of promised) {
    const breach = await breachOf(root, reader, promise)
    if (breach !== undefined) found.push(breach)
  }
  return found
}

/**
 * The gateway reads a file without a row before it moves it, and `quiet` does not see that a file
 * is being closed.
 */
async function unknownFilesMoved(folder: string): Promise<void> {
  const database = new Sqlite(join(folder, DATABASE_FILE), { readonly: true })
  try {
    const hasRow = database.prepare('select 1 from instances where file = ?')
    for (let tries = 0; tries < 100; tries++) {
      if (imageFilesIn(folder).every((file) => hasRow.get(file) !== undefined)) return
      await wait(20)
    }
  } finally {
    database.close()
  }
}

async function breachOf(
  root: string,
  reader: Reader,
  promise: Promised,
): Promise<string | undefined> {
  const { store, select } = reader
  const folder = join(root, DATA)
  switch (promise.kind) {
    case 'image': {
      const { sopInstanceUid, dataSet } = promise
      const ledger = newLedger()
      const about = {
        studyInstanceUid: '',
        callingAeTitle: 'CT1',
        patient: undefined as never,
        isDiscarded: false,
      }
      ledger.instances.push({ ...about, sopInstanceUid, dataSet })
      return imagesKept.check({ ledger, reader, isEnd: false })[0]
    }
    case 'commitment': {
      const lost = promise.committed.filter((uid) => {
        const instance = findCurrentInstance(store.database, uid)
        return !instance || !reader.bytesOf(instance)
      })
      return lost.length === 0 ? undefined : `Storage was committed of ${lost.join(', ')}`
    }
    case 'step':
      return findPerformedStep(store.database, promise.sopInstanceUid)
        ? undefined
        : `The performed step ${promise.sopInstanceUid} is lost`
    case 'study':
      return findStudy(store.database, promise.studyId)
        ? undefined
        : `The study ${promise.studyId} is lost`
    case 'draft': {
      const { draft, signed } = reader.standingOf(promise.studyId)
      return draft?.text === promise.text || signed.includes(promise.text)
        ? undefined
        : `The draft of ${promise.studyId} is lost`
    }
    case 'signed': {
      if (!reader.standingOf(promise.studyId).signed.includes(promise.text))
        return `The report of ${promise.studyId} is lost`
      const [report] = listReports(store.database, promise.studyId)
      const reportId = report?.reportId ?? ''
      if ((readReportPdf(store.database, reportId)?.length ?? 0) === 0)
        return `The PDF of ${reportId} is lost`
      const queued = select(
        'select 1 from outbox where kind = ? and subject = ?',
        'report.delivered',
        reportId,
      )
      return queued.length === 1
        ? undefined
        : `The delivery of ${reportId} is queued ${queued.length} times`
    }
    case 'recovery-key': {
      const key = store.database.seal.exportKey()
      const file = join(folder, RECOVERY_FILE)
      try {
        return openRecoveryFile(file, promise.recoveryKey).dataKey.equals(key)
          ? undefined
          : `${RECOVERY_FILE} has another key`
      } catch (error) {
        return `The recovery key opens nothing: ${(error as Error).message}`
      }
    }
    case 'backup':
      // Those that are there were opened.
      return (await listBackups(join(root, BACKUPS))).some(({ name }) => name === promise.name)
        ? undefined
        : `The backup ${promise.name} is lost`
  }
}

async function backupFault(
  root: string,
  { store }: Reader,
  name: string,
): Promise<string | undefined> {
  try {
    const to = join(root, 'opened', name)
    await openBackup(join(root, BACKUPS, name), to, { dataKey: store.database.seal.exportKey() })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
