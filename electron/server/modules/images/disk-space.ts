import type { Context } from '#server/context.ts'
import { clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import type { FeedLine, Status } from '#shared/contract/dashboard.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import { type DiskForecast, forecastOf, minFreeBytes, receivedByDay } from './disk-forecast.ts'
import { appendDiskEntry } from './image-feed.ts'

type Storage = Status['storage']

/** How long a measurement is cached (ms). */
const CACHE_MS = 1000
const GIGABYTE = 1e9

const TONES: Readonly<Record<Storage['state'], FeedLine['tone']>> = {
  ok: 'good',
  low: 'warning',
  full: 'danger',
  'read-only': 'danger',
}

/** Monitors the disk on which images are stored. */
export class DiskSpace {
  readonly #context: Context
  #known: { readonly at: number; readonly storage: Storage } | undefined
  #noted: Storage['state'] = 'ok'
  #received: { readonly today: string; readonly days: DiskForecast['days'] } | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** The state, which is at most a second old. */
  storage(): Storage {
    const now = this.#context.clock()
    if (this.#known && Math.abs(now - this.#known.at) < CACHE_MS) return this.#known.storage
    const storage = storageOf(this.#context)
    this.#known = { at: now, storage }
    const { state, detail } = storage
    if (state !== this.#noted) {
      this.#noted = state
      const text = isMessage(detail) ? detail : message('images.room-again')
      appendDiskEntry(this.#context, TONES[state], text)
    }
    return storage
  }

  /**
   * When the disk will be too full to accept images, at the rate of the last days. The rate is
   * computed once a day, because these days may have thousands of studies.
   */
  forecast(): DiskForecast {
    const { clock, settings } = this.#context
    const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
    const today = `${clinicDay(clock(), timeZone)} ${timeZone}`
    if (this.#received?.today !== today)
      this.#received = { today, days: receivedByDay(this.#context) }
    return forecastOf(this.storage(), minFreeBytes(settings), this.#received.days)
  }

  /** Whether images can be received: the disk has enough space and is writable. */
  takesImages(): boolean {
    return ['ok', 'low'].includes(this.storage().state)
  }

  /** Discards the cached measurement, after a failed write. */
  failed(): void {
    this.#known = undefined
  }
}

function storageOf({ imageFiles, settings }: Context): Storage {
  const isWritable = imageFiles.isWritable()
  const space = spaceOf(imageFiles)
  const { freeBytes } = space
  const freeGigabytes = freeBytes / GIGABYTE
  const stop = settings.get('intake.stopGigabytes')
  const found = (state: Storage['state'], detail: Message | null) => ({ state, ...space, detail })
  if (!isWritable) return found('read-only', message('images.folder-read-only'))
  if (freeGigabytes < stop)
    return found('full', message('images.too-little-free', { free: freeGigabytes, stop }))
  if (freeBytes < minFreeBytes(settings)) return found('full', message('images.disk-full'))
  if (freeGigabytes < settings.get('intake.warnGigabytes'))
    return found('low', message('images.little-free', { free: freeGigabytes, stop }))
  return found('ok', null)
}

/** A disk that cannot be queried is considered full. */
function spaceOf(files: Context['imageFiles']) {
  try {
    return files.space()
  } catch (error) {
    if (error instanceof StorageFault) return { freeBytes: 0, totalBytes: 0 }
    throw error
  }
}
