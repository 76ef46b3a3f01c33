import { StartError } from '#gateway/listen-error.ts'
import { StoreError } from '#gateway/store/store-error.ts'
import { ApiError } from '#shared/errors.ts'
import { UsageError } from './words.ts'

/** What a failed command says and its exit code: 2 for a wrong use, 1 for everything else. A fault of ours keeps its stack. */
export function failureOf(error: unknown): { sentence: string; exitCode: number } {
  if (error instanceof UsageError || (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) {
    return { sentence: error.message, exitCode: 2 }
  }
  if (error instanceof ApiError)
    return { sentence: [error.message, ...error.errors.map((fault) => `${fault.path}: ${fault.message}`)].join('\n'), exitCode: 1 }
  if (error instanceof StartError || error instanceof StoreError) return { sentence: error.message, exitCode: 1 }
  return { sentence: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 1 }
}
