import { KEY_IMAGE_TITLES, type SavedDrawing } from '#shared/contract/saved-drawings.ts'
import { idOf } from './drawings-merge.ts'

// What is saved to the study, among what is drawn. A person's drawings are kept with a record of the
// saved drawings that they are based on, so that changes of theirs and of others are told apart.

const RECORD_ID = 'saved-to-study'
export const KEY_IMAGE = 'KeyImage'

/** An image that is marked as a key image, in the form of a kept drawing. */
export interface KeyImage {
  /** `uid` of `SavedDrawing`. */
  readonly id: string
  readonly tool: typeof KEY_IMAGE
  readonly studyInstanceUid: string
  readonly sopInstanceUid: string
  readonly frame: number
  readonly title: (typeof KEY_IMAGE_TITLES)[number]
  readonly text: string
}

export const keyImageOf = (
  studyInstanceUid: string,
  sopInstanceUid: string,
  frame: number,
): KeyImage => ({
  ...{ id: `${sopInstanceUid}/${frame}`, tool: KEY_IMAGE, studyInstanceUid },
  ...{ sopInstanceUid, frame, title: '113000', text: '' },
})

export const isKeyImage = (kept: unknown): kept is KeyImage =>
  typeof kept === 'object' && kept !== null && 'tool' in kept && kept.tool === KEY_IMAGE

export const drawingOfKeyImage = ({
  id,
  sopInstanceUid,
  frame,
  title,
  text,
}: KeyImage): SavedDrawing => ({
  ...{ uid: id, kind: 'keyImage', sopInstanceUid, frame, points: [], text, values: [] },
  title: KEY_IMAGE_TITLES.find((one) => one === title) ?? '113000',
})
export const keyImageOfDrawing = (
  { uid, sopInstanceUid, frame, title, text }: SavedDrawing,
  studyInstanceUid: string,
): KeyImage => ({
  ...{ id: uid, tool: KEY_IMAGE, studyInstanceUid, sopInstanceUid, frame, text },
  title: title ?? '113000',
})

interface BaseRecord {
  readonly id: typeof RECORD_ID
  readonly tool: 'SavedToStudy'
  readonly drawings: readonly SavedDrawing[]
}
const isRecord = (kept: unknown): kept is BaseRecord => idOf(kept) === RECORD_ID

/** The saved drawings that kept drawings are based on. */
export const baseOf = (kept: readonly unknown[]): readonly SavedDrawing[] =>
  kept.find(isRecord)?.drawings ?? []

/** Kept drawings with another record; none for the first version. */
export const withBase = (kept: readonly unknown[], base: readonly SavedDrawing[]): unknown[] => [
  ...kept.filter((one) => !isRecord(one)),
  ...(base.length === 0
    ? []
    : [{ id: RECORD_ID, tool: 'SavedToStudy', drawings: base } satisfies BaseRecord]),
]
export const withoutBase = (kept: readonly unknown[]): unknown[] =>
  kept.filter((one) => !isRecord(one))

/** Converts between kept and saved drawings. */
export interface DrawingForms {
  /** The `uid` of a kept drawing; undefined if it cannot be saved. */
  readonly uidOf: (kept: unknown) => string | undefined
  /** undefined if it cannot be saved, or its image is not listed yet. */
  readonly toSaved: (kept: unknown) => SavedDrawing | undefined
  readonly toKept: (saved: SavedDrawing, studyInstanceUid: string) => unknown
}

/** Whether both are the same drawing; what was measured follows from it. */
const isSameDrawing = (one: SavedDrawing, other: SavedDrawing): boolean =>
  textOf(one) === textOf(other)
const textOf = ({ kind, sopInstanceUid, frame, points, text, title }: SavedDrawing): string =>
  JSON.stringify([kind, sopInstanceUid, frame, points, text, title])

/**
 * Kept drawings after the saved ones have changed from `base` to `now`: a drawing that was changed
 * only there is taken from there; where both changed it, it stays as it is here.
 */
export function withAdoptedDrawings(
  studyInstanceUid: string,
  kept: readonly unknown[],
  { base, now }: { readonly base: readonly SavedDrawing[]; readonly now: readonly SavedDrawing[] },
  { uidOf, toSaved, toKept }: DrawingForms,
): unknown[] {
  const was = new Map(base.map((drawing) => [drawing.uid, drawing]))
  const is = new Map(now.map((drawing) => [drawing.uid, drawing]))
  const keptUids = new Set(kept.map(uidOf))
  const isMine = (one: unknown, before: SavedDrawing | undefined): boolean => {
    const saved = toSaved(one)
    return saved !== undefined && (before === undefined || !isSameDrawing(saved, before))
  }
  const remaining = kept.flatMap((one) => {
    const uid = uidOf(one)
    const [before, after] = [was.get(uid ?? ''), is.get(uid ?? '')]
    if (uid === undefined || (before === undefined && after === undefined)) return [one]
    if (isMine(one, before)) return [one]
    if (after === undefined) return []
    return before !== undefined && isSameDrawing(before, after)
      ? [one]
      : [toKept(after, studyInstanceUid)]
  })
  const added = now.filter((drawing) => {
    const before = was.get(drawing.uid)
    return !keptUids.has(drawing.uid) && (before === undefined || !isSameDrawing(before, drawing))
  })
  return [...remaining, ...added.map((drawing) => toKept(drawing, studyInstanceUid))]
}

/** What the next version of the saved drawings would change. */
export interface UnsavedCounts {
  readonly drawings: readonly SavedDrawing[]
  readonly removed: readonly string[]
  /** Number of drawings that are not measured yet, because their image has not been shown. */
  readonly unmeasured: number
  /** Number of drawings in planes of volumes that lie on no image, which cannot be saved. */
  readonly inPlanes: number
}

export function unsavedOf(
  kept: readonly unknown[],
  base: readonly SavedDrawing[],
  { uidOf, toSaved }: DrawingForms,
): UnsavedCounts {
  const was = new Map(base.map((drawing) => [drawing.uid, drawing]))
  const keptUids = new Set(kept.map(uidOf))
  const changed: SavedDrawing[] = []
  let inPlanes = 0
  for (const one of kept) {
    const saved = toSaved(one)
    const before = was.get(uidOf(one) ?? '')
    if (saved && (!before || !isSameDrawing(saved, before))) changed.push(saved)
    if (typeof one === 'object' && one !== null && 'sopInstanceUid' in one)
      inPlanes += one.sopInstanceUid === '' && saved === undefined ? 1 : 0
  }
  const drawings = changed.filter(isMeasured)
  return {
    drawings,
    removed: base.filter(({ uid }) => !keptUids.has(uid)).map(({ uid }) => uid),
    unmeasured: changed.length - drawings.length,
    inPlanes,
  }
}

const isMeasured = ({ kind, values }: SavedDrawing): boolean =>
  values.length > 0 ||
  kind === 'arrow' ||
  kind === 'text' ||
  kind === 'keyImage' ||
  kind === 'probe'

export const isUnsaved = ({ drawings, removed, unmeasured }: UnsavedCounts): boolean =>
  drawings.length + removed.length + unmeasured > 0
