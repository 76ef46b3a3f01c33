/** The file ends before its frames do. */
export const cutShort = (there: number, frames: number): string =>
  frames === 1
    ? 'It ends within its pixel data.'
    : `It ends within its pixel data: ${there === 0 ? 'none' : there} of ${frames} frames ${there > 1 ? 'are' : 'is'} whole.`

/** The file says that it has more frames than it has. */
export const fewerFrames = (there: number, frames: number): string =>
  frames === 1
    ? 'Its pixel data is shorter than its image.'
    : `It should have ${frames} frames, but ${there === 0 ? 'none' : there} ${there > 1 ? 'are' : 'is'} in its pixel data.`
