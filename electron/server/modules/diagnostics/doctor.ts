import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import type { ListenerAddresses } from '#server/modules/devices/listeners.ts'
import type { Lifecycle } from '#server/modules/lifecycle/lifecycle.ts'
import { type Finding, ok, warn } from '#server/platform/finding.ts'
import { logFilesOf } from '#server/platform/log-file.ts'
import type { Verdict } from '#shared/contract/dashboard-setup.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { englishText } from '#shared/messages/english.ts'
import { sentences, verbatim } from '#shared/messages/message.ts'
import { readinessOf } from './readiness.ts'

const VERDICT_LABELS: Readonly<Record<Verdict, string>> = { ok: 'ok', warn: 'note', bad: 'fix' }

/**
 * The checks of the System status page, one line each, followed by the monitoring addresses and the
 * log.
 * @param gateway `undefined` if none is running
 */
export async function runDoctor(
  context: Context,
  listening: ListenerAddresses | undefined,
  keyStore: KeyStoreState | undefined,
  gateway:
    | { readonly logFile: string | undefined; readonly lifecycle: Pick<Lifecycle, 'forecast'> }
    | undefined,
): Promise<string[]> {
  const forecast = gateway?.lifecycle.forecast()
  const findings = [
    ...(await readinessOf(context, { listening, keyStore, forecast })),
    monitoringFinding(listening),
    logFinding(context, gateway),
  ]
  return findings.map(
    ({ verdict, sentence, remedy }) =>
      `${VERDICT_LABELS[verdict].padEnd(4)}  ${englishText(sentences(sentence, remedy ?? undefined))}`,
  )
}

const monitoringFinding = (listening: ListenerAddresses | undefined): Finding =>
  listening
    ? ok(verbatim(`Monitoring programs can use ${listening.http}/healthz, /readyz and /metrics.`))
    : warn(
        verbatim('The gateway is not running, so /healthz does not respond.'),
        verbatim('Start it with the command serve.'),
      )

/** Default log file of the desktop app. */
const LOG_FILE = join('logs', 'gateway.log')
const MEGABYTE = 1e6

function logFinding(
  context: Context,
  gateway: { readonly logFile: string | undefined } | undefined,
): Finding {
  if (gateway && gateway.logFile === undefined)
    return ok(verbatim('The log goes to standard error, where the service manager keeps it.'))
  const file = gateway?.logFile ?? join(context.folder, LOG_FILE)
  const files = logFilesOf(file)
  const [newest] = files
  if (!newest)
    return gateway
      ? warn(
          verbatim(`The log cannot be written to ${file}.`),
          verbatim('Check that its folder exists and this account may write to it.'),
        )
      : ok(verbatim(`No log is kept at ${file}.`))
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE
  const others = files.length === 1 ? '' : ` and ${files.length - 1} before it`
  return ok(verbatim(`The log is ${newest.path}${others}, ${megabytes.toFixed(1)} MB.`))
}
