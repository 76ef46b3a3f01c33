import { IMAGE_WIDTH_PERCENT } from './split.ts'

/** Where the images of a study are while its report is written. */
const IMAGES_MODES = ['hidden', 'beside', 'window'] as const
export type ImagesMode = (typeof IMAGES_MODES)[number]

export interface Choice {
  readonly mode: ImagesMode
  /** Percent of the width. */
  readonly share: number
}

const keyOf = (userId: string) => `isthmus.images.${userId}`

/** What this person chose in this browser. Whatever cannot be read is as if nothing was chosen. */
export function rememberedChoice(
  storage: Pick<Storage, 'getItem'>,
  userId: string,
  initial: ImagesMode,
): Choice {
  const kept = read(storage, keyOf(userId))
  const mode = IMAGES_MODES.find((one) => one === kept.mode) ?? initial
  const share =
    typeof kept.share === 'number' &&
    kept.share >= IMAGE_WIDTH_PERCENT.least &&
    kept.share <= IMAGE_WIDTH_PERCENT.most
      ? kept.share
      : IMAGE_WIDTH_PERCENT.initial
  return { mode, share }
}

export function rememberChoice(
  storage: Pick<Storage, 'setItem'>,
  userId: string,
  choice: Choice,
): void {
  try {
    storage.setItem(keyOf(userId), JSON.stringify(choice))
  } catch {
    // A browser that keeps nothing shows the images as well.
  }
}

function read(
  storage: Pick<Storage, 'getItem'>,
  key: string,
): { readonly mode?: unknown; readonly share?: unknown } {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? '{}')
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {}
  }
}
