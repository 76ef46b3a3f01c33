import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { userErrorText } from '#server/http/start-error.ts'
import { lockFolder } from '#server/modules/backups/open-data-directory.ts'
import { followLog, type Replica, readReplica } from '#server/modules/backups/replica.ts'
import { takeOver } from '#server/modules/backups/take-over.ts'
import { UsageError } from './arguments.ts'
import { REPLICATE_OPTIONS, TAKE_OVER_OPTIONS } from './options.ts'
import { readRecoveryKey } from './recovery.ts'

const INTERVAL_MS = 5000

const FOLDERS_REQUIRED =
  'needs --data DIR, the folder of the copy, and --from DIR, the folder that the other gateway is copied to.'

/**
 * `replicate`: applies what arrived every few seconds, until the process is ended or the folder was
 * taken over. Each of its errors is printed once; the next round tries again.
 */
export async function replicate(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: REPLICATE_OPTIONS })
  const { data, from, once } = values
  if (!data || !from) throw new UsageError(`replicate ${FOLDERS_REQUIRED}`)
  const recoveryKey = values['recovery-key-stdin'] ? await readRecoveryKey() : undefined
  const round = () => followLocked(data, from, recoveryKey)
  let printed = ''
  const print = (line: string) => {
    if (line !== printed) process.stdout.write(`${line}\n`)
    printed = line
  }
  if (once) {
    print(stateOf(await round()))
    return 0
  }
  print(stateOf(await round()))
  for (;;) {
    await wait(INTERVAL_MS)
    if (existsSync(join(data, DATABASE_FILE)) && !readReplica(data)) {
      print(`${data} was taken over and follows no gateway any more.`)
      return 0
    }
    try {
      await round()
    } catch (error) {
      const sentence = userErrorText(error)
      if (sentence === undefined) throw error
      print(sentence)
    }
  }
}

/** The lock is held for one round only, so that `take-over` can be run at any time. */
async function followLocked(data: string, from: string, recoveryKey?: string): Promise<Replica> {
  using _lock = await lockFolder(data)
  return await followLog(data, from, recoveryKey)
}

const stateOf = ({ backup, upTo }: Replica) =>
  `Following from the backup ${backup}; everything up to ${upTo} is here.`

/** `take-over`: exit code 1 if the folder still follows the old gateway. */
export async function takeOverCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: TAKE_OVER_OPTIONS })
  const { data, from } = values
  if (!data || !from) throw new UsageError(`take-over ${FOLDERS_REQUIRED}`)
  await takeOver({
    data,
    from,
    recoveryKey: values['recovery-key-stdin'] ? await readRecoveryKey() : undefined,
    host: hostname(),
    isOldGatewayOff: values['old-is-off'] === true,
    now: Date.now,
    report: (sentence) => process.stdout.write(`${sentence}\n`),
  })
  process.stdout.write(`Ready to serve: isthmus serve --data ${data}\n`)
  return 0
}
