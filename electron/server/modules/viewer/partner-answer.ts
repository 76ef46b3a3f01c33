import type { AccessAnswer } from './view-images.ts'

/** What a partner answered, and its second answer once links of the first have ended. */
export interface PartnerAnswer {
  readonly now: AccessAnswer
  /** How often it was asked again: never more than once. */
  readonly generation: number
  /**
   * A link of the answer of that generation has ended: asks again, once for all that call. False
   * where there is no further answer.
   * @throws as `ask`
   */
  renew(generation: number): Promise<boolean>
}

/** @param renewed told of the second answer before anybody else */
export function partnerAnswer(
  first: AccessAnswer,
  ask: () => Promise<AccessAnswer>,
  renewed: (answer: AccessAnswer) => void,
): PartnerAnswer {
  let now = first
  let generation = 0
  let asking: Promise<void> | undefined
  return {
    get now() {
      return now
    },
    get generation() {
      return generation
    },
    async renew(of) {
      if (of > 0) return false
      asking ??= ask().then((answer) => {
        now = answer
        generation = 1
        renewed(answer)
      })
      await asking
      return true
    },
  }
}
