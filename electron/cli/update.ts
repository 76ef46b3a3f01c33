import { statfsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { note } from '#server/audit-log/audit.ts'
import { openContext } from '#server/context.ts'
import { pendingMigrations } from '#server/database/pending-migrations.ts'
import { StartError } from '#server/http/start-error.ts'
import { lockFolder } from '#server/modules/backups/open-data-directory.ts'
import {
  prepareRequested,
  requestRollback,
  rollbackOf,
  unsupportedRowsMessage,
  versionOrSchema,
} from '#server/modules/backups/way-back.ts'
import { folderPreflight } from '#server/modules/diagnostics/update-preflight.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import { ownPackage, UsageError } from './arguments.ts'
import { PREFLIGHT_OPTIONS, ROLLBACK_OPTIONS } from './options.ts'

const GB = 1e9

/** `preflight`: exit code 1 if this version should not be started on the folder. */
export async function preflight(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: PREFLIGHT_OPTIONS })
  const { data } = values
  if (!data) throw new UsageError('preflight needs --data DIR, the folder of the database.')
  const pending = pendingMigrations(data)
  if (pending.schema > pending.newest)
    throw new StartError(
      message('database.newer-schema', {
        file: data,
        schema: pending.schema,
        known: pending.newest,
      }),
    )
  const { bavail, bsize } = statfsSync(data)
  const { findings, estimate } = await folderPreflight(data, pending, bavail * bsize)
  const { seconds, bytes } = estimate
  const lines = findings.flatMap(({ verdict, sentence, remedy }) => [
    `${verdict.padEnd(5)} ${englishText(sentence)}`,
    ...(remedy ? [`      ${englishText(remedy)}`] : []),
  ])
  const isUpdate = pending.schema < pending.newest
  process.stdout.write(
    `${[
      ...lines,
      isUpdate
        ? `From schema ${pending.schema} to ${pending.newest}: up to ${seconds} s and ${(bytes / GB).toFixed(1)} GB beside the ${(pending.bytes / GB).toFixed(1)} GB of the database.`
        : `The database has schema ${pending.schema} already: nothing has to be migrated.`,
    ].join('\n')}\n`,
  )
  return findings.some(({ verdict }) => verdict === 'bad') ? 1 : 0
}

/** `way-back`: exit code 1 if nothing was changed. */
export async function prepareRollback(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: ROLLBACK_OPTIONS })
  const { data, yes } = values
  if (!data) throw new UsageError('way-back needs --data DIR, the folder of the database.')
  using _lock = await lockFolder(data)
  const found = requestConfirmedRollback(data, yes)
  if (!found) return 1
  if (!prepareRequested(data, Date.now())) {
    using context = openContext({ folder: data })
    const refused = rollbackOf(data, context.database)
    throw new StartError(refused ? unsupportedRowsMessage(refused) : message('backups.no-way-back'))
  }
  process.stdout.write(`The data are ready for version ${found}: install it now.\n`)
  return 0
}

/** The version that was ordered; `undefined` if nothing was. @throws StartError */
function requestConfirmedRollback(data: string, isAgreed: boolean): string | undefined {
  using context = openContext({ folder: data })
  const found = rollbackOf(data, context.database)
  if (!found) throw new StartError(message('backups.no-way-back'))
  const version = versionOrSchema(found)
  if (found.isSameSchema) throw new StartError(message('backups.way-back-same-schema', { version }))
  if (found.unheld.length > 0) throw new StartError(unsupportedRowsMessage(found))
  if (!isAgreed) {
    process.stdout.write(
      `The database would be converted for version ${version}, with everything in it. Nothing was changed. Add --yes to convert it.\n`,
    )
    return undefined
  }
  requestRollback(data, found)
  note(context, 'command-line', 'update.way-back', version, { from: ownPackage().version })
  return version
}
