import type { Lint } from '#shared/contract/devices.ts'
import type { Tone } from '../display/tones.ts'
import { words } from './words.ts'

const { checks } = words

/** What a check of the rows comes to: the gravest thing first. */
export function verdictOf({
  rows,
  refused,
  findings,
}: Pick<Lint, 'rows' | 'refused' | 'findings'>): {
  tone: Tone
  title: string
  text: string
} {
  const checked = checks.checked(checks.exams(rows))
  if (rows === 0) return { tone: 'plain', title: checks.empty, text: checks.emptyText }
  if (refused > 0)
    return {
      tone: 'danger',
      title: checks.refused(checks.exams(refused)),
      text: `${checks.whole} ${checked}`,
    }
  if (findings.length > 0) return { tone: 'warning', title: checks.altered, text: checked }
  return { tone: 'good', title: checks.good, text: checked }
}
