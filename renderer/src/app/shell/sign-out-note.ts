let isSignedOutHere = false

/** Somebody signs out in this window: the session does not end by itself. */
export function noteSignOut(): void {
  isSignedOutHere = true
}

/** Whether the session ended because somebody signed out here; asked once. */
export function wasSignedOutHere(): boolean {
  const was = isSignedOutHere
  isSignedOutHere = false
  return was
}
