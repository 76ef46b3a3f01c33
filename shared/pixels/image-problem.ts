import { type Message, message } from '../messages/message.ts'

/** Why an image cannot be shown: `explanation` is for a person, without any value of the file. */
export class ImageProblem extends Error {
  readonly explanation: Message
  /** It may come if it is tried again: the network failed, or nobody wants it any more. */
  readonly isPassing: boolean
  constructor(explanation: Message, isPassing = false) {
    super(explanation.code)
    this.name = 'ImageProblem'
    this.explanation = explanation
    this.isPassing = isPassing
  }
}

/** Nobody wants it any more. */
export const LEFT = message('viewer.image-left')
