/** A worklist file that cannot be used, and why, in one sentence. */
export class WorklistFileError extends Error {
  override name = 'WorklistFileError'
}

/**
 * Reads the text of a worklist file: a JSON array of items, or `{"items": […]}` as the partner
 * would answer. The items themselves are not judged, since a bad row is what one may want to try.
 * Throws `WorklistFileError`.
 * @param name what to call the file in the error
 */
export function readWorklistFile(text: string, name: string): readonly unknown[] {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new WorklistFileError(`${name} is not JSON: ${(cause as Error).message}`, { cause })
  }
  const items = Array.isArray(json) ? json : (json as { readonly items?: unknown } | null)?.items
  if (!Array.isArray(items))
    throw new WorklistFileError(
      `${name} must be an array of worklist items, or an object with such an array in "items"`,
    )
  const odd = items.findIndex(
    (item) => typeof item !== 'object' || item === null || Array.isArray(item),
  )
  if (odd >= 0) throw new WorklistFileError(`${name}: item ${odd + 1} is not an object`)
  return items
}
