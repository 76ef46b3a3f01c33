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

/** The browser asks before the page is left with a text that is not saved. */
export function warnBeforeUnload(): void {
  window.addEventListener('beforeunload', (event) => {
    if (texts.size > 0) event.preventDefault()
  })
}
