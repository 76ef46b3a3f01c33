import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adviceFor, fitted, randomOf, simulatedDay, siteLoad } from '../scripts/capacity/model.mjs'
import { simulatedSites, withTables } from '../scripts/capacity/tables.mjs'

const root = join(import.meta.dirname, '..')
const costs = JSON.parse(readFileSync(join(root, 'scripts/capacity/costs.json'), 'utf8'))
const DOCUMENT = readFileSync(join(root, 'docs/SCALING.md'), 'utf8')

describe('docs/SCALING.md', () => {
  it('has the tables of the measured costs', () => {
    expect(withTables(DOCUMENT, costs)).toBe(DOCUMENT)
    expect(DOCUMENT.match(/<!-- \w+ -->\n\n\|/g)).toHaveLength(4)
  })

  it('names the fitted costs', () => {
    const { receive, forward } = costs
    for (const figure of [
      `${receive.perInstanceMs.toFixed(1)} ms of CPU for each instance and ${receive.perMbMs.toFixed(1)} ms`,
      `another ${forward.perInstanceMs.toFixed(1)} ms and ${forward.perMbMs.toFixed(1)} ms`,
    ])
      expect(DOCUMENT.replaceAll('\n', ' ')).toContain(figure)
  })
})

describe('the model', () => {
  it('finds the cost of an instance and of a megabyte', () => {
    const rows = [0.1, 1, 30].map((mb) => ({ bytes: mb * 1e6, cpuMs: 3 + 2 * mb }))
    const { perInstanceMs, perMbMs } = fitted(rows)
    expect([perInstanceMs, perMbMs].map((value) => value.toFixed(6))).toEqual([
      '3.000000',
      '2.000000',
    ])
  })

  const site = {
    ...{ studies: { CT: 100 }, forwards: true, lineMbits: 100, diskGb: 1000 },
    ...{ keepDays: 30, isAroundTheClock: false },
    curve: Array.from({ length: 24 }, (_, hour) => Number(hour === 8 || hour === 9)),
  }

  it('adds up the studies of a day, and the busiest hour', () => {
    const load = siteLoad(costs, site)
    expect(load).toMatchObject({ studies: 100, instances: 40_000 })
    expect(load.bytes / 1e9).toBeCloseTo(21, 0)
    // Half of the day within one hour: 10.5 GB over 45 GB that the line carries.
    expect(load.peakNetwork).toBeCloseTo(0.233, 2)
    expect(load.daysOnDisk).toBeCloseTo(47.6, 0)
  })

  it('is the simulation in the mean, and lets studies wait that come at once', () => {
    const load = siteLoad(costs, site)
    const day = simulatedDay(costs, site, randomOf(7))
    expect(day.busiestHour / 3600 / load.peakCpu).toBeGreaterThan(0.9)
    expect(day.busiestHour / 3600 / load.peakCpu).toBeLessThan(1.4)
    expect(day.longestWait).toBeGreaterThan(0)
    expect(simulatedDay(costs, site, randomOf(7))).toEqual(day)
  })

  it('advises what is short', () => {
    const advised = (more: object) => {
      const changed = { ...site, ...more }
      const day = simulatedDay(costs, changed, randomOf(1))
      return adviceFor(siteLoad(costs, changed), day, changed)
    }
    expect(advised({})).toEqual([])
    expect(advised({ lineMbits: 20 })).toEqual(['faster line'])
    expect(advised({ keepDays: 365 })).toEqual(['tier'])
    expect(advised({ isAroundTheClock: true })).toEqual(['standby'])
    expect(advised({ studies: { CT: 2000 }, lineMbits: 100_000, diskGb: 1e6 })).toEqual([
      'second gateway',
      'standby',
    ])
  })

  it('simulates fifty sites, the same for the same seed', () => {
    const sites = simulatedSites(costs)
    expect(sites).toHaveLength(50)
    expect(simulatedSites(costs)).toEqual(sites)
    expect(simulatedSites(costs, 2)).not.toEqual(sites)
  })
})
