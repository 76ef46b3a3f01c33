let isChosen = false

/** Somebody signs out in this window: the session does not end by itself. */
export function noteSignOut(): void {
  isChosen = true
}

/** Whether the session ended because somebody signed out here; asked once. */
export function wasChosen(): boolean {
  const was = isChosen
  isChosen = false
  return was
}
