/**
 * The string literals and templates of a TypeScript source in their order, `{}` where a template
 * has a value; those inside a template's values come too. Comments and regular expressions are left
 * out.
 */
export function literalsOf(source: string): readonly string[] {
  const found: string[] = []
  const end = source.length

  function string(start: number): number {
    const quote = source[start]
    let text = ''
    for (let at = start + 1; at < end; at++) {
      const one = source[at] ?? ''
      if (one === quote || one === '\n') {
        found.push(text)
        return at + 1
      }
      text += one === '\\' ? unescaped(source[++at] ?? '') : one
    }
    return end
  }

  function template(start: number): number {
    let text = ''
    let at = start + 1
    while (at < end) {
      const one = source[at] ?? ''
      if (one === '`') {
        found.push(text)
        return at + 1
      }
      if (one === '\\') {
        text += unescaped(source[at + 1] ?? '')
        at += 2
      } else if (one === '$' && source[at + 1] === '{') {
        text += '{}'
        at = value(at + 2)
      } else {
        text += one
        at++
      }
    }
    return end
  }

  /** From behind `${` to behind its `}`. */
  function value(start: number): number {
    let depth = 1
    let at = start
    while (at < end && depth > 0) {
      const one = source[at] ?? ''
      if (one === '{') depth++
      if (one === '}') depth--
      at =
        one === '`'
          ? template(at)
          : isQuote(one)
            ? string(at)
            : isExpression(source, at)
              ? expression(at)
              : at + 1
    }
    return at
  }

  function expression(start: number): number {
    let isClass = false
    let at = start + 1
    for (; at < end && source[at] !== '\n'; at++) {
      const one = source[at]
      if (one === '\\') at++
      else if (one === '[') isClass = true
      else if (one === ']') isClass = false
      else if (one === '/' && !isClass) break
    }
    return at + 1
  }

  for (let at = 0; at < end; ) {
    const one = source[at] ?? ''
    if (one === '/' && source[at + 1] === '/') at = orEnd(source.indexOf('\n', at), end)
    else if (one === '/' && source[at + 1] === '*')
      at = orEnd(source.indexOf('*/', at), end - 2) + 2
    else if (one === '`') at = template(at)
    else if (isQuote(one)) at = string(at)
    else at = isExpression(source, at) ? expression(at) : at + 1
  }
  return found
}

const orEnd = (at: number, end: number): number => (at < 0 ? end : at)
const isQuote = (one: string): boolean => one === "'" || one === '"'
const unescaped = (one: string): string => (one === 'n' ? '\n' : one)
/** A slash after what no value ends with begins a regular expression. */
const isExpression = (source: string, at: number): boolean =>
  source[at] === '/' &&
  source[at + 1] !== '/' &&
  source[at + 1] !== '*' &&
  /[(,=:[!&|?{};\n]\s*$/.test(source.slice(Math.max(0, at - 20), at))
