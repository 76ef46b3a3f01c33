/**
 * What was chosen in the palette last. In memory only, as it may name a patient, and gone when
 * somebody else signs in.
 */
interface Recent {
  readonly href: string
  readonly name: string
  readonly about: string
}

const MAX_RECENT = 5
let recent: readonly Recent[] = []

export const recentChoices = (): readonly Recent[] => recent

export function rememberChoice(choice: Recent): void {
  recent = [choice, ...recent.filter(({ href }) => href !== choice.href)].slice(0, MAX_RECENT)
}

export function clearRecent(): void {
  recent = []
}
