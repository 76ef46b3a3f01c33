/**
 * Why an image cannot be shown: `message` is one sentence for a person, without any value of the
 * file.
 */
export class ImageProblem extends Error {
  /** It may come if it is tried again: the network failed, or nobody wants it any more. */
  readonly isPassing: boolean
  constructor(sentence: string, isPassing = false) {
    super(sentence)
    this.name = 'ImageProblem'
    this.isPassing = isPassing
  }
}

/** Nobody wants it any more. */
export const LEFT = 'The image was left before it came.'
