import { ApiError } from '#shared/errors.ts'

/** What refuses the call; undefined: nothing does. Any other fault is the test's. */
export function refusal(work: () => unknown): ApiError | undefined {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  return undefined
}

/** Code of the refusal, or `none`. */
export const codeOf = (work: () => unknown): string => refusal(work)?.code ?? 'none'

/** Code and fields of the refusal, or `none`. */
export function refusalOf(work: () => unknown): string {
  const refused = refusal(work)
  return refused ? [refused.code, ...refused.errors.map(({ path }) => path)].join(' ') : 'none'
}

/** The sentence of the refusal, or none. */
export const sentenceOf = (work: () => unknown): string => refusal(work)?.message ?? ''
