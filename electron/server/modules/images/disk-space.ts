import type { Context } from '#server/context.ts'
import { clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import type { FeedLine, Status } from '#shared/contract/dashboard.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import { type DiskForecast, forecastOf, leastFreeBytes, receivedByDay } from './disk-forecast.ts'
import { noteDisk } from './image-feed.ts'

type Storage = Status['storage']

/** How long what was found out is believed; ms. */
const LOOK_EVERY_MS = 1000
const GIGABYTE = 1e9

const TONE: Readonly<Record<Storage['state'], FeedLine['tone']>> = {
  ok: 'good',
  low: 'warning',
  full: 'danger',
  'read-only': 'danger',
}

/** The disk that images go to. */
export class DiskSpace {
  readonly #context: Context
  #known: { readonly at: number; readonly storage: Storage } | undefined
  #noted: Storage['state'] = 'ok'
  #received: { readonly today: string; readonly days: DiskForecast['days'] } | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** At most a second old. */
  storage(): Storage {
    const now = this.#context.clock()
    if (this.#known && Math.abs(now - this.#known.at) < LOOK_EVERY_MS) return this.#known.storage
    const storage = storageOf(this.#context)
    this.#known = { at: now, storage }
    const { state, detail } = storage
    if (state !== this.#noted) {
      this.#noted = state
      const text = isMessage(detail) ? detail : message('images.room-again')
      noteDisk(this.#context, TONE[state], text)
    }
    return storage
  }

  /**
   * When no more images will be accepted, at the rate of the last days, which are read once a day:
   * a clinic may have thousands of studies in them.
   */
  forecast(): DiskForecast {
    const { clock, settings } = this.#context
    const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
    const today = `${clinicDay(clock(), timeZone)} ${timeZone}`
    if (this.#received?.today !== today)
      this.#received = { today, days: receivedByDay(this.#context) }
    return forecastOf(this.storage(), leastFreeBytes(settings), this.#received.days)
  }

  /**
   * Whether associations for storage are taken now: there is room on the disk, and it can be
   * written to.
   */
  takesImages(): boolean {
    return ['ok', 'low'].includes(this.storage().state)
  }

  /** A write failed: looked at again at once. */
  failed(): void {
    this.#known = undefined
  }
}

function storageOf({ imageFiles, settings }: Context): Storage {
  const isWritable = imageFiles.isWritable()
  const space = spaceOf(imageFiles)
  const { freeBytes } = space
  const free = freeBytes / GIGABYTE
  const stop = settings.get('intake.stopGigabytes')
  const found = (state: Storage['state'], detail: Message | null) => ({ state, ...space, detail })
  if (!isWritable) return found('read-only', message('images.folder-read-only'))
  if (free < stop) return found('full', message('images.too-little-free', { free, stop }))
  if (freeBytes < leastFreeBytes(settings)) return found('full', message('images.disk-full'))
  if (free < settings.get('intake.warnGigabytes'))
    return found('low', message('images.little-free', { free, stop }))
  return found('ok', null)
}

/** A disk that cannot be asked has no room. */
function spaceOf(files: Context['imageFiles']) {
  try {
    return files.space()
  } catch (error) {
    if (error instanceof StorageFault) return { freeBytes: 0, totalBytes: 0 }
    throw error
  }
}
