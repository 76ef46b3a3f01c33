/**
 * The lines of a source; what the formatter broke behind an opening bracket, or before a closing
 * one or a dot, is one line again.
 */
export const sourceLines = (text: string): string[] =>
  text
    .replaceAll(/([([])\n\s*/g, '$1')
    .replaceAll(/,?\n\s*(?=[)\].])/g, '')
    .split('\n')
