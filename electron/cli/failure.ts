import { sentenceOf } from '#server/http/start-error.ts'
import { UsageError } from './words.ts'

/**
 * What a failed command says and its exit code: 2 for a wrong use, 1 for everything else. A fault
 * of ours keeps its stack.
 */
export function failureOf(error: unknown): { sentence: string; exitCode: number } {
  const isWrongUse =
    error instanceof UsageError ||
    (error instanceof TypeError &&
      'code' in error &&
      String(error.code).startsWith('ERR_PARSE_ARGS'))
  if (isWrongUse) return { sentence: (error as Error).message, exitCode: 2 }
  const sentence =
    sentenceOf(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))
  return { sentence, exitCode: 1 }
}
