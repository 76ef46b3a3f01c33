/** JSON with a line for each value, also where its end is missing; any other text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return /^\s*[[{]/.test(text) ? indentedJson(text) : text
  }
}

/**
 * A string, a bracket with its empty content, one sign that breaks lines, or space; of a string
 * that was cut its end is missing.
 */
const TOKEN_PATTERN = /"(?:[^"\\]|\\.)*(?:"|$)|[[{]\s*[\]}]|[[{\]},:]|\s+|[^"[{\]},:\s]+/gs

function indentedJson(text: string): string {
  let depth = 0
  const line = () => `\n${'  '.repeat(Math.max(0, depth))}`
  return text.replace(/\s+$/, '').replace(TOKEN_PATTERN, (part) => {
    if (part.length > 1 && /^[[{]/.test(part)) return part.replace(/\s/g, '')
    if (/^\s/.test(part)) return ''
    if (part === '[' || part === '{') {
      depth += 1
      return part + line()
    }
    if (part === ']' || part === '}') {
      depth -= 1
      return line() + part
    }
    if (part === ',') return part + line()
    return part === ':' ? ': ' : part
  })
}
