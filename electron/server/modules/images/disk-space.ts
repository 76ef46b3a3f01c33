import type { Context } from '#server/context.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import type { FeedLine, Status } from '#shared/contract/dashboard.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import { appendDiskEntry } from './image-feed.ts'

type Storage = Status['storage']

/** How long a measurement is cached (ms). */
const CACHE_MS = 1000
const GIGABYTE = 1e9
/** Space that the database needs for the rows of images, regardless of the setting. */
const MIN_FREE_BYTES = 64 << 20

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
  const free = freeBytes / GIGABYTE
  const stop = settings.get('intake.stopGigabytes')
  const found = (state: Storage['state'], detail: Message | null) => ({ state, ...space, detail })
  if (!isWritable) return found('read-only', message('images.folder-read-only'))
  if (free < stop) return found('full', message('images.too-little-free', { free, stop }))
  if (freeBytes < MIN_FREE_BYTES) return found('full', message('images.disk-full'))
  if (free < settings.get('intake.warnGigabytes'))
    return found('low', message('images.little-free', { free, stop }))
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
