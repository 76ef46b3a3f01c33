import { sentenceOf } from '#server/http/start-error.ts'
import { UsageError } from './words.ts'

/**
 * What a failed command says and its exit code: 2 for a wrong use, 1 for everything else. A fault
 * of ours keeps its stack. `usage` follows an option that there is not.
 */
export function failureOf(error: unknown, usage = ''): { sentence: string; exitCode: number } {
  if (error instanceof UsageError) return { sentence: error.message, exitCode: 2 }
  const isUnparsed =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (isUnparsed) {
    // Node's hint about positional arguments hides what is wrong.
    const said = error.message.replace(/\. To specify a positional argument .*$/s, '.')
    const sentence = [said, usage].filter((text) => text !== '').join('\n\n')
    return { sentence, exitCode: 2 }
  }
  const sentence =
    sentenceOf(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))
  return { sentence, exitCode: 1 }
}
