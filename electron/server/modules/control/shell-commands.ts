import { setTimeout as wait } from 'node:timers/promises'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { Dicom } from '#server/modules/devices/dicom-services.ts'
import type { UpdatePreflight } from '#server/modules/diagnostics/update-preflight.ts'
import { lockThisPc } from '#server/modules/users/sessions.ts'
import { ApiError } from '#shared/errors.ts'
import { sentences, verbatim } from '#shared/messages/message.ts'
import type { DataCommand } from './command.ts'

/** Commands that the desktop app uses; scripts may use them, too. */
export const SHELL_COMMANDS: Readonly<Record<string, DataCommand>> = {
  status: {
    usage: '',
    about: 'print the status of the running gateway as JSON',
    options: {},
    run: async (_context, _request, gateway) =>
      JSON.stringify(await (gateway ?? throwNoGateway()).status()),
  },
  lock: {
    usage: '',
    about: 'lock Isthmus in every session on this PC',
    options: {},
    run(context) {
      const count = lockThisPc(context)
      return count === 1 ? 'One session was locked.' : `${count} sessions were locked.`
    },
  },
  'prepare-update': {
    usage: '',
    about:
      'make a backup, refuse new associations and wait for open ones; if the gateway is not stopped within five minutes, it accepts associations again',
    options: {},
    run: (_context, _request, gateway) => (gateway ?? throwNoGateway()).prepareUpdate(),
  },
}

function throwNoGateway(): never {
  throw new ApiError('unavailable', verbatim('No gateway is running on this data folder.'))
}

type ListeningServices = {
  readonly dicom: Pick<Dicom, 'openOfDevices' | 'setRejecting'> | undefined
}

/** How long to wait for open associations; a device may be sending a large study. */
const WAIT_MS = 120_000
/** If the gateway is not stopped within this time, it accepts associations again. */
const RESUME_MS = 5 * 60_000
const POLL_MS = 250

/**
 * Prepares the gateway for being stopped by an update. The backup, which may fail, comes first;
 * refusing associations, which devices notice, comes last.
 */
export class UpdatePreparation implements Disposable {
  readonly #backups: Pick<Backups, 'make'>
  readonly #listening: ListeningServices
  readonly #waitMs: number
  readonly #resumeMs: number
  readonly #preflight: () => Promise<Pick<UpdatePreflight, 'findings'>>
  #current: Promise<string> | undefined
  #resumeTimer: NodeJS.Timeout | undefined

  constructor(
    backups: Pick<Backups, 'make'>,
    listening: ListeningServices,
    waitMs = WAIT_MS,
    resumeMs = RESUME_MS,
    preflight: () => Promise<Pick<UpdatePreflight, 'findings'>> = async () => ({ findings: [] }),
  ) {
    this.#backups = backups
    this.#listening = listening
    this.#waitMs = waitMs
    this.#resumeMs = resumeMs
    this.#preflight = preflight
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
    clearTimeout(this.#resumeTimer)
  }

  /** Number of open associations of known devices. Unknown callers do not delay an update. */
  #openAssociations(): number {
    return this.#listening.dicom?.openOfDevices ?? 0
  }

  async #prepare(): Promise<string> {
    const { findings } = await this.#preflight()
    const fault = findings.find(({ verdict }) => verdict === 'bad')
    if (fault) throw new ApiError('refused', sentences(fault.sentence, fault.remedy ?? undefined))
    await this.#backups.make('before-update', 'gateway')
    clearTimeout(this.#resumeTimer)
    this.#listening.dicom?.setRejecting(true)
    const startedAt = performance.now()
    while (this.#openAssociations() > 0 && performance.now() - startedAt < this.#waitMs)
      await wait(POLL_MS)
    this.#resumeTimer = setTimeout(
      () => this.#listening.dicom?.setRejecting(false),
      this.#resumeMs,
    ).unref()
    const openCount = this.#openAssociations()
    if (openCount === 0)
      return 'A backup was made, and no device is connected: the gateway can be stopped.'
    const openSentence =
      openCount === 1 ? 'One association is still open' : `${openCount} associations are still open`
    return `A backup was made. ${openSentence}, and will end when the gateway stops.`
  }
}
