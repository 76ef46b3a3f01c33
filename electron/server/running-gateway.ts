import type { Backups } from './modules/backups/backups.ts'
import { type RunningGateway, updatePreparation } from './modules/control/shell-commands.ts'
import { type ShellStateDeps, shellState } from './modules/control/shell-state.ts'
import type { DashboardPorts } from './modules/dashboard/ports.ts'
import type { Parts } from './parts.ts'

export interface RunningDeps
  extends Pick<ShellStateDeps, 'auditTrail' | 'exams' | 'reconciliation'> {
  readonly version: string
  readonly logFile: string | undefined
  readonly ports: DashboardPorts
  readonly backups: Pick<Backups, 'make'>
  /** Associations that an update waits for: a stranger that stays connected must not hold it up. */
  readonly openOfDevices: () => number
  /** While it is on, new associations are put off. */
  readonly putOff: (isOn: boolean) => void
}

/** What the control socket tells of the running gateway, and asks of it. */
export function openRunning(parts: Parts, deps: RunningDeps): RunningGateway & Disposable {
  const { logFile, openOfDevices, backups, putOff } = deps
  const { clock } = parts.deps
  const prepareUpdate = updatePreparation({
    backUp: async () => void (await backups.make('before-update', 'gateway')),
    putOff,
    openAssociations: openOfDevices,
  })
  return {
    status: shellState({ ...parts, ...deps, clock }),
    prepareUpdate,
    logFile,
    [Symbol.dispose]: () => prepareUpdate[Symbol.dispose](),
  }
}
