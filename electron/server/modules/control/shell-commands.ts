import { setTimeout as wait } from 'node:timers/promises'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { Dicom } from '#server/modules/devices/dicom-services.ts'
import { lockThisPc } from '#server/modules/users/sessions.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { DataCommand } from './command.ts'

/** Commands that the desktop app uses; scripts may use them, too. */
export const SHELL_COMMANDS: Readonly<Record<string, DataCommand>> = {
  status: {
    usage: '',
    about: 'print how the running gateway stands, as JSON',
    options: {},
    run: async (_context, _request, gateway) => JSON.stringify(await (gateway ?? none()).status()),
  },
  lock: {
    usage: '',
    about: 'lock every window of this PC',
    options: {},
    run(context) {
      const count = lockThisPc(context)
      return count === 1 ? 'One window was locked.' : `${count} windows were locked.`
    },
  },
  'prepare-update': {
    usage: '',
    about:
      'make a backup, take no more associations and wait for those that are open; stop the gateway then, or it goes on after five minutes',
    options: {},
    run: (_context, _request, gateway) => (gateway ?? none()).prepareUpdate(),
  },
}

function none(): never {
  throw new ApiError('unavailable', verbatim('No gateway runs on this data folder.'))
}

type Listening = { readonly dicom: Pick<Dicom, 'openOfDevices' | 'putOff'> | undefined }

/** How long to wait for open associations; a device may be sending a large study. */
const WAIT_MS = 120_000
/** If the gateway is not stopped within this time, it accepts associations again. */
const LAPSE_MS = 5 * 60_000
const LOOK_MS = 250

/**
 * Prepares the gateway for being stopped by an update. The backup, which may fail, comes first;
 * refusing associations, which devices notice, comes last.
 */
export class UpdatePreparation implements Disposable {
  readonly #backups: Pick<Backups, 'make'>
  readonly #listening: Listening
  readonly #waitMs: number
  readonly #lapseMs: number
  #current: Promise<string> | undefined
  #lapse: NodeJS.Timeout | undefined

  constructor(
    backups: Pick<Backups, 'make'>,
    listening: Listening,
    waitMs = WAIT_MS,
    lapseMs = LAPSE_MS,
  ) {
    this.#backups = backups
    this.#listening = listening
    this.#waitMs = waitMs
    this.#lapseMs = lapseMs
  }

  /**
   * Prepares for the update; concurrent calls share one run.
   * @throws ApiError, StoreError
   */
  run(): Promise<string> {
    this.#current ??= this.#prepare().finally(() => {
      this.#current = undefined
    })
    return this.#current
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#lapse)
  }

  /** Number of open associations of known devices. Unknown callers do not delay an update. */
  #open(): number {
    return this.#listening.dicom?.openOfDevices ?? 0
  }

  async #prepare(): Promise<string> {
    await this.#backups.make('before-update', 'gateway')
    clearTimeout(this.#lapse)
    this.#listening.dicom?.putOff(true)
    const began = performance.now()
    while (this.#open() > 0 && performance.now() - began < this.#waitMs) await wait(LOOK_MS)
    this.#lapse = setTimeout(() => this.#listening.dicom?.putOff(false), this.#lapseMs).unref()
    const left = this.#open()
    if (left === 0)
      return 'A backup was made, and no device is connected: the gateway can be stopped.'
    const still =
      left === 1 ? 'One association is still open' : `${left} associations are still open`
    return `A backup was made. ${still}, and what is done by ${left === 1 ? 'it' : 'them'} ends with the gateway.`
  }
}
