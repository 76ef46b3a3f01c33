import { escapeHtml } from './escape-html.ts'

const NODE = '(\\w+)(?:\\["([^"]+)"\\])?'
const EDGE = new RegExp(`^${NODE}\\s*--\\s*"([^"]+)"\\s*-->\\s*${NODE}$`)

/**
 * A Mermaid flowchart as a list of its edges, because the site has no program that draws it;
 * undefined for anything but labelled edges from left to right.
 */
export function flowchartList(source: string): string | undefined {
  const [first = '', ...lines] = source.trim().split('\n')
  if (!/^flowchart\b/.test(first)) return undefined
  const edges = lines.map((line) => EDGE.exec(line.trim()))
  const labels = new Map(
    edges
      .flatMap((edge) => [[edge?.[1], edge?.[2]] as const, [edge?.[4], edge?.[5]] as const])
      .filter(([, label]) => label !== undefined),
  )
  const nameOf = (id = '') => {
    const [name = '', ...details] = (labels.get(id) ?? id).split(/<br\s*\/?>/)
    return `<strong>${escapeHtml(name)}</strong> ${escapeHtml(details.join(' '))}`.trim()
  }
  const items = edges.map(
    (edge) =>
      edge && `<li>${nameOf(edge[1])} → ${nameOf(edge[4])}: ${escapeHtml(edge[3] ?? '')}</li>`,
  )
  return items.includes(null) ? undefined : `<ul>\n${items.join('\n')}\n</ul>\n`
}
