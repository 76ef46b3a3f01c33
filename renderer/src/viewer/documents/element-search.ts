import type { ListedElement } from '#shared/contract/viewed-objects.ts'

/** `(0010,0020)`, `0010,0020` and `00100020` alike. */
const digitsOf = (tag: string) => tag.replace(/[^0-9a-f]/gi, '').toLowerCase()
const isTagLike = (text: string) => /^[(]?[0-9a-f]{4}[, ]?[0-9a-f]{0,4}[)]?$/i.test(text)

/** Words of a keyword, for people: `PatientBirthDate` as `Patient Birth Date`. */
export const wordsOf = (keyword: string): string =>
  keyword.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')

/**
 * The elements that have the text in their keyword, tag or value, with the sequences and items that
 * contain them. All of them for an empty text.
 */
export function foundElements(
  elements: readonly ListedElement[],
  text: string,
): readonly ListedElement[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return elements
  const digits = isTagLike(wanted) ? digitsOf(wanted) : ''
  const matchesSearch = ({ keyword, tag, value }: ListedElement): boolean =>
    keyword.toLowerCase().includes(wanted) ||
    wordsOf(keyword).toLowerCase().includes(wanted) ||
    value.toLowerCase().includes(wanted) ||
    (digits !== '' && digitsOf(tag).startsWith(digits))
  const found: ListedElement[] = []
  /** What contains the present element, by depth; each is listed once. */
  let above: ListedElement[] = []
  for (const element of elements) {
    above = above.filter(({ depth }) => depth < element.depth)
    if (matchesSearch(element)) {
      found.push(...above, element)
      above = []
    } else if (element.kind === 'sequence' || element.kind === 'item') above.push(element)
  }
  return found
}
