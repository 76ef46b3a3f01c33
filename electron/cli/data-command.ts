import { dirname } from 'node:path'
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

const TIMEOUT_MS = 15_000
const RETRY_INTERVAL_MS = 100
/**
 * Errors that mean that nothing was listening or the request was not read. If the request was read,
 * the connection ends without an error.
 */
const NOT_RECEIVED_CODES = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']

/**
 * Runs a data command in the gateway that has the folder open, or in this process under the
 * folder's lock if there is none. Resolves with the exit code.
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
  const request: ControlRequest = {
    command: name,
    arguments: positionals,
    options,
    input: await inputOf(name, command, positionals, options),
  }
  const reply = await runInGatewayOrHere(folder, request)
  const stream = reply.ok ? process.stdout : process.stderr
  if (reply.output) stream.write(`${reply.output}\n`)
  return reply.ok ? 0 : 1
}

async function inputOf(
  name: string,
  { input, fileArgument }: DataCommand,
  words: readonly string[],
  options: Readonly<Record<string, string | boolean>>,
): Promise<string> {
  if (input !== undefined && options[input] === true) return await text(process.stdin)
  if (!fileArgument) return ''
  const [file] = words
  if (file === undefined || words.length > 1)
    throw new UsageError(`${name} takes one argument, the name of a file.`)
  const { withSecrets } = await import('./secret-references.ts')
  return withSecrets(textFromFile(name, file), dirname(file))
}

/**
 * Joins a list. A file is read here, where its relative path and the account's permissions apply.
 */
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
 * A gateway that is starting holds the lock but has no socket yet, and one that is stopping still
 * holds the lock, so this retries for a while.
 */
async function runInGatewayOrHere(folder: string, request: ControlRequest): Promise<ControlReply> {
  for (const end = Date.now() + TIMEOUT_MS; ; await wait(RETRY_INTERVAL_MS)) {
    const reply = await runWithLock(folder, request, ownPackage().version)
    if (reply) return reply
    try {
      return await sendCommand(folder, request)
    } catch (error) {
      if (!NOT_RECEIVED_CODES.includes(String((error as NodeJS.ErrnoException).code))) throw error
      if (Date.now() > end)
        throw new StartError(
          verbatim(
            `Another process has ${folder} open but does not answer. End it, or try again when it has started.`,
          ),
        )
    }
  }
}
