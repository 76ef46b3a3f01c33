import { type FillIn, fieldsOf } from '#shared/report-text.ts'

/** A fill-in field of a text; `choices` is empty where anything may be typed. */
export type Field = FillIn

export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * The field after or before what is selected; past the last one the first, and the other way round.
 */
export function fieldBeside(
  text: string,
  selected: Span,
  direction: 'next' | 'previous',
): Field | undefined {
  const fields = fieldsOf(text)
  if (direction === 'previous')
    return fields.findLast(({ to }) => to <= selected.from) ?? fields.at(-1)
  // A caret right before a field is not in it yet; a field that is selected as a whole has had its
  // turn.
  return (
    fields.find(({ from }) =>
      selected.from === selected.to ? from >= selected.from : from >= selected.to,
    ) ?? fields[0]
  )
}

/** The field that holds what is selected. */
export const fieldAround = (text: string, { from, to }: Span): Field | undefined =>
  fieldsOf(text).find((field) => field.from <= from && to <= field.to)

const SHORTCUT = /(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]{1,20}$/u

/** Where the shortcut that ends at the caret begins, and what has that shortcut. */
export function shortcutBefore<M extends { readonly shortcut: string | null }>(
  line: string,
  macros: readonly M[],
): { readonly at: number; readonly macro: M } | undefined {
  const typed = SHORTCUT.exec(line)
  const shortcut = typed?.[0].toLowerCase()
  const macro =
    shortcut === undefined
      ? undefined
      : macros.find((one) => one.shortcut?.toLowerCase() === shortcut)
  return typed && macro ? { at: typed.index, macro } : undefined
}
