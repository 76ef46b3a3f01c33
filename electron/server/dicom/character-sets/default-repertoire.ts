// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/
/** Whether a text is in the default character repertoire. */
export const isAscii = (text: string): boolean => ASCII.test(text)
