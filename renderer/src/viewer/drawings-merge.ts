/** Id of a drawing; one without is its own text. */
export function idOf(drawing: unknown): string {
  const id =
    typeof drawing === 'object' && drawing !== null && 'id' in drawing ? drawing.id : undefined
  return typeof id === 'string' ? id : JSON.stringify(drawing)
}

/**
 * What two windows have drawn since `base`, as one list. A drawing that one of them changed is
 * taken as that one has it; where both did, as it is here. One that was removed stays away, unless
 * the other window changed it: what was drawn is not lost by a removal elsewhere.
 */
export function merged<T>(
  base: readonly T[],
  mine: readonly T[],
  theirs: readonly T[],
): readonly T[] {
  const byIdBefore = byId(base)
  const mineById = byId(mine)
  const theirsById = byId(theirs)
  const kept: T[] = []
  for (const [id, drawing] of mineById) {
    const before = byIdBefore.get(id)
    const other = theirsById.get(id)
    if (before === undefined || !isSame(before, drawing)) kept.push(drawing)
    else if (other !== undefined) kept.push(other)
  }
  for (const [id, drawing] of theirsById) {
    const before = byIdBefore.get(id)
    if (!mineById.has(id) && (before === undefined || !isSame(before, drawing))) kept.push(drawing)
  }
  return kept
}

const byId = <T>(drawings: readonly T[]) =>
  new Map(drawings.map((drawing) => [idOf(drawing), drawing]))
export const isSame = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other)

/**
 * What a person made of it, in one order: not which handle the mouse is on, nor where the tool puts
 * a text that nobody moved.
 */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (name, part: unknown) => {
    if (name === 'activeHandleIndex') return undefined
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    if (name === 'textBox' && !('hasMoved' in part && part.hasMoved === true)) return undefined
    return Object.fromEntries(
      Object.entries(part).toSorted(([first], [second]) => (first < second ? -1 : 1)),
    )
  }) ?? ''
