import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type GatewayOptions, openGateway } from '#gateway/gateway.ts'
import { openLog } from '#gateway/log.ts'
import type { SettingOverrides } from '#gateway/parts.ts'
import { SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import { ownPackage } from './own-package.ts'
import { untilStopped } from './until-stopped.ts'
import { hostAndPort, UsageError } from './words.ts'
import { parentPort, workersThrough } from './worker-port.ts'

/** `serve`: one JSON line on stdout when every listener is up; logs go to stderr; SIGTERM drains and ends with 0. */
export async function serve(args: readonly string[]): Promise<number> {
  const options = readArguments(args)
  const log = openLog(options.logLevel)
  const port = parentPort()
  await using gateway = await openGateway({
    ...options,
    log,
    version: ownPackage().version,
    ...(port && { spawnWorker: workersThrough(port) }),
  })
  process.stdout.write(
    `${JSON.stringify({
      ready: true,
      http: gateway.http,
      ...(gateway.https && { https: gateway.https }),
      dimse: gateway.dimse,
      ...(gateway.dimseTls && { dimseTls: gateway.dimseTls }),
    })}\n`,
  )
  log.info({ http: gateway.http, dimse: gateway.dimse }, 'ready')
  await untilStopped()
  log.info('stopping')
  return 0
}

type ServeOptions = Omit<GatewayOptions, 'log' | 'version'> & { readonly logLevel: string }

export function readArguments(args: readonly string[]): ServeOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string' },
      http: { type: 'string' },
      https: { type: 'string' },
      dimse: { type: 'string' },
      'dimse-tls': { type: 'string' },
      'ae-title': { type: 'string' },
      'partner-url': { type: 'string' },
      'partner-secret': { type: 'string' },
      'partner-secret-file': { type: 'string' },
      'allow-unknown-devices': { type: 'boolean' },
      'log-level': { type: 'string', default: 'info' },
    },
  })
  if (!values.data) throw new UsageError('serve needs --data DIR, the folder of the database.')
  if (values['partner-secret'] && values['partner-secret-file'])
    throw new UsageError('Give --partner-secret or --partner-secret-file, not both.')
  const secret = values['partner-secret'] ?? secretFrom(values['partner-secret-file'])
  const url = values['partner-url']
  if (secret && !url) throw new UsageError('--partner-secret goes with --partner-url URL.')
  if (!['fatal', 'error', 'warn', 'info', 'debug', 'trace'].includes(values['log-level']))
    throw new UsageError('--log-level is fatal, error, warn, info, debug or trace.')
  return {
    folder: values.data,
    pageFolder: join(ownPackage().folder, 'dist', 'renderer'),
    overrides: {
      ...listener('http', values.http),
      ...listener('dimse', values.dimse),
      ...(values['dimse-tls'] !== undefined && { 'dimse.tlsPort': tlsPort(values['dimse-tls']) }),
      ...(values['ae-title'] !== undefined && override('dimse.aeTitle', values['ae-title'], '--ae-title')),
      ...(values['allow-unknown-devices'] && { 'dimse.allowUnknownDevices': true }),
    },
    ...(values.https !== undefined && { https: securely(values.https) }),
    ...(url && { partner: { url, ...(secret && { secret }) } }),
    logLevel: values['log-level'],
  }
}

function listener(name: 'http' | 'dimse', text: string | undefined): SettingOverrides {
  if (text === undefined) return {}
  const { host, port } = hostAndPort(text, `--${name}`)
  return { ...(host && override(`${name}.host`, host, `--${name}`)), [`${name}.port`]: port }
}

/** At the address of the plain listener. */
function tlsPort(text: string): number | null {
  if (text === 'off') return null
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--dimse-tls takes a port, at the address of --dimse, or off; “${text}” is neither.`)
  return Number(text)
}

function securely(text: string): { readonly host: string; readonly port: number } {
  const { host = '0.0.0.0', port } = hostAndPort(text, '--https')
  return { host, port }
}

/** An option that stands for a setting has its form. @throws UsageError */
function override<K extends SettingKey>(key: K, value: unknown, flag: string): SettingOverrides {
  const parsed = SETTINGS[key].schema.safeParse(value)
  if (!parsed.success) throw new UsageError(`${flag}: “${value}” ${parsed.error.issues.map(({ message }) => message).join('; ')}.`)
  return { [key]: parsed.data }
}

function secretFrom(file: string | undefined): string | undefined {
  if (!file) return undefined
  let secret: string
  try {
    secret = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`--partner-secret-file: ${file} could not be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (secret === '') throw new UsageError(`--partner-secret-file: ${file} is empty.`)
  return secret
}
