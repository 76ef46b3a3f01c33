/**
 * What was chosen in the palette last. In memory only, as it may name a patient, and gone when
 * somebody else signs in.
 */
interface RecentChoice {
  readonly href: string
  readonly name: string
  readonly about: string
}

const MAX_RECENT = 5
let recent: readonly RecentChoice[] = []

export const recentChoices = (): readonly RecentChoice[] => recent

export function rememberChoice(choice: RecentChoice): void {
  recent = [choice, ...recent.filter(({ href }) => href !== choice.href)].slice(0, MAX_RECENT)
}

export function clearRecent(): void {
  recent = []
}
