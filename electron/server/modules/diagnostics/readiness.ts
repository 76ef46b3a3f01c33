import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import type { Context } from '#server/context.ts'
import { recoveryKeyState } from '#server/database/recovery-key.ts'
import { portHolder } from '#server/http/port-holder.ts'
import {
  anchorFaultSentence,
  auditFaultSentence,
  verifyAudit,
} from '#server/modules/audit/audit-trail.ts'
import { kindOfFolder } from '#server/modules/backups/backup-folder.ts'
import {
  backupFinding,
  restoreTestFinding,
  standbyFinding,
} from '#server/modules/backups/backup-health.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import type { ListenerAddresses } from '#server/modules/devices/listeners.ts'
import { defaultEndpointStatus } from '#server/modules/events/meter.ts'
import type { DiskForecast } from '#server/modules/images/disk-forecast.ts'
import { readPartner } from '#server/modules/partners/service.ts'
import { keyFinding } from '#server/modules/settings/key-file.ts'
import { hasUser } from '#server/modules/users/people.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { hasSecondFactor } from '#server/modules/users/second-factor.ts'
import { listInspections } from '#server/modules/worklist/inspection-queries.ts'
import { bad, type Finding, ok, warn } from '#server/platform/finding.ts'
import type { AuditCheck } from '#shared/contract/dashboard.ts'
import type {
  ReadinessCheck,
  ReadinessFinding,
  SetupState,
} from '#shared/contract/dashboard-setup.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { message } from '#shared/messages/message.ts'
import { clockFinding, diskFinding } from './host-checks.ts'
import { windowFinding } from './self-test.ts'

/** Information about the running gateway that is not in its data folder. */
interface RuntimeFacts {
  readonly listening: ListenerAddresses | undefined
  readonly keyStore: KeyStoreState | undefined
  /** The result of the last complete verification. */
  readonly latestAudit?: AuditCheck | undefined
  /** Of the disk; without it, the lifecycle rules are not taken into account. */
  readonly forecast?: DiskForecast | undefined
}
type Check = (context: Context, facts: RuntimeFacts) => Finding | Promise<Finding>

/** For an audit log with more entries, the last result is shown instead of verifying it again. */
const MAX_ENTRIES_TO_VERIFY = 20_000

/**
 * The checks of an installation, most basic first. Used by the System status page and by the
 * command `doctor`.
 */
const CHECKS: Readonly<Record<ReadinessCheck, Check>> = {
  folder: (context) => {
    const kind = kindOfFolder(context.folder)
    if (kind === 'local') return ok(message('diagnostics.folder-fine', { folder: context.folder }))
    return bad(
      kind === 'network'
        ? message('diagnostics.folder-on-network', { folder: context.folder })
        : message('diagnostics.folder-synced', { folder: context.folder }),
      message('diagnostics.folder-remedy'),
    )
  },
  audit: async (context, { latestAudit }) => {
    const verdict =
      latestAudit && latestAudit.entries > MAX_ENTRIES_TO_VERIFY
        ? latestAudit
        : await verifyAudit(context.audit)
    const firstBadSequence =
      'seq' in verdict ? verdict.seq : 'firstBadSeq' in verdict ? verdict.firstBadSeq : null
    const finding = 'finding' in verdict ? verdict.finding : null
    const missing = 'missing' in verdict ? verdict.missing : 0
    const sentence = auditFaultSentence({ finding, firstBadSeq: firstBadSequence, missing })
    if (sentence !== undefined) return bad(sentence, message('diagnostics.audit-remedy'))
    const { anchorFault } = context.audit
    if (anchorFault)
      return warn(anchorFaultSentence(anchorFault), message('diagnostics.audit-anchor-remedy'))
    return ok(message('diagnostics.audit-unbroken', { entries: verdict.entries }))
  },
  settings: (context) => {
    const unreadable = context.settings.unreadable()
    return unreadable.length === 0
      ? ok(message('diagnostics.settings-fine'))
      : bad(
          message('diagnostics.settings-unreadable', { keys: unreadable }),
          message('diagnostics.settings-remedy'),
        )
  },
  owner: (context) =>
    hasUser(context)
      ? ok(message('diagnostics.owner-fine'))
      : bad(message('diagnostics.no-owner'), message('diagnostics.no-owner-remedy')),
  'second-factor': (context) => twoFactorFinding(context),
  'recovery-key': (context) => {
    const { state, madeAt } = recoveryKeyState(context.folder, context.database.seal)
    if (state === 'ready')
      return ok(message('diagnostics.recovery-key-made', { day: madeAt?.slice(0, 10) ?? '' }))
    return state === 'none'
      ? warn(message('diagnostics.no-recovery-key'), message('diagnostics.no-recovery-key-remedy'))
      : bad(
          message('diagnostics.foreign-recovery-key'),
          message('diagnostics.foreign-recovery-key-remedy'),
        )
  },
  'key-store': (context, { keyStore }) => keyFinding(context, keyStore),
  backup: backupFinding,
  rehearsal: restoreTestFinding,
  standby: standbyFinding,
  disk: (context, { forecast }) => diskFinding(context, forecast),
  clock: clockFinding,
  dicom: (context, facts) => portFinding(context, facts, 'dimse'),
  window: async (context, facts) => {
    const found = await portFinding(context, facts, 'http')
    const hostFinding = windowFinding(context.settings.get('http.host'))
    return found.verdict === 'ok' && hostFinding.verdict !== 'ok' ? hostFinding : found
  },
  'dicom-tls': (context, { listening }) => {
    const number = context.settings.get('dimse.tlsPort')
    if (number === null)
      return warn(message('diagnostics.tls-off'), message('diagnostics.tls-off-remedy'))
    if (listening?.dimse && !listening.dimseTls)
      return bad(
        message('diagnostics.tls-down', { port: number }),
        message('diagnostics.tls-down-remedy'),
      )
    return ok(
      listening?.dimseTls
        ? message('diagnostics.tls-up', { address: listening.dimseTls })
        : message('diagnostics.tls-port', { port: number }),
    )
  },
  'lan-access': (context) =>
    context.settings.get('https.isOn')
      ? ok(message('diagnostics.lan-on'))
      : ok(message('diagnostics.lan-off')),
  device: (context) => {
    const { length } = listDevices(context.database)
    return length > 0
      ? ok(message('diagnostics.devices-known', { count: length }))
      : bad(message('diagnostics.no-device'), message('diagnostics.no-device-remedy'))
  },
  'device-seen': (context) => {
    const seenDevices = listDevices(context.database).filter(
      ({ lastSeenAt }) => lastSeenAt !== null,
    ).length
    return seenDevices > 0
      ? ok(message('diagnostics.devices-called', { count: seenDevices }))
      : warn(message('diagnostics.no-call'), message('diagnostics.no-call-remedy'))
  },
  'device-worklist': (context) => {
    const asked = recentDevices(context).find((device) => device.asked?.status === '0000')?.asked
    return asked
      ? ok(message('diagnostics.worklist-asked', { exams: asked.exams }))
      : warn(message('diagnostics.no-worklist'), message('diagnostics.no-worklist-remedy'))
  },
  'unknown-devices': (context) =>
    context.settings.get('dimse.allowUnknownDevices')
      ? warn(message('diagnostics.unknown-served'), message('diagnostics.unknown-served-remedy'))
      : ok(message('diagnostics.unknown-refused')),
  partner: (context) => {
    const { url, hasSecret } = readPartner(context)
    if (!url)
      return bad(message('diagnostics.no-partner'), message('diagnostics.no-partner-remedy'))
    return hasSecret
      ? ok(message('diagnostics.partner-set', { url }))
      : bad(
          message('diagnostics.partner-without-secret', { url }),
          message('diagnostics.partner-without-secret-remedy'),
        )
  },
  'partner-events': (context) => {
    const { url, events } = defaultEndpointStatus(context.database)
    if (url === null)
      return warn(
        message('diagnostics.events-without-partner'),
        message('diagnostics.events-without-partner-remedy'),
      )
    const untriedCount = events.filter(({ outcome }) => outcome === 'none').length
    const failed = events
      .filter(({ outcome }) => outcome !== 'none' && outcome !== 'accepted')
      .map(({ type }) => type)
    if (failed.length > 0)
      return warn(
        message('diagnostics.events-failed', { events: failed }),
        message('diagnostics.events-failed-remedy'),
      )
    if (untriedCount > 0)
      return warn(
        message('diagnostics.events-untried', { count: untriedCount }),
        message('diagnostics.events-untried-remedy'),
      )
    return ok(message('diagnostics.events-fine'))
  },
  'public-url': (context) => {
    const url = context.settings.get('http.publicUrl')
    return url
      ? ok(message('diagnostics.public-url-set', { url }))
      : warn(message('diagnostics.no-public-url'), message('diagnostics.no-public-url-remedy'))
  },
  mail: (context) => {
    const host = context.settings.get('mail.host')
    return host && context.settings.get('mail.from')
      ? ok(message('diagnostics.mail-set', { host }))
      : warn(message('diagnostics.no-mail'), message('diagnostics.no-mail-remedy'))
  },
  native: () => {
    try {
      createRequire(import.meta.url).resolve('dicom-dimse-native/build/Release/dcmtk.node')
      return ok(message('diagnostics.native-there'))
    } catch {
      return warn(
        message('diagnostics.native-missing'),
        message('diagnostics.native-missing-remedy'),
      )
    }
  },
}

/** Runs all checks, in the order of the table. */
export const readinessOf = (context: Context, facts: RuntimeFacts): Promise<ReadinessFinding[]> =>
  Promise.all(
    (Object.keys(CHECKS) as ReadinessCheck[]).map(async (check) => ({
      check,
      ...(await CHECKS[check](context, facts)),
    })),
  )

function twoFactorFinding(context: Context): Finding {
  const owners = allUsers(context.database).filter(
    ({ level, deactivatedAt, passwordHash }) =>
      level === 'owner' && deactivatedAt === null && passwordHash !== null,
  )
  const unprotectedOwners = owners.filter(({ userId }) => !hasSecondFactor(context, userId)).length
  if (owners.length === 0)
    return warn(
      message('diagnostics.no-owner-account'),
      message('diagnostics.no-owner-account-remedy'),
    )
  return unprotectedOwners === 0
    ? ok(message('diagnostics.second-factor-fine'))
    : warn(
        message('diagnostics.owners-by-password', { count: unprotectedOwners }),
        message('diagnostics.owners-by-password-remedy'),
      )
}

async function portFinding(
  context: Context,
  { listening }: RuntimeFacts,
  listener: 'dimse' | 'http',
): Promise<Finding> {
  const name = message(listener === 'dimse' ? 'diagnostics.dicom-listener' : 'diagnostics.window')
  const address = listening?.[listener]
  if (address) return ok(message('diagnostics.listener-up', { name, address }))
  const [host, number] = [
    context.settings.get(`${listener}.host`),
    context.settings.get(`${listener}.port`),
  ]
  const code = await portErrorOf(host, number)
  if (!code) return ok(message('diagnostics.port-free', { name, host, port: number }))
  const holder = code === 'EADDRINUSE' ? await portHolder(number) : undefined
  const fault = holder
    ? message('diagnostics.port-used-by', { holder: holder.name, process: holder.pid })
    : code
  return bad(
    message('diagnostics.port-not-free', { name, host, port: number, fault }),
    message('diagnostics.port-not-free-remedy', { listener }),
  )
}

function portErrorOf(host: string, number: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(number, host, () => server.close(() => resolve(undefined)))
  })
}

/** Maximum number of devices in the setup wizard. */
const MAX_DEVICES = 20
/** Number of recent queries that are searched for one from the device itself. */
const MAX_SEARCHED_QUERIES = 20

/** Known devices, most recently seen first, each with its last worklist query. */
export function recentDevices({ database }: Context): SetupState['devices'] {
  const byLastSeen = listDevices(database).sort((a, b) =>
    (b.lastSeenAt ?? '').localeCompare(a.lastSeenAt ?? ''),
  )
  return byLastSeen.slice(0, MAX_DEVICES).map(({ deviceId, aeTitle, name, lastSeenAt }) => {
    const { items } = listInspections(database, {
      aeTitle,
      outcome: 'all',
      limit: MAX_SEARCHED_QUERIES,
    })
    const found = items.find(({ origin }) => origin === 'device')
    const asked = found
      ? {
          at: found.at,
          exams: found.sent,
          status: found.status,
          sentence: found.sentence,
          inspectionId: found.inspectionId,
        }
      : null
    return { deviceId, aeTitle, name, lastSeenAt, asked }
  })
}
