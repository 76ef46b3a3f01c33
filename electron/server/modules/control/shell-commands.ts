import { setTimeout as wait } from 'node:timers/promises'
import { lockThisPc } from '#server/modules/users/sessions.ts'
import type { ShellStatus } from '#shared/contract/shell.ts'
import { ApiError } from '#shared/errors.ts'
import type { DataCommand } from './command.ts'

/** What the running gateway does for the desktop app, beyond its data. */
export interface RunningGateway {
  status(): Promise<ShellStatus>
  /**
   * Makes everything ready for its end; resolves with one sentence. @throws ApiError, StoreError:
   * it goes on as before
   */
  prepareUpdate(): Promise<string>
  /** Where its log goes; undefined: to stderr. */
  readonly logFile: string | undefined
}

/**
 * What the desktop app asks of the gateway, by the table of `commands.ts`; scripts may ask the
 * same.
 */
export const SHELL_COMMANDS: Readonly<Record<string, DataCommand>> = {
  status: {
    usage: '',
    about: 'print how the running gateway stands, as JSON',
    options: {},
    run: async (_parts, _request, { running }) =>
      JSON.stringify(await (running ?? none()).status()),
  },
  lock: {
    usage: '',
    about: 'lock every window of this PC',
    options: {},
    run({ store }) {
      const count = lockThisPc(store)
      return count === 1 ? 'One window was locked.' : `${count} windows were locked.`
    },
  },
  'prepare-update': {
    usage: '',
    about:
      'make a back-up, take no more associations and wait for those that are open; stop the gateway then, or it goes on after five minutes',
    options: {},
    run: (_parts, _request, { running }) => (running ?? none()).prepareUpdate(),
  },
}

function none(): never {
  throw new ApiError('unavailable', 'No gateway runs on this data folder.')
}

export interface UpdatePreparationDeps {
  /** Makes a back-up. @throws ApiError, StoreError */
  readonly backUp: () => Promise<void>
  /** Whether new associations are put off. */
  readonly putOff: (isOn: boolean) => void
  readonly openAssociations: () => number
  readonly waitMs?: number
  readonly lapseMs?: number
}

/** A device may send a large study; longer than that nobody waits. */
const WAIT_MS = 120_000
/** Nobody stopped the gateway: devices are served again. */
const LAPSE_MS = 5 * 60_000
const LOOK_MS = 250

/**
 * The order in which a gateway is made ready for its end: what can fail first, what devices feel
 * last.
 */
export function updatePreparation(
  deps: UpdatePreparationDeps,
): (() => Promise<string>) & Disposable {
  const { backUp, putOff, openAssociations, waitMs = WAIT_MS, lapseMs = LAPSE_MS } = deps
  let underWay: Promise<string> | undefined
  let lapse: NodeJS.Timeout | undefined

  async function prepare(): Promise<string> {
    await backUp()
    clearTimeout(lapse)
    putOff(true)
    const began = performance.now()
    while (openAssociations() > 0 && performance.now() - began < waitMs) await wait(LOOK_MS)
    lapse = setTimeout(() => putOff(false), lapseMs).unref()
    const left = openAssociations()
    if (left === 0)
      return 'A back-up was made, and no device is connected: the gateway can be stopped.'
    const still =
      left === 1 ? 'One association is still open' : `${left} associations are still open`
    return `A back-up was made. ${still}, and what is done by ${left === 1 ? 'it' : 'them'} ends with the gateway.`
  }

  return Object.assign(
    () => {
      underWay ??= prepare().finally(() => {
        underWay = undefined
      })
      return underWay
    },
    { [Symbol.dispose]: () => clearTimeout(lapse) },
  )
}
