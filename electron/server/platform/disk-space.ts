import { StorageFault } from '#server/modules/images/image-files.ts'
import { diskNews, type IntakeDeps, type News } from '#server/modules/images/ports.ts'
import type { Status } from '#shared/contract/dashboard.ts'

type Storage = Status['storage']

/** How long what was found out is believed; ms. */
const LOOK_EVERY_MS = 1000
const GIGABYTE = 1e9
/** What the database needs for the rows of images, whatever the setting says. */
const LEAST_BYTES = 64 << 20

/** The disk that images go to. */
export interface Disk {
  /** At most a second old. */
  storage(): Storage
  takesImages(): boolean
  /** A write failed: looked at again at once. */
  failed(): void
}

export function openDisk({
  store,
  clock,
  setting,
  onNews,
}: Pick<IntakeDeps, 'store' | 'clock' | 'setting' | 'onNews'>): Disk {
  let known: { readonly at: number; readonly storage: Storage } | undefined
  let told: Storage['state'] = 'ok'

  function look(): Storage {
    const isWritable = store.imageFiles.isWritable()
    const { freeBytes, totalBytes } = spaceOf(store.imageFiles)
    const free = `${(freeBytes / GIGABYTE).toFixed(1)} GB are free`
    const stop = setting('intake.stopGigabytes')
    if (!isWritable)
      return {
        state: 'read-only',
        freeBytes,
        totalBytes,
        detail: 'The image folder cannot be written to: no images are taken.',
      }
    if (freeBytes < stop * GIGABYTE)
      return {
        state: 'full',
        freeBytes,
        totalBytes,
        detail: `No images are taken: ${free}, fewer than the ${stop} GB to be kept free.`,
      }
    if (freeBytes < LEAST_BYTES)
      return {
        state: 'full',
        freeBytes,
        totalBytes,
        detail: 'No images are taken: the disk is full.',
      }
    if (freeBytes < setting('intake.warnGigabytes') * GIGABYTE)
      return {
        state: 'low',
        freeBytes,
        totalBytes,
        detail: `${free}; below ${stop} GB no more images are taken.`,
      }
    return { state: 'ok', freeBytes, totalBytes, detail: '' }
  }

  function storage(): Storage {
    const now = clock()
    if (known && Math.abs(now - known.at) < LOOK_EVERY_MS) return known.storage
    known = { at: now, storage: look() }
    tell(known.storage)
    return known.storage
  }

  function tell({ state, detail }: Storage): void {
    if (state === told) return
    told = state
    const text = state === 'ok' ? 'There is room for images again.' : detail
    onNews(diskNews(TONE[state], text))
  }

  return {
    storage,
    takesImages: () => ['ok', 'low'].includes(storage().state),
    failed() {
      known = undefined
    },
  }
}

const TONE: Readonly<Record<Storage['state'], News['tone']>> = {
  ok: 'good',
  low: 'warning',
  full: 'danger',
  'read-only': 'danger',
}

/** A disk that cannot be asked has no room. */
function spaceOf(files: IntakeDeps['store']['imageFiles']): {
  freeBytes: number
  totalBytes: number
} {
  try {
    return files.space()
  } catch (error) {
    if (error instanceof StorageFault) return { freeBytes: 0, totalBytes: 0 }
    throw error
  }
}
