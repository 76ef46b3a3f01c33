import type { Verdict } from '#shared/contract/dashboard-setup.ts'
import type { CommandContext } from './commands.ts'
import type { Parts } from './parts.ts'
import { readinessOf } from './readiness.ts'

const WORDS: Readonly<Record<Verdict, string>> = { ok: 'ok', warn: 'note', bad: 'mend' }

/** What the readiness page shows, one line a check, those to mend first in their word. */
export async function examine(parts: Parts, context: Pick<CommandContext, 'listening'>): Promise<string[]> {
  const findings = await readinessOf(parts, context)
  return findings.map(({ verdict, sentence, remedy }) => `${WORDS[verdict].padEnd(4)}  ${[sentence, remedy].filter(Boolean).join(' ')}`)
}
