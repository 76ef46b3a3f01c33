import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { portHolder } from '#server/http/port-holder.ts'
import {
  anchorFaultSentence,
  auditFaultSentence,
  verifyAudit,
} from '#server/modules/audit/audit-trail.ts'
import {
  backupFinding,
  rehearsalFinding,
  standbyFinding,
} from '#server/modules/backups/backup-findings.ts'
import { kindOfFolder } from '#server/modules/backups/backup-folder.ts'
import { recoveryKeyState } from '#server/modules/backups/recovery-key.ts'
import type { CommandContext } from '#server/modules/control/command.ts'
import { newestCalls } from '#server/modules/events/meter.ts'
import { readPartner } from '#server/modules/partners/service.ts'
import { keyFinding } from '#server/modules/settings/key-file.ts'
import { devicesHeard } from '#server/modules/settings/setup-state.ts'
import { hasUser } from '#server/modules/users/people.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { hasSecondFactor } from '#server/modules/users/second-factor.ts'
import type { Parts } from '#server/parts.ts'
import type { AuditCheck } from '#shared/contract/dashboard.ts'
import type { ReadinessCheck, ReadinessFinding } from '#shared/contract/dashboard-setup.ts'
import { bad, clockFinding, diskFinding, type Finding, ok, warn } from './host-checks.ts'
import { windowFinding } from './self-test.ts'

type Context = Pick<CommandContext, 'listening' | 'keyStore'> & {
  /** What was found when the trail was last followed. */
  readonly latestAudit?: AuditCheck | undefined
}
type Check = (parts: Parts, context: Context) => Finding | Promise<Finding>

/** A trail of more is not followed for a page: what was found when it was last followed is told. */
const MANY_ENTRIES = 20_000

/**
 * What an installation needs, most basic first: the readiness page and the command `doctor` read
 * this one table.
 */
const CHECKS: Readonly<Record<ReadinessCheck, Check>> = {
  folder: ({ store }) => {
    const kind = kindOfFolder(store.folder)
    if (kind === 'local')
      return ok(
        `The data folder is ${store.folder}; its database is whole, and its key can be read by its owner only.`,
      )
    return bad(
      kind === 'network'
        ? `The data folder ${store.folder} is on another machine: a database there can be damaged by a break of the network.`
        : `The data folder ${store.folder} is kept in step with a cloud by a program, which can damage the database.`,
      'Stop the gateway, move the folder to a disk of this PC, and start it with --data.',
    )
  },
  audit: async ({ store }, { latestAudit }) => {
    const verdict =
      latestAudit && latestAudit.entries > MANY_ENTRIES
        ? latestAudit
        : await verifyAudit(store.audit)
    const firstBad =
      'seq' in verdict ? verdict.seq : 'firstBadSeq' in verdict ? verdict.firstBadSeq : null
    const finding = 'finding' in verdict ? verdict.finding : null
    const missing = 'missing' in verdict ? verdict.missing : 0
    const sentence = auditFaultSentence({ finding, firstBadSeq: firstBad, missing })
    if (sentence !== undefined)
      return bad(sentence, 'Keep a copy of the data folder and tell the vendor.')
    const { anchorFault } = store.audit
    if (anchorFault)
      return warn(
        anchorFaultSentence(anchorFault),
        'Correct the permissions of the file or the disk, then verify the audit trail.',
      )
    return ok(`The audit trail is unbroken, ${verdict.entries} entries.`)
  },
  settings: ({ store }) => {
    const unreadable = store.settings.unreadable()
    return unreadable.length === 0
      ? ok('Every setting can be read.')
      : bad(
          `Settings that cannot be read stand at their first value: ${unreadable.join(', ')}.`,
          'Set them again.',
        )
  },
  owner: ({ store }) =>
    hasUser(store)
      ? ok('An owner account exists.')
      : bad('Nobody can sign in yet.', 'Follow the link that the command sign-in-link prints.'),
  'second-factor': (parts) => secondFactor(parts),
  'recovery-key': ({ store }) => {
    const { state, madeAt } = recoveryKeyState(store.folder, store.seal)
    if (state === 'ready') return ok(`A recovery key was made on ${madeAt?.slice(0, 10)}.`)
    return state === 'none'
      ? warn(
          'There is no recovery key: should data.key be lost, nothing can be opened, back-ups included.',
          'Make one and keep it on paper.',
        )
      : bad('The file recovery.key does not fit this data folder.', 'Make a new recovery key.')
  },
  'key-store': ({ store }, { keyStore }) => keyFinding(store, keyStore),
  backup: backupFinding,
  rehearsal: rehearsalFinding,
  standby: standbyFinding,
  disk: diskFinding,
  clock: clockFinding,
  dicom: (parts, context) => port(parts, context, 'dimse'),
  window: async (parts, context) => {
    const found = await port(parts, context, 'http')
    const where = windowFinding(parts.settings.get('http.host'))
    return found.verdict === 'ok' && where.verdict !== 'ok' ? where : found
  },
  'dicom-tls': ({ settings }, { listening }) => {
    const number = settings.get('dimse.tlsPort')
    if (number === null)
      return warn(
        'DICOM by TLS is switched off: what devices send is not encrypted.',
        'Set dimse.tlsPort under Settings, if your devices can do it.',
      )
    if (listening?.dimse && !listening.dimseTls)
      return bad(
        `DICOM by TLS is down: port ${number} could not be had.`,
        'Choose another dimse.tlsPort under Settings.',
      )
    return ok(
      listening?.dimseTls
        ? `DICOM by TLS is up at ${listening.dimseTls}.`
        : `DICOM by TLS has port ${number}.`,
    )
  },
  'lan-access': ({ settings }) =>
    settings.get('https.isOn')
      ? ok('The window can be opened from other workstations by HTTPS; each is approved once.')
      : ok('The window can be opened on this PC only.'),
  device: ({ devices }) => {
    const { length } = devices.list()
    return length > 0
      ? ok(`${length === 1 ? 'One device is' : `${length} devices are`} known.`)
      : bad('No device is known.', 'Add one, or approve a caller under Devices.')
  },
  'device-seen': ({ devices }) => {
    const seen = devices.list().filter(({ lastSeenAt }) => lastSeenAt !== null).length
    return seen > 0
      ? ok(`${seen === 1 ? 'One device has' : `${seen} devices have`} called.`)
      : warn('No device has called yet.', 'Let a device do its DICOM echo (C-ECHO).')
  },
  'device-worklist': (parts) => {
    const asked = devicesHeard(parts).find((device) => device.asked?.status === '0000')?.asked
    return asked
      ? ok(
          `A device asked for its worklist and got ${asked.exams === 1 ? 'one exam' : `${asked.exams} exams`}.`,
        )
      : warn(
          'No device has got its worklist lately.',
          'Ask for the worklist at a device, and look under Queries at what came of it.',
        )
  },
  'unknown-devices': ({ settings }) =>
    settings.get('dimse.allowUnknownDevices')
      ? warn(
          'Unknown devices are served (dimse.allowUnknownDevices): that is meant for tests.',
          'Switch it off under Settings.',
        )
      : ok('Unknown devices are refused.'),
  partner: ({ store }) => {
    const { url, hasSecret } = readPartner(store)
    return url && hasSecret
      ? ok(`The partner is ${url}.`)
      : bad(
          'No partner is set: worklists stay empty.',
          'Set it under Partner, or with serve --partner-url.',
        )
  },
  'partner-events': ({ store }) => {
    const { url, events } = newestCalls(store.database)
    if (url === null) return warn('No event was tried with a partner.', 'Set the partner first.')
    const untried = events.filter(({ outcome }) => outcome === 'none').length
    const failed = events
      .filter(({ outcome }) => outcome !== 'none' && outcome !== 'accepted')
      .map(({ type }) => type)
    if (failed.length > 0)
      return warn(
        `The partner did not take the last ${failed.join(', ')}.`,
        'Test the event under Partner, and read the answer under Events.',
      )
    if (untried > 0)
      return warn(
        `${untried === 1 ? 'One event was' : `${untried} events were`} never tried with the partner.`,
        'Send a test of each in the set-up.',
      )
    return ok('The partner took the last of each of its events.')
  },
  'public-url': ({ settings }) =>
    settings.get('http.publicUrl')
      ? ok(`Links that are given out begin with ${settings.get('http.publicUrl')}.`)
      : warn(
          'Links that are given to others, such as that of a report’s PDF, open on this PC only.',
          'Set http.publicUrl under Settings.',
        ),
  mail: ({ settings }) =>
    settings.get('mail.host') && settings.get('mail.from')
      ? ok(`Invitations are mailed through ${settings.get('mail.host')}.`)
      : warn(
          'No mail server is set: who invites somebody hands the link over.',
          'Set one under People, if you want invitations mailed.',
        ),
  native: () => {
    try {
      createRequire(import.meta.url).resolve('dicom-dimse-native/build/Release/dcmtk.node')
      return ok('The module for other DICOM systems (dicom-dimse-native) is in place.')
    } catch {
      return warn(
        'The module for other DICOM systems (dicom-dimse-native) is missing; worklists do not need it.',
        'npm run native gets it.',
      )
    }
  },
}

/** Every finding, in the order of the table. */
export const readinessOf = (parts: Parts, context: Context): Promise<ReadinessFinding[]> =>
  Promise.all(
    (Object.keys(CHECKS) as ReadinessCheck[]).map(async (check) => ({
      check,
      ...(await CHECKS[check](parts, context)),
    })),
  )

function secondFactor({ store }: Parts): Finding {
  const owners = allUsers(store.database).filter(
    ({ level, deactivatedAt, passwordHash }) =>
      level === 'owner' && deactivatedAt === null && passwordHash !== null,
  )
  const without = owners.filter(({ userId }) => !hasSecondFactor(store, userId)).length
  if (owners.length === 0)
    return warn(
      'There is no owner yet who could have a second factor.',
      'Make the owner’s account first.',
    )
  return without === 0
    ? ok('Every owner signs in with a second factor.')
    : warn(
        `${without === 1 ? 'An owner signs' : `${without} owners sign`} in by password alone.`,
        'Each turns on a second factor under My account.',
      )
}

async function port(
  { settings }: Parts,
  { listening }: Context,
  listener: 'dimse' | 'http',
): Promise<Finding> {
  const name = listener === 'dimse' ? 'The DICOM listener' : 'The window'
  if (listening?.[listener]) return ok(`${name} is up at ${listening[listener]}.`)
  const [host, number] = [settings.get(`${listener}.host`), settings.get(`${listener}.port`)]
  const code = await tryPort(host, number)
  if (!code) return ok(`${name} can have ${host}:${number}: the port is free.`)
  const holder = code === 'EADDRINUSE' ? await portHolder(number) : undefined
  return bad(
    `${name} cannot have ${host}:${number}: ${holder ? `${holder.name}, process ${holder.pid}, uses it` : code}.`,
    `Choose another port with config set ${listener}.port.`,
  )
}

function tryPort(host: string, number: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(number, host, () => server.close(() => resolve(undefined)))
  })
}
