import type { HttpApp } from '#server/http/http-app.ts'
import type { AuditTrail } from '#server/modules/audit/audit-trail.ts'
import {
  openUpkeep,
  type Upkeep,
  type UpkeepOptions,
} from '#server/modules/backups/backup-service.ts'
import { openRecovery } from '#server/modules/backups/recovery-key-setup.ts'
import type { CommandContext } from '#server/modules/control/command.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { readinessOf } from '#server/modules/diagnostics/readiness.ts'
import { selfTest } from '#server/modules/diagnostics/self-test.ts'
import { newestCalls } from '#server/modules/events/meter.ts'
import { hasUser } from '#server/modules/users/people.ts'
import type { Parts } from '#server/parts.ts'
import { timeZoneOf } from '#server/platform/clinic-day.ts'
import { isLoopback, lanAddresses } from '#server/platform/network-interfaces.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { SetupState } from '#shared/contract/dashboard-setup.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { serveDashboardSetup } from './setup-routes.ts'
import { devicesHeard, stepsDone } from './setup-state.ts'

export interface SetupOptions
  extends Pick<UpkeepOptions, 'version' | 'logFile' | 'restart' | 'isSafe' | 'onError'> {
  readonly feed: Pick<Feed, 'noteStatus'>
  readonly auditTrail: Pick<AuditTrail, 'latest'>
  readonly listeners: () => Status['listeners']
  /** Undefined until every listener was opened. */
  readonly listening: () => CommandContext['listening']
  readonly keyStore: () => KeyStoreState | undefined
  readonly onRecoveryKey: ((dataKey: Buffer) => void) | undefined
}

/**
 * The first-run wizard, back-ups and the readiness page. Disposing waits for a back-up that is
 * being made.
 */
export interface Setup extends AsyncDisposable {
  readonly backups: Upkeep['backups']
  serve(app: HttpApp): void
}

export function openSetup(parts: Parts, options: SetupOptions): Setup {
  const { feed, auditTrail, listeners, listening, keyStore, onRecoveryKey } = options
  const { deps, settings } = parts
  const onInForce = () => onRecoveryKey?.(deps.store.seal.exportKey())
  const recovery = openRecovery({ ...deps, onInForce })
  // A crash may have cut the move off, or the key was recovered: it is moved now.
  if (recovery.state().state === 'ready') onInForce()
  const readiness = () =>
    readinessOf(parts, {
      listening: listening(),
      keyStore: keyStore(),
      latestAudit: auditTrail.latest,
    })
  const upkeep = openUpkeep(parts, { ...options, readiness })
  const { backups } = upkeep

  async function state(): Promise<SetupState> {
    const timeZone = settings.get('clinic.timeZone')
    const up = listeners().filter(({ isUp }) => isUp)
    const portOf = (name: string) => {
      const address = up.find((one) => one.name === name)?.address
      return address === undefined ? undefined : Number(address.slice(address.lastIndexOf(':') + 1))
    }
    const host = settings.get('dimse.host')
    const shown: Omit<SetupState, 'done'> = {
      isDone: settings.get('setup.isDone'),
      clinic: { name: settings.get('clinic.name'), timeZone, ofThisPc: timeZoneOf('local') },
      recovery: recovery.state(),
      dicom: {
        aeTitle: settings.get('dimse.aeTitle'),
        port: portOf('dimse') ?? settings.get('dimse.port'),
        tlsPort: portOf('dimse-tls') ?? null,
        addresses: lanAddresses(host),
      },
      devices: devicesHeard(parts),
      partner: newestCalls(parts.store.database),
      backup: await backups.wizardState(),
    }
    const isReachable =
      portOf('dimse') !== undefined &&
      !isLoopback(host) &&
      shown.dicom.addresses.some(({ kind }) => kind === 'network')
    return { ...shown, done: stepsDone({ ...shown, hasOwner: hasUser(parts.store), isReachable }) }
  }

  return {
    backups,
    serve(app) {
      const ports = { state, readiness, selfTest: () => selfTest({ parts, listeners }) }
      serveDashboardSetup(app, { ...{ settings, recovery, backups, feed }, ports })
      upkeep.serve(app)
    },
    [Symbol.asyncDispose]: () => upkeep[Symbol.asyncDispose](),
  }
}
