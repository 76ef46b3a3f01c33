import { existsSync, renameSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { recoverDataKey } from '#server/database/recovery-key.ts'
import { StoreError } from '#server/database/store-error.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { isBackupName } from '#server/modules/backups/backup-manifest.ts'
import { listBackupEntries } from '#server/modules/backups/restore-staging.ts'
import { instantOf } from '#server/platform/clock.ts'
import { bad } from '#server/platform/finding.ts'
import { dashboardRescue } from '#shared/contract/dashboard-backups.ts'
import { ApiError } from '#shared/errors.ts'
import type { ReplyOf } from '#shared/operation.ts'

/** Prefix of the paths of all rescue operations. */
export const RESCUE_PATH = dashboardRescue.state.path

type Calls = typeof dashboardRescue

import { type Message, message } from '#shared/messages/message.ts'
import type { RescueStaging } from './rescue-staging.ts'

const LIST_LIMIT = 60

/** Registers the operations of the rescue page (`shared/contract/dashboard-backups.ts`). */
export function serveRescue(
  app: HttpApp,
  staging: RescueStaging,
  fault: StoreError,
  version: string,
  onKeyRecovered: () => void,
): void {
  serveAll(app, dashboardRescue, {
    async state() {
      const backupFolder = staging.backupFolder()
      const backups =
        backupFolder === null ? [] : await listBackupEntries(backupFolder).catch(() => [])
      return {
        fault: fault.fault,
        sentence: fault.explanation,
        ...{ version, folder: staging.folder, backupFolder },
        hasDataKey: staging.dataKey() !== undefined,
        backups: backups.slice(0, LIST_LIMIT),
        restore: staging.state,
      }
    },
    look: ({ body }) => findBackupsIn(body.folder),
    preview: ({ body }) => staging.preview(withListFolder(body)),
    restore: ({ body }) => staging.stage(withListFolder(body), 'rescue'),
    recoverKey({ body }) {
      replaceDataKey(staging.folder, staging.clock(), body.recoveryKey)
      onKeyRecovered()
      return { success: true }
    },
  })
}

/** The user may enter the folder of one backup instead of the folder that contains all of them. */
function backupListFolder(folder: string): string {
  const name = basename(folder)
  return isAbsolute(folder) && isBackupName(name) ? dirname(folder) : folder
}

const withListFolder = <B extends { readonly folder?: string | undefined }>(body: B): B =>
  body.folder === undefined ? body : { ...body, folder: backupListFolder(body.folder) }

async function findBackupsIn(typed: string): Promise<ReplyOf<Calls['look']>> {
  const folder = backupListFolder(typed)
  const emptyResult = (sentence: Message, remedy: Message) => ({
    backups: [],
    findings: [bad(sentence, remedy)],
  })
  if (!isAbsolute(folder))
    return emptyResult(message('backups.no-whole-path'), message('backups.no-whole-path-remedy'))
  try {
    const backups = await listBackupEntries(folder)
    return backups.length === 0
      ? emptyResult(message('backups.none-in-folder'), message('backups.none-in-folder-remedy'))
      : { backups: backups.slice(0, LIST_LIMIT), findings: [] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return emptyResult(error.explanation, message('backups.compare-path'))
  }
}

/**
 * Restores `data.key` with the recovery key. A different `data.key` is moved aside, and moved back
 * if the recovery key does not work.
 * @throws ApiError refused, naming `body.recoveryKey`
 */
function replaceDataKey(folder: string, now: number, recoveryKey: string): void {
  const file = join(folder, KEY_FILE)
  const asideFile = `${file}.aside-${instantOf(now).replaceAll(/[:.]/g, '')}`
  const hadKeyFile = existsSync(file)
  try {
    if (hadKeyFile) renameSync(file, asideFile)
    try {
      recoverDataKey(folder, DATABASE_FILE, recoveryKey)
    } catch (error) {
      if (hadKeyFile && !existsSync(file)) renameSync(asideFile, file)
      throw error
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const { explanation } = error
    throw new ApiError('refused', explanation, {
      errors: [{ path: 'body.recoveryKey', message: explanation }],
    })
  }
}
