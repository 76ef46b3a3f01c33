/**
 * The text without these characters at its end. Not by a regular expression: one that looks for a
 * run at the end takes the square of the length of every run before it, and the text comes from the
 * network.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** PS3.5 §6.2: values are padded with a space, UIDs with a NUL; devices use either. */
export const withoutPadding = (text: string): string => withoutEnd(text, '\0 ')
