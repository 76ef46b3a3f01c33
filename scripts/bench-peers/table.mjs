// Figures of the servers as Markdown, ratios first.
import { median } from '../bench-kit.mjs'

const number = (value) =>
  value === undefined ? '' : value >= 100 ? value.toFixed(0) : value.toFixed(1)

const percent = (share) => (share === undefined ? '' : `${(share * 100).toFixed(1)} %`)
const FLOORS = ['Node floor', 'floor']

/** @param results by workload and server: operations a second, one a round */
export function tableOf(results, servers, targets) {
  const peers = servers
    .map(({ name }) => name)
    .filter((name) => name !== 'isthmus' && !FLOORS.includes(name))
  const rows = Object.entries(results).map(([workload, by]) => {
    const of = (name) => (by[name].length > 0 ? median(by[name]) : undefined)
    const best = Math.max(...peers.map((name) => of(name) ?? 0))
    // Of one round, as near in time as can be.
    const shareOf = (floor) =>
      by[floor].length > 0
        ? median(by.isthmus.map((value, round) => value / by[floor][round]))
        : undefined
    const share = shareOf('floor')
    const target = targets[workload]
    return {
      ...{ workload, ratio: of('isthmus') / best, share, target },
      line: [
        workload,
        `${(of('isthmus') / best).toFixed(1)}×`,
        percent(share),
        target ? `≥ ${target * 100} %` : '',
        percent(shareOf('Node floor')),
        ...['isthmus', ...peers, ...FLOORS].map((name) => number(of(name))),
      ],
    }
  })
  const head = [
    'workload',
    'over the best peer',
    'of the floor',
    'target',
    'of Node’s floor',
    'isthmus',
    ...peers,
    ...FLOORS,
  ]
  return {
    rows,
    text: markdown(
      head,
      rows.map(({ line }) => line),
    ),
  }
}

/** What each server is, beside what it does in a second. */
export function standingOf(servers) {
  const named = servers.filter(({ startMs }) => startMs !== undefined)
  return markdown(
    ['', ...named.map(({ name }) => name)],
    [
      [
        'until it answers a C-ECHO, ms (checked every 100 ms)',
        ...named.map(({ startMs }) => startMs.toFixed(0)),
      ],
      [
        'memory after the run, MiB (PSS, with its children)',
        ...named.map(({ memory }) => memory().toFixed(0)),
      ],
    ],
  )
}

const markdown = (head, rows) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
