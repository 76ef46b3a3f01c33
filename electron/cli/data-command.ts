import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { StartError } from '#server/http/start-error.ts'
import type { DataCommand } from '#server/modules/control/command.ts'
import { runWithLock } from '#server/modules/control/commands.ts'
import {
  type ControlReply,
  type ControlRequest,
  sendCommand,
} from '#server/modules/control/control.ts'
import { verbatim } from '#shared/messages/message.ts'
import { ownPackage, textFromFile, UsageError } from './arguments.ts'
import { DATA_OPTION } from './options.ts'

const PATIENCE_MS = 15_000
const AGAIN_MS = 100
/**
 * Nobody listened, or nobody read what was sent: a connection whose request was read ends without
 * an error.
 */
const UNTAKEN = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']

/**
 * Runs a data command through the gateway that has the folder open, or under the folder's lock
 * where none has. Resolves with the exit code.
 */
export async function runDataCommand(
  name: string,
  command: DataCommand,
  args: readonly string[],
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { data: DATA_OPTION, ...command.options },
    allowPositionals: true,
    allowNegative: true,
  })
  const { data: folder, ...given } = values as Record<string, string | boolean | string[]> & {
    data?: string
  }
  if (!folder) throw new UsageError(`${name} needs --data DIR, the folder of the database.`)
  const options = Object.fromEntries(
    Object.entries(given).map(([option, value]) => [option, optionValue(command, option, value)]),
  )
  const wantsInput = command.input !== undefined && options[command.input] === true
  const request: ControlRequest = {
    command: name,
    arguments: positionals,
    options,
    input: wantsInput ? await text(process.stdin) : '',
  }
  const reply = await runSomewhere(folder, request)
  const stream = reply.ok ? process.stdout : process.stderr
  if (reply.output) stream.write(`${reply.output}\n`)
  return reply.ok ? 0 : 1
}

/** A list is joined; a file is read here, where its path and the account's rights are known. */
function optionValue(
  { options }: DataCommand,
  name: string,
  value: string | boolean | string[],
): string | boolean {
  if (Array.isArray(value)) return value.join(',')
  if (typeof value === 'boolean' || !options[name]?.isFile) return value
  return value === '' || value === 'none' ? value : textFromFile(`--${name}`, value)
}

/**
 * A gateway that is starting has the lock but not yet the socket, one that is stopping still has
 * the lock: both pass, so it tries again.
 */
async function runSomewhere(folder: string, request: ControlRequest): Promise<ControlReply> {
  for (const end = Date.now() + PATIENCE_MS; ; await wait(AGAIN_MS)) {
    const reply = await runWithLock(folder, request, ownPackage().version)
    if (reply) return reply
    try {
      return await sendCommand(folder, request)
    } catch (error) {
      if (!UNTAKEN.includes(String((error as NodeJS.ErrnoException).code))) throw error
      if (Date.now() > end)
        throw new StartError(
          verbatim(
            `Another process has ${folder} open but does not answer. End it, or try again when it has started.`,
          ),
        )
    }
  }
}
