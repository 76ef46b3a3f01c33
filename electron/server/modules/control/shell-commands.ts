import { setTimeout as wait } from 'node:timers/promises'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { Dicom } from '#server/modules/devices/dicom-services.ts'
import { lockThisPc } from '#server/modules/users/sessions.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { DataCommand } from './command.ts'

/**
 * What the desktop app asks of the gateway, by the table of `commands.ts`; scripts may ask the
 * same.
 */
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

/** A device may send a large study; longer than that nobody waits. */
const WAIT_MS = 120_000
/** Nobody stopped the gateway: devices are served again. */
const LAPSE_MS = 5 * 60_000
const LOOK_MS = 250

/**
 * The order in which a gateway is made ready for its end: what can fail first, what devices notice
 * last.
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

  /** Calls that come while one is under way share it. @throws ApiError, StoreError */
  run(): Promise<string> {
    this.#current ??= this.#prepare().finally(() => {
      this.#current = undefined
    })
    return this.#current
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#lapse)
  }

  /** An unknown caller that stays connected does not hold an update up. */
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
