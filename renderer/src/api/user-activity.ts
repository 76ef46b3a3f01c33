/** Somebody who reads does nothing for a while. */
const ACTIVITY_TIMEOUT_MS = 60_000

let lastUse = Date.now()

/** @param at when somebody last did something in any window of this browser, milliseconds */
export function noteUserActivity(at: number): void {
  lastUse = Math.max(lastUse, at)
}

/** An event of the document: somebody uses the window otherwise than by mouse and keyboard. */
export const ACTIVITY_EVENT = 'isthmus-activity'
export const signalUserActivity = (): void => void document.dispatchEvent(new Event(ACTIVITY_EVENT))

/**
 * Whose calls these are, as the gateway is told: a window that asks by itself keeps no session
 * unlocked.
 */
export const callOrigin = (): 'person' | 'background' =>
  Date.now() - lastUse < ACTIVITY_TIMEOUT_MS ? 'person' : 'background'
