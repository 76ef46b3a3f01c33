import { z } from 'zod'
import { language } from './language.ts'

/**
 * What zod itself says of a value, in the language of the page; the contract's own sentences go
 * through `said`.
 */
export async function loadFormMessages(): Promise<void> {
  if (language !== 'es') return
  const { spanish } = await import('./zod-es.ts')
  z.config(spanish())
}
