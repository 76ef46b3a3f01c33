// The tables of docs/SCALING.md, from the measured costs.

import { STUDIES } from './instances.mjs'
import { adviceFor, MOST_CPU, randomOf, simulatedDay, siteLoad, studyCost } from './model.mjs'
import { fiftySites } from './sites.mjs'

const DAYS = 20
const table = (head, rows) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
const megabytes = (bytes) => (bytes / 1e6).toFixed(1)

/** Each of the fifty sites with its load, the worst of some simulated days, and what it needs. */
export function simulatedSites(costs, seed = 1) {
  const random = randomOf(seed)
  return fiftySites(seed).map((site) => {
    const load = siteLoad(costs, site)
    const days = Array.from({ length: DAYS }, () => simulatedDay(costs, site, random))
    const worst = {
      longestWait: Math.max(...days.map(({ longestWait }) => longestWait)),
      busiestHour: Math.max(...days.map(({ busiestHour }) => busiestHour)),
    }
    return { site, load, worst, advice: adviceFor(load, worst, site) }
  })
}

export const TABLES = {
  instances: (costs) =>
    table(
      ['instance', 'CPU ms', 'MB on disk', 'MB received'],
      Object.entries(costs.perInstance).map(([modality, { cpuMs, diskBytes, networkBytes }]) => [
        modality,
        cpuMs.toFixed(1),
        megabytes(diskBytes),
        megabytes(networkBytes),
      ]),
    ),
  studies: (costs) =>
    table(
      ['typical study', 'instances', 'MB', 'CPU s, stored', 'CPU s, forwarded', 'KB of database'],
      Object.keys(STUDIES).map((modality) => {
        const { instances, bytes, receiveMs, forwardMs, databaseBytes } = studyCost(costs, modality)
        return [
          modality,
          instances,
          megabytes(bytes),
          (receiveMs / 1000).toFixed(2),
          (forwardMs / 1000).toFixed(2),
          Math.round(databaseBytes / 1000),
        ]
      }),
    ),
  hour: (costs) =>
    table(
      ['modality', 'studies/h, limited by CPU', 'by a 1 Gbit/s line', 'by a 100 Mbit/s line'],
      Object.keys(STUDIES).map((modality) => {
        const { bytes, receiveMs, forwardMs } = studyCost(costs, modality)
        const byLine = (bits) => Math.floor((0.5 * 3600 * bits) / (bytes * 8))
        return [
          modality,
          Math.floor((MOST_CPU * 3_600_000) / (receiveMs + forwardMs)),
          byLine(1e9),
          byLine(1e8),
        ]
      }),
    ),
  sites(costs) {
    const all = simulatedSites(costs)
    const kinds = [...new Set(all.map(({ site }) => site.name))]
    return table(
      [
        'ten sites of each kind',
        'studies a day',
        'GB a day',
        'busiest hour of a core',
        'longest wait (s)',
      ].concat(['line', 'days on disk', 'need a tier', 'need a standby', 'need a second gateway']),
      kinds.map((kind) => {
        const sites = all.filter(({ site }) => site.name === kind)
        const range = (of, text) => {
          const values = sites.map(of)
          return `${text(Math.min(...values))}–${text(Math.max(...values))}`
        }
        const most = (of) => Math.max(...sites.map(of))
        const needing = (what) => sites.filter(({ advice }) => advice.includes(what)).length
        return [
          kind,
          range(({ load }) => load.studies, String),
          range(
            ({ load }) => load.bytes / 1e9,
            (value) => value.toFixed(0),
          ),
          `${(most(({ worst }) => worst.busiestHour / 3600) * 100).toFixed(1)} %`,
          most(({ worst }) => worst.longestWait).toFixed(1),
          `${(most(({ load }) => load.peakNetwork) * 100).toFixed(0)} %`,
          range(
            ({ load }) => load.daysOnDisk,
            (value) => value.toFixed(0),
          ),
          needing('tier'),
          needing('standby'),
          needing('second gateway'),
        ]
      }),
    )
  },
}

/** The document with its tables made anew, each after a comment with its name. */
export const withTables = (text, costs) =>
  text.replace(
    /(<!-- (\w+) -->\n\n)(?:\|.*\n)*/g,
    (_, comment, name) => `${comment}${TABLES[name](costs)}\n`,
  )
