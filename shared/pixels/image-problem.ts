import { type Message, message } from '../messages/message.ts'

/**
 * Thrown if an image cannot be shown. `explanation` is for the user and contains no value of the
 * file.
 */
export class ImageProblem extends Error {
  readonly explanation: Message
  /** A retry may succeed: the network failed, or the request was canceled. */
  readonly isTransient: boolean
  constructor(explanation: Message, isTransient = false) {
    super(explanation.code)
    this.name = 'ImageProblem'
    this.explanation = explanation
    this.isTransient = isTransient
  }
}

/** The request was canceled. */
export const LEFT = message('viewer.image-left')
