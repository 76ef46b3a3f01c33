import type { StructuredReport } from '#shared/contract/viewed-objects.ts'
import type { ListState, StackImage } from '../engine/stack.ts'
import { conceptText } from './report-tree.ts'

/** An image that a key object selection refers to. */
export interface KeyImage {
  readonly sopInstanceUid: string
  /** Undefined: all frames. */
  readonly frame: number | undefined
}

/** A key object selection of the view (PS3.3 A.35.4). */
export interface KeySelection {
  readonly mediaId: number
  /** Such as `Of Interest`. */
  readonly title: string
  readonly description: string
  /** Its images were rejected, or are not for reading. */
  readonly isRejection: boolean
  readonly images: readonly KeyImage[]
}

/** Selections of the view, for `useSyncExternalStore`. The same object until something changes. */
export interface KeyImages {
  state(): KeyImagesState
  subscribe(listener: () => void): () => void
}
export interface KeyImagesState {
  readonly selections: readonly KeySelection[]
  /** Media ids of selections that could not be read. */
  readonly failed: readonly number[]
}

/** More selections than a study has. */
const MAX_SELECTIONS = 50
/** PS3.16 CID 7010: rejected for quality or patient safety, wrong worklist entry, expired. */
const REJECTION_CODES = new Set(['113001', '113037', '113038', '113039'])

/** Reads the key object selections as they are listed, each once. */
export function openKeyImages(
  list: { state(): Pick<ListState, 'media'>; subscribe(listener: () => void): () => void },
  read: (sopInstanceUid: string) => Promise<StructuredReport>,
): KeyImages {
  const listeners = new Set<() => void>()
  const asked = new Set<string>()
  let state: KeyImagesState = { selections: [], failed: [] }
  const set = (change: Partial<KeyImagesState>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const ask = () => {
    for (const { mediaId, shownAs, object } of list.state().media) {
      if (shownAs !== 'key-images' || !object || asked.has(object.sopInstanceUid)) continue
      if (asked.size >= MAX_SELECTIONS) return
      asked.add(object.sopInstanceUid)
      read(object.sopInstanceUid).then(
        (report) =>
          set({
            selections: [...state.selections, selectionOf(mediaId, report)].toSorted(
              (one, other) => one.mediaId - other.mediaId,
            ),
          }),
        () => set({ failed: [...state.failed, mediaId] }),
      )
    }
  }
  list.subscribe(ask)
  ask()
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** PS3.16 TID 2010: Key Object Description. */
const DESCRIPTION_CODE = '113012'

export function selectionOf(mediaId: number, { title, items }: StructuredReport): KeySelection {
  const texts = items.filter(({ valueType }) => valueType === 'TEXT')
  const description = texts.find(({ concept }) => concept?.value === DESCRIPTION_CODE) ?? texts[0]
  return {
    mediaId,
    title: conceptText(title),
    description: description?.value ?? '',
    isRejection: REJECTION_CODES.has(title?.value ?? ''),
    images: items
      .filter(({ valueType }) => valueType === 'IMAGE')
      // A presentation state of the image comes after it.
      .flatMap(({ references }) => references.slice(0, 1))
      .flatMap(({ sopInstanceUid, frames }): KeyImage[] =>
        frames.length === 0
          ? [{ sopInstanceUid, frame: undefined }]
          : frames.map((frame) => ({ sopInstanceUid, frame })),
      ),
  }
}

/** The selections that refer to this image. */
export const selectionsOf = (
  { selections }: KeyImagesState,
  { sopInstanceUid, frame }: Pick<StackImage, 'sopInstanceUid' | 'frame'>,
): readonly KeySelection[] =>
  selections.filter(({ images }) =>
    images.some(
      (image) =>
        image.sopInstanceUid === sopInstanceUid &&
        (image.frame === undefined || image.frame === frame),
    ),
  )

/** Key images that are here, in the order of the series; each once. @param of null: all selections */
export function keyStackOf(
  { studies }: Pick<ListState, 'studies'>,
  { selections, failed }: KeyImagesState,
  of: number | null,
): readonly StackImage[] {
  const chosen = selections.filter(({ mediaId }) => of === null || mediaId === of)
  if (chosen.length === 0) return []
  const keys = { selections: chosen, failed }
  return studies
    .flatMap(({ series }) => series)
    .flatMap(({ stack }) => stack)
    .filter((image) => selectionsOf(keys, image).length > 0)
}

/** Key images that a selection refers to and that are not in the view. */
export function absentCount(
  { studies }: Pick<ListState, 'studies'>,
  selections: readonly KeySelection[],
): number {
  const presentUids = new Set(
    studies.flatMap(({ series }) =>
      series.flatMap(({ stack }) => stack.map(({ sopInstanceUid }) => sopInstanceUid)),
    ),
  )
  const all = selections.flatMap(({ images }) => images.map(({ sopInstanceUid }) => sopInstanceUid))
  return new Set(all.filter((uid) => !presentUids.has(uid))).size
}

/** The key image `step` further than the one that is shown; the ends do not meet. */
export function keyAfter(
  stack: readonly StackImage[],
  shown: string | undefined,
  step: number,
): StackImage | undefined {
  const at = stack.findIndex(({ imageId }) => imageId === shown)
  if (at === -1) return step > 0 ? stack[0] : stack.at(-1)
  return stack[at + step]
}
