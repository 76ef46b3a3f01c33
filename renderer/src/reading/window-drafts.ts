/** This window to the gateway, as long as its page is open: one person may write in two. */
export const WINDOW_ID: string = crypto.randomUUID()

interface Unsaved {
  readonly text: string
  readonly revision: number | null
}

// In memory only: no text about a patient goes to the browser's storage. It outlives the screen, e.g. when the session ended before the save.
const texts = new Map<string, Unsaved>()

/** Where a text is kept: by whom it was written, and of what. A report that was not begun has no id yet; an addendum always has one. */
export interface Written {
  readonly userId: string
  readonly studyId: string
  readonly draft: { readonly reportId: string; readonly isAddendum: boolean } | null
}
const keyOf = ({ userId, studyId, draft }: Written) => `${userId} ${studyId} ${draft?.isAddendum ? draft.reportId : 'report'}`

/** What this person wrote in this window and could not save. */
export const unsavedText = (written: Written): Unsaved | undefined => texts.get(keyOf(written))

export function keepUnsaved(written: Written, unsaved: Unsaved | null): void {
  if (unsaved) texts.set(keyOf(written), unsaved)
  else texts.delete(keyOf(written))
}

/** Whether anything of this window is not saved. */
export const hasUnsaved = (): boolean => texts.size > 0

const leaving = new Set<Promise<unknown>>()

/** The last save of a screen that is being left. */
export function noteLeaving(last: Promise<unknown>): void {
  leaving.add(last)
  const done = () => leaving.delete(last)
  void last.then(done, done)
}

/** Resolves once the screens that were left have saved what they could, and let go of their reports. */
export async function whenLeft(): Promise<void> {
  await Promise.allSettled(leaving)
}

/** The browser asks before the page is left with a text that is not saved. */
export function warnBeforeUnload(): void {
  window.addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault()
  })
}
