import { join } from 'node:path'
import type { CommandContext } from '#server/modules/control/command.ts'
import type { Parts } from '#server/parts.ts'
import { logFilesOf } from '#server/platform/log-file.ts'
import type { Verdict } from '#shared/contract/dashboard-setup.ts'
import { type Finding, ok, warn } from './host-checks.ts'
import { readinessOf } from './readiness.ts'

const WORDS: Readonly<Record<Verdict, string>> = { ok: 'ok', warn: 'note', bad: 'mend' }

type Context = Pick<CommandContext, 'listening' | 'keyStore' | 'running'>

/**
 * What the readiness page shows, one line a check, those to mend first in their word; then where
 * programs and people look after it.
 */
export async function examine(parts: Parts, context: Context): Promise<string[]> {
  const findings = [...(await readinessOf(parts, context)), watching(context), logs(parts, context)]
  return findings.map(
    ({ verdict, sentence, remedy }) =>
      `${WORDS[verdict].padEnd(4)}  ${[sentence, remedy].filter(Boolean).join(' ')}`,
  )
}

const watching = ({ listening }: Context): Finding =>
  listening
    ? ok(
        `Programs that watch the gateway find it at ${listening.http}/healthz, /readyz and /metrics.`,
      )
    : warn('The gateway does not run: nothing answers at /healthz.', 'Start it with serve.')

/** Where the desktop app has it, unless `serve` says something else. */
const LOG = join('logs', 'gateway.log')
const MEGABYTE = 1e6

function logs({ store }: Parts, { running }: Context): Finding {
  if (running && running.logFile === undefined)
    return ok('The log goes to standard error, where the service manager keeps it.')
  const file = running?.logFile ?? join(store.folder, LOG)
  const files = logFilesOf(file)
  const [newest] = files
  if (!newest)
    return running
      ? warn(
          `The log cannot be written to ${file}.`,
          'See whether its folder is there and this account may write to it.',
        )
      : ok(`No log is kept at ${file}.`)
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE
  return ok(
    `The log is ${newest.path}${files.length === 1 ? '' : ` and ${files.length - 1} before it`}, ${megabytes.toFixed(1)} MB.`,
  )
}
