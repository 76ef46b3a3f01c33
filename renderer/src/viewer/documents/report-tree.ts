import type { CodedConcept, ContentItem } from '#shared/contract/viewed-objects.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { nameText } from '../../format/patient-name.ts'
import { t } from '../../i18n/t.ts'

/** A content item with the items below it. */
export interface ReportNode {
  readonly item: ContentItem
  readonly children: readonly ReportNode[]
}

/** A line of a table of a report. */
export interface ReportRow {
  readonly item: ContentItem
  /** How far the name is indented: the line belongs to the one above it. */
  readonly indent: number
  /** What narrows the concept down, such as `Laterality: Left`. */
  readonly modifiers: readonly string[]
}

/** A part of a report: a section with a heading, a paragraph, or lines of a table. */
export type ReportPart =
  | { readonly kind: 'section'; readonly node: ReportNode }
  | { readonly kind: 'text'; readonly node: ReportNode }
  | { readonly kind: 'rows'; readonly rows: readonly ReportRow[] }

/** Longer texts are paragraphs, not lines of a table. */
const MAX_ROW_CHARACTERS = 80

/** The tree of items in document order. Undefined if there are none. */
export function reportTree(items: readonly ContentItem[]): ReportNode | undefined {
  const open: { item: ContentItem; children: ReportNode[] }[] = []
  for (const item of items) {
    const node = { item, children: [] }
    open.length = Math.min(open.length, item.depth)
    open.at(-1)?.children.push(node)
    open.push(node)
  }
  return open[0]
}

/** Who observed, and whom: it is shown apart from the findings. */
export const isContext = ({ item }: ReportNode): boolean =>
  item.relationship === 'HAS OBS CONTEXT' || item.relationship === 'HAS ACQ CONTEXT'

const isModifier = ({ item, children }: ReportNode): boolean =>
  item.relationship === 'HAS CONCEPT MOD' && children.length === 0 && item.references.length === 0

/** The parts of a section, in order; lines that follow each other are one table. */
export function partsOf(nodes: readonly ReportNode[]): readonly ReportPart[] {
  const parts: ReportPart[] = []
  let rows: ReportRow[] = []
  const flushRows = () => {
    if (rows.length > 0) parts.push({ kind: 'rows', rows })
    rows = []
  }
  for (const node of nodes) {
    const isText = node.item.valueType === 'TEXT' && isLong(node.item.value)
    if (node.item.valueType !== 'CONTAINER' && !isText) {
      rows.push(...rowsOf(node, 0))
      continue
    }
    flushRows()
    parts.push({ kind: isText ? 'text' : 'section', node })
  }
  flushRows()
  return parts
}

const isLong = (text: string) => text.length > MAX_ROW_CHARACTERS || /[\r\n]/.test(text)

/** A node and what belongs to it. */
export const rowsOf = (node: ReportNode, indent: number): readonly ReportRow[] => [
  { item: node.item, indent, modifiers: modifiersOf(node) },
  ...node.children
    .filter((child) => !isModifier(child))
    .flatMap((child) => rowsOf(child, indent + 1)),
]

export const modifiersOf = ({ children }: ReportNode): readonly string[] =>
  children.filter(isModifier).map(({ item }) => {
    const name = conceptText(item.concept)
    const value = [valueText(item), unitText(item)].filter(Boolean).join(' ')
    return name ? t('ui.viewer.report.modifier', { name, value }) : value
  })

/** The meaning of a code, or the code where it has none; empty for null. */
export const conceptText = (concept: CodedConcept | null): string =>
  concept ? concept.meaning || concept.value : ''

/** The value of an item in words, without its unit. */
export function valueText(item: ContentItem): string {
  switch (item.valueType) {
    case 'CODE':
      return conceptText(item.code)
    case 'NUM':
      return item.value || conceptText(item.qualifier)
    case 'PNAME':
      return nameText(item.value)
    case 'DATE':
      return dayText(item.value)
    case 'TIME':
      return timeText(item.value)
    case 'DATETIME':
      return dateTimeText(item.value)
    default:
      return item.coordinates ? coordinatesText(item.coordinates) : item.value
  }
}

/** The unit of a number: as UCUM writes it, otherwise by its meaning. Empty for a plain number. */
export function unitText({ valueType, code }: ContentItem): string {
  if (valueType !== 'NUM' || !code || code.value === '1') return ''
  // UCUM annotations such as `{ratio}` are no units.
  return code.scheme === 'UCUM' && !code.value.startsWith('{') ? code.value : conceptText(code)
}

/** A DT (PS3.5 §6.2) as day and time; anything else as it is. */
export function dateTimeText(value: string): string {
  const [, day = '', time = ''] = /^(\d{8})(\d{2,6})?/.exec(value.trim()) ?? []
  return day ? [dayText(day), time && timeText(time)].filter(Boolean).join(' ') : value
}

/** So many numbers of coordinates are shown. */
const MAX_COORDINATES = 8

function coordinatesText({ type, values }: NonNullable<ContentItem['coordinates']>): string {
  const shown = values.slice(0, MAX_COORDINATES).map((value) => {
    const number = Number(value)
    return Number.isFinite(number) ? String(Number(number.toFixed(2))) : value
  })
  const more = values.length - shown.length
  const all = shown.join(', ')
  return more > 0
    ? t('ui.viewer.report.moreCoordinates', { type, values: all, count: more })
    : t('ui.viewer.report.coordinates', { type, values: all })
}
