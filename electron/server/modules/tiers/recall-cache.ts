import type { Context } from '#server/context.ts'
import { minFreeBytes } from '#server/modules/images/disk-forecast.ts'
import { removeLocalFiles } from '#server/modules/images/local-files.ts'
import { KeyedMutex } from '#server/platform/concurrency.ts'
import { ApiError } from '#shared/errors.ts'
import { asSentence, message } from '#shared/messages/message.ts'
import { isRemovable, listOldestRecalls, sumRecalledBytes } from './recall-queries.ts'

const GIGABYTE = 1e9
const BATCH_SIZE = 100

/** There is no space for a file that was to be fetched. */
export class NoSpaceFault extends ApiError {
  constructor() {
    super('unavailable', asSentence(message('tiers.no-space')))
  }
}

/**
 * Limits the disk space of files that were fetched from tiers (`tiers.cacheGigabytes`): those that
 * were fetched first are removed again, if a tier still has a verified copy of them. While the disk
 * is nearly full they are all removed, and what is left of its space is for images from devices.
 */
export class RecallCache {
  readonly #context: Context
  readonly #turns = new KeyedMutex()
  /** Bytes of files that are being fetched. */
  #reserved = 0

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Makes room for a file, which counts until the returned function is called.
   * @throws NoSpaceFault
   */
  async reserve(bytes: number): Promise<() => void> {
    this.#reserved += bytes
    const release = () => {
      this.#reserved -= bytes
    }
    try {
      await this.#turns.run('', () => this.#shrink())
      return release
    } catch (error) {
      release()
      throw error
    }
  }

  async #shrink(): Promise<void> {
    const { database, settings, imageFiles } = this.#context
    const { inUse } = imageFiles
    const limit = settings.get('tiers.cacheGigabytes') * GIGABYTE
    const stop = minFreeBytes(settings)
    const warningBytes = Math.max(stop, settings.get('intake.warnGigabytes') * GIGABYTE)
    const freeBytes = () => imageFiles.space().freeBytes - this.#reserved
    const excess = () =>
      Math.max(sumRecalledBytes(database) + this.#reserved - limit, warningBytes - freeBytes())
    for (let over = excess(); over > 0; over = excess()) {
      const oldest = listOldestRecalls(database, BATCH_SIZE + inUse.size).filter(
        ({ instanceId }) => !inUse.has(instanceId),
      )
      let freed = 0
      const removable = oldest.filter((one) => {
        const isNeeded = freed < over
        freed += one.bytes
        return isNeeded
      })
      const removed = await removeLocalFiles(this.#context, removable, (files) =>
        files.filter(
          ({ instanceId }) => !inUse.has(instanceId) && isRemovable(database, instanceId),
        ),
      )
      if (removed.length === 0) break
    }
    // The rest is left to devices, which would be refused below `stop`.
    if (freeBytes() < (stop + warningBytes) / 2) throw new NoSpaceFault()
  }
}
