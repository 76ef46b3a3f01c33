import { randomId } from '../format/random-id.ts'
import type { DraftKeeper } from './draft-keeper.ts'

/** This window to the gateway, as long as its page is open: one person may write in two. */
export const WINDOW_ID: string = randomId()

/**
 * Whose text it is, and of what. A report that was not begun has no id yet; an addendum always has
 * one.
 */
export interface DraftIdentity {
  readonly userId: string
  readonly studyId: string
  readonly draft: { readonly reportId: string; readonly isAddendum: boolean } | null
}

interface KeptDraftEntry {
  readonly written: DraftIdentity
  readonly keeper: DraftKeeper
  /** Of screens that show it: React's StrictMode has two for a moment. */
  shownBy: number
}

/** A draft whose screen was left before it could be saved. */
export interface LeftDraft {
  readonly studyId: string
  readonly keeper: DraftKeeper
}

// In memory only: no text about a patient goes to the browser's storage. A draft is kept for as
// long as its screen is open, and after that until it is saved: also when the session ended before.
const drafts = new Map<string, KeptDraftEntry>()
const leaving = new Set<Promise<unknown>>()
const listeners = new Set<() => void>()
let left: readonly LeftDraft[] = []

const keyOf = ({ userId, studyId, draft }: DraftIdentity) =>
  `${userId} ${studyId} ${draft?.isAddendum ? draft.reportId : 'report'}`
const isSaved = ({ keeper }: Pick<KeptDraftEntry, 'keeper'>) => keeper.current().state === 'saved'

/** Drops what is saved and shown nowhere, and says what was left behind. */
function update(): void {
  for (const [key, draft] of drafts) if (draft.shownBy === 0 && isSaved(draft)) drafts.delete(key)
  const now = [...drafts.values()].filter(
    ({ shownBy, keeper }) => shownBy === 0 && UNSAVED_STATES.includes(keeper.current().state),
  )
  if (now.length === left.length && now.every(({ keeper }, at) => keeper === left[at]?.keeper))
    return
  left = now.map(({ written: { studyId }, keeper }) => ({ studyId, keeper }))
  for (const listener of listeners) listener()
}
const UNSAVED_STATES: readonly string[] = ['failing', 'refused', 'conflict']

/** The draft of this person that is shown here, or that was left here and is not saved yet. */
export const findKeptDraft = (written: DraftIdentity): DraftKeeper | undefined =>
  drafts.get(keyOf(written))?.keeper

/**
 * Keeps the draft for as long as its screen is shown. The function it gives ends that: it saves
 * what is written and lets go of the report. What could not be saved is kept, and tried again.
 */
export function showDraft(written: DraftIdentity, keeper: DraftKeeper): () => void {
  const key = keyOf(written)
  const before = drafts.get(key)
  const kept = before?.keeper === keeper ? before : { written, keeper, shownBy: 0 }
  if (kept !== before) keeper.subscribe(update)
  drafts.set(key, kept)
  kept.shownBy += 1
  keeper.show()
  update()
  return () => {
    kept.shownBy -= 1
    if (kept.shownBy > 0) return
    const hidden = keeper.hide().then(update)
    leaving.add(hidden)
    void hidden.finally(() => leaving.delete(hidden))
  }
}

export const unsavedDrafts = (): readonly LeftDraft[] => left
export function onLeftDrafts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Clears a text from memory that a person does not want to save any more. */
export function discardDraft(keeper: DraftKeeper): void {
  keeper.forget()
  for (const [key, draft] of drafts) if (draft.keeper === keeper) drafts.delete(key)
  update()
}

/** Whether anything of this window is not saved. */
export const hasUnsavedDrafts = (): boolean => [...drafts.values()].some((draft) => !isSaved(draft))

/** Saves everything that can be saved; resolves with whether nothing is left. */
export async function saveDrafts(): Promise<boolean> {
  await Promise.all([...drafts.values()].map(({ keeper }) => keeper.flush()))
  return !hasUnsavedDrafts()
}

/**
 * Resolves once the screens that were left have saved what they could, and let go of their reports.
 */
export async function whenDraftsReleased(): Promise<void> {
  await Promise.allSettled(leaving)
}

/**
 * Somebody signed in: their own drafts are saved now, those of anybody else are cleared from
 * memory.
 * @returns whether words were discarded that were not saved
 */
export function keepOnlyDraftsOf(userId: string): boolean {
  let hasDiscarded = false
  for (const draft of [...drafts.values()]) {
    if (draft.written.userId === userId) draft.keeper.signedIn()
    else {
      hasDiscarded ||= !isSaved(draft)
      discardDraft(draft.keeper)
    }
  }
  return hasDiscarded
}

/** The browser asks before the page is left with a text that is not saved. */
export function warnBeforeUnload(): void {
  window.addEventListener('beforeunload', (event) => {
    if (hasUnsavedDrafts()) event.preventDefault()
  })
}
