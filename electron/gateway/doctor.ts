import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import type { CommandContext } from './commands.ts'
import { verifyAudit } from './domain/audit-trail.ts'
import type { Parts } from './parts.ts'
import { portHolder } from './port-holder.ts'

type Finding = readonly ['ok' | 'mend' | 'note', string]
type Context = Pick<CommandContext, 'listening'>
type Check = (parts: Parts, context: Context) => Finding | Promise<Finding>

/** What can be wrong with an installation, most basic first; each answers one line. */
const CHECKS: readonly Check[] = [
  ({ store }) => ['ok', `data folder ${store.folder}, database whole, key readable by its owner only`],
  async ({ store }) => {
    const verdict = await verifyAudit(store.audit)
    return verdict.isIntact
      ? ['ok', `audit trail unbroken, ${verdict.entries} entries`]
      : ['mend', `the audit trail is broken at entry ${verdict.seq}: someone changed the database; keep a copy and tell the vendor`]
  },
  ({ store }) => {
    const unreadable = store.settings.unreadable()
    return unreadable.length === 0
      ? ['ok', 'settings readable']
      : ['mend', `settings that cannot be read stand at their first value: ${unreadable.join(', ')}; set them again`]
  },
  ({ people }) =>
    people.hasUser() ? ['ok', 'an owner account exists'] : ['mend', 'nobody can sign in yet: follow the link that sign-in-link prints'],
  ({ partnerEndpoint }) => {
    const { url, hasSecret } = partnerEndpoint.read()
    return url && hasSecret
      ? ['ok', `partner ${url}`]
      : ['mend', 'no partner is set: worklists stay empty; set it in the window under Partner, or with serve --partner-url']
  },
  ({ devices }) =>
    devices.list().length > 0
      ? ['ok', `${devices.list().length} devices`]
      : ['mend', 'no device is known: add one, or approve a caller in the window'],
  ({ settings }) =>
    settings.get('http.publicUrl')
      ? ['ok', `public URL ${settings.get('http.publicUrl')}`]
      : ['note', 'http.publicUrl is not set: links given to others point to this PC only'],
  ({ settings }) =>
    settings.get('dimse.allowUnknownDevices')
      ? ['note', 'unknown devices are served (dimse.allowUnknownDevices): meant for tests']
      : ['ok', 'unknown devices are refused'],
  (parts, context) => port(parts, context, 'dimse'),
  (parts, context) => port(parts, context, 'http'),
  () => {
    try {
      createRequire(import.meta.url).resolve('dicom-dimse-native/build/Release/dcmtk.node')
      return ['ok', 'native module dicom-dimse-native in place']
    } catch {
      return ['note', 'the native module dicom-dimse-native is missing: npm run native builds it; worklists do not need it']
    }
  },
]

/** One line a check, those to mend first in their word. */
export async function examine(parts: Parts, context: Context): Promise<string[]> {
  const findings = await Promise.all(CHECKS.map((check) => check(parts, context)))
  return findings.map(([word, sentence]) => `${word.padEnd(4)}  ${sentence}`)
}

async function port({ settings }: Parts, { listening }: Context, listener: 'dimse' | 'http'): Promise<Finding> {
  const [host, number] = [settings.get(`${listener}.host`), settings.get(`${listener}.port`)]
  if (listening) return ['ok', `${listener} listens on ${listening[listener]}`]
  const code = await tryPort(host, number)
  if (!code) return ['ok', `${listener} port ${host}:${number} is free`]
  const holder = code === 'EADDRINUSE' ? await portHolder(number) : undefined
  return [
    'mend',
    `${listener} cannot use ${host}:${number} (${holder ? `${holder.name}, process ${holder.pid}, uses it` : code}): choose another with config set ${listener}.port`,
  ]
}

function tryPort(host: string, number: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(number, host, () => server.close(() => resolve(undefined)))
  })
}
