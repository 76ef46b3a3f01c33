/**
 * Whether the person confirmed who they are; false where they left it, or where nobody can be
 * asked.
 */
type Answer = (isConfirmed: boolean) => void

let waiting: Answer[] = []
const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}

/** The dialog shows while this is true. */
export const isConfirmationWanted = (): boolean => waiting.length > 0

export function onConfirmation(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) answerConfirmation(false)
  }
}

/**
 * Asks who is there, once for all calls that wait for it; at once false where no dialog is on the
 * page.
 */
export function askForConfirmation(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false)
  return new Promise((resolve) => {
    waiting.push(resolve)
    notify()
  })
}

export function answerConfirmation(isConfirmed: boolean): void {
  const answered = waiting
  waiting = []
  for (const answer of answered) answer(isConfirmed)
  if (answered.length > 0) notify()
}
