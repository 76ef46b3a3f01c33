import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import type { GatewayOptions } from '#server/modules/control/gateway-options.ts'
import { openLog } from '#server/platform/log.ts'
import { openLogFile } from '#server/platform/log-file.ts'
import { isLoopback } from '#server/platform/network-interfaces.ts'
import { SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import { englishText } from '#shared/messages/english.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import {
  hostAndPort,
  ownPackage,
  secretArgumentWarning,
  textFromFile,
  UsageError,
} from './arguments.ts'
import { SERVE_OPTIONS } from './options.ts'
import {
  keyFromFile,
  keyFromParent,
  type ProvidedKey,
  parentPort,
  workersFromParent,
} from './parent-port.ts'
import { RunLoop } from './run-loop.ts'

/**
 * `serve`: prints one JSON line to stdout when every listener is listening. Logs go to stderr or to
 * a file. SIGTERM drains the gateway and exits with 0. After a restore the gateway reopens in this
 * process and prints another line.
 */
export async function serve(args: readonly string[]): Promise<number> {
  const { isRescue, keyFrom, isSecretInArguments, ...options } = readArguments(args)
  const plainHost = options.overrides?.['http.host']
  if (plainHost !== undefined && !isLoopback(plainHost))
    process.stderr.write(`${unencryptedNetworkWarning(plainHost)}\n`)
  const port = parentPort()
  const key = await providedKey(keyFrom)
  const log = openLog(
    options.logLevel,
    options.logFile === undefined ? undefined : openLogFile(options.logFile),
  )
  const loop = new RunLoop(
    {
      ...options,
      ...key,
      log,
      version: ownPackage().version,
      ...(port && {
        spawnWorker: workersFromParent(port),
        onRecoveryKey: () => port.postMessage({ sealKey: true }),
      }),
    },
    (line) => {
      // V8 reads it at each collection. Of what is allocated before, nearly all stays.
      setFlagsFromString('--heap-growing-percent=20')
      process.stdout.write(`${JSON.stringify(line)}\n`)
      if (isSecretInArguments) log.warn(secretArgumentWarning('--partner-secret'))
    },
  )
  await loop.run(isRescue)
  return 0
}

type ServeOptions = Omit<GatewayOptions, 'log' | 'version'> & {
  readonly logLevel: string
  readonly isRescue: boolean
  readonly isSecretInArguments?: boolean
  /** Who provides the data key; undefined if it is in the data folder. */
  readonly keyFrom?: 'parent' | { readonly file: string }
}

export function readArguments(args: readonly string[]): ServeOptions {
  const { values } = parseArgs({
    args: [...args],
    options: SERVE_OPTIONS,
  })
  if (!values.data) throw new UsageError('serve needs --data DIR, the folder of the database.')
  if (values['partner-secret'] && values['partner-secret-file'])
    throw new UsageError('Give --partner-secret or --partner-secret-file, not both.')
  if (values['data-key-file'] !== undefined && values['data-key-from-parent'])
    throw new UsageError('Give --data-key-file or --data-key-from-parent, not both.')
  const secretFile = values['partner-secret-file']
  const secret =
    values['partner-secret'] ??
    (secretFile ? textFromFile('--partner-secret-file', secretFile) : undefined)
  const url = values['partner-url']
  if (secret && !url) throw new UsageError('--partner-secret goes with --partner-url URL.')
  if (!['fatal', 'error', 'warn', 'info', 'debug', 'trace'].includes(values['log-level']))
    throw new UsageError('--log-level is fatal, error, warn, info, debug or trace.')
  return {
    folder: values.data,
    pageFolder: join(ownPackage().folder, 'dist', 'renderer'),
    overrides: {
      ...listenerOverrides('http', values.http),
      ...listenerOverrides('dimse', values.dimse),
      ...(values['dimse-tls'] !== undefined && { 'dimse.tlsPort': tlsPort(values['dimse-tls']) }),
      ...(values['ae-title'] !== undefined &&
        override('dimse.aeTitle', values['ae-title'], '--ae-title')),
      ...(values['allow-unknown-devices'] && { 'dimse.allowUnknownDevices': true }),
    },
    ...(values.https !== undefined && { https: httpsAddress(values.https) }),
    ...(url && { partner: { url, ...(secret && { secret }) } }),
    logLevel: values['log-level'],
    ...(values['safe-mode'] && { isSafe: true }),
    ...(values['log-file'] !== undefined && { logFile: values['log-file'] }),
    ...(values['data-key-file'] !== undefined && { keyFrom: { file: values['data-key-file'] } }),
    ...(values['data-key-from-parent'] && { keyFrom: 'parent' as const }),
    isRescue: values.rescue,
    ...(values['partner-secret'] !== undefined && { isSecretInArguments: true }),
  }
}

/** Printed rather than logged, because the log level or log file may hide it. */
const unencryptedNetworkWarning = (host: string): string =>
  `Warning: --http ${host} opens the window to the network without encryption: passwords and patient data cross it readable to anybody in it. ` +
  'Use 127.0.0.1 for it, and --https for other PCs.'

function listenerOverrides(name: 'http' | 'dimse', text: string | undefined): SettingOverrides {
  if (text === undefined) return {}
  const { host, port } = hostAndPort(text, `--${name}`)
  return { ...(host && override(`${name}.host`, host, `--${name}`)), [`${name}.port`]: port }
}

/** On the host of the plain listener. */
function tlsPort(text: string): number | null {
  if (text === 'off') return null
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(
      `--dimse-tls takes a port, at the address of --dimse, or off; “${text}” is neither.`,
    )
  return Number(text)
}

function httpsAddress(text: string): { readonly host: string; readonly port: number } {
  const { host = '0.0.0.0', port } = hostAndPort(text, '--https')
  return { host, port }
}

/** Validates an option that overrides a setting with the setting's schema. @throws UsageError */
function override<K extends SettingKey>(key: K, value: unknown, flag: string): SettingOverrides {
  const parsed = SETTINGS[key].schema.safeParse(value)
  if (!parsed.success)
    throw new UsageError(
      `${flag}: “${value}” ${parsed.error.issues.map((issue) => englishText(issueMessage(issue))).join('; ')}.`,
    )
  return { [key]: parsed.data }
}

/** The data key, if it is stored outside the data folder. @throws UsageError, StartError */
async function providedKey(from: ServeOptions['keyFrom']): Promise<ProvidedKey> {
  if (from === undefined) return {}
  if (from !== 'parent') return keyFromFile(from.file)
  const port = parentPort()
  if (!port)
    throw new UsageError(
      '--data-key-from-parent is for the desktop app, which hands the data key over: leave it out.',
    )
  return keyFromParent(port)
}
