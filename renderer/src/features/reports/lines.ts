/**
 * Lines of a text; `isOwn`: the other text has no such line that is not matched yet. Order does not
 * count: a line that moved is not another one.
 */
export function comparedLines(
  text: string,
  other: string,
): readonly { readonly line: string; readonly at: number; readonly isOwn: boolean }[] {
  const left = new Map<string, number>()
  for (const line of other.split('\n')) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1)
  return text.split('\n').map((line, at) => {
    const count = left.get(line.trim()) ?? 0
    left.set(line.trim(), count - 1)
    return { line, at, isOwn: count <= 0 && line.trim() !== '' }
  })
}
