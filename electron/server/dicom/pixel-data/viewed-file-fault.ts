/**
 * What is wrong with a file that is to be looked at: one sentence for a person, without a value of
 * the file.
 */
export class ViewedFileFault extends Error {
  override name = 'ViewedFileFault'
}
