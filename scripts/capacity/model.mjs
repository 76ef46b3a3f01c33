// The capacity model: what a study costs, and what follows for a site. No input or output.
import { pixelBytes, STUDIES } from './instances.mjs'

/** Bytes of a file and of its transfer beside the pixels. */
const HEADER_BYTES = 1000
/** Of one core; more leaves nothing for the window, the partner and backups. */
export const MOST_CPU = 0.5
/** Of the line to the archive in the busiest hour. */
export const MOST_NETWORK = 0.5
/** Images wait this long in the busiest hour before a second gateway is advised. */
export const MOST_WAIT_SECONDS = 30

/**
 * Fits the measured cost of instances to a fixed part and one for each megabyte, by least squares of
 * the relative error, so that small images count like large ones.
 * @param rows `{ bytes, cpuMs, databaseBytes }` for one instance of each modality
 */
export function fitted(rows) {
  const weighted = rows.map(({ bytes, cpuMs }) => ({
    mb: bytes / 1e6,
    cpuMs,
    weight: 1 / cpuMs ** 2,
  }))
  const sum = (of) => weighted.reduce((total, row) => total + row.weight * of(row), 0)
  const [s, sx, sy] = [sum(() => 1), sum(({ mb }) => mb), sum(({ cpuMs }) => cpuMs)]
  const [sxx, sxy] = [sum(({ mb }) => mb ** 2), sum(({ mb, cpuMs }) => mb * cpuMs)]
  const perMb = (s * sxy - sx * sy) / (s * sxx - sx ** 2)
  return { perInstanceMs: (sy - perMb * sx) / s, perMbMs: perMb }
}

/** What a usual study of the modality costs, computed from the measured cost of one instance. */
export function studyCost(costs, modality) {
  const { instances } = STUDIES[modality]
  const bytes = instances * (pixelBytes(STUDIES[modality]) + HEADER_BYTES)
  const { perInstanceMs, perMbMs } = costs.receive
  const receiveMs = instances * perInstanceMs + (bytes / 1e6) * perMbMs
  const forwardMs = instances * costs.forward.perInstanceMs + (bytes / 1e6) * costs.forward.perMbMs
  const databaseBytes = costs.perStudyDatabaseBytes + instances * costs.perInstanceDatabaseBytes
  return { instances, bytes, receiveMs, forwardMs, databaseBytes }
}

/**
 * A working day of a site: load of each hour, and what follows.
 * @param site `{ studies: { CT: 40, … }, curve: 24 shares of the day, forwards, lineMbits, diskGb }`
 */
export function siteLoad(costs, site) {
  const day = { studies: 0, instances: 0, bytes: 0, cpuMs: 0, databaseBytes: 0 }
  for (const [modality, count] of Object.entries(site.studies)) {
    const cost = studyCost(costs, modality)
    day.studies += count
    day.instances += count * cost.instances
    day.bytes += count * cost.bytes
    day.cpuMs += count * (cost.receiveMs + (site.forwards ? cost.forwardMs : 0))
    day.databaseBytes += count * cost.databaseBytes
  }
  const share = Math.max(...site.curve) / site.curve.reduce((total, part) => total + part, 0)
  return {
    ...day,
    peakCpu: (day.cpuMs * share) / 3_600_000,
    peakNetwork: site.forwards ? (day.bytes * share * 8) / (3600 * site.lineMbits * 1e6) : 0,
    daysOnDisk: (site.diskGb * 1e9) / (day.bytes + day.databaseBytes),
    databaseGbInTenYears: (day.databaseBytes * 250 * 10) / 1e9,
  }
}

/** A random number generator with a seed (mulberry32), so that a simulation can be repeated. */
export function randomOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Simulates a day, study by study: each arrives at a random moment of its hour, its device sends as
 * fast as it can, and one core of the gateway serves what has arrived. Returns the longest time that
 * a study waits for the core, and the busiest hour, in seconds of the core.
 */
export function simulatedDay(costs, site, random) {
  const total = site.curve.reduce((sum, part) => sum + part, 0)
  const arrivals = []
  for (const [modality, count] of Object.entries(site.studies)) {
    const cost = studyCost(costs, modality)
    const seconds = (cost.receiveMs + (site.forwards ? cost.forwardMs : 0)) / 1000
    for (let study = 0; study < count; study++) {
      let [place, hour] = [random() * total, 0]
      while (place >= site.curve[hour] && hour < 23) place -= site.curve[hour++]
      arrivals.push({ at: hour * 3600 + random() * 3600, seconds, hour })
    }
  }
  arrivals.sort((one, other) => one.at - other.at)
  const hours = new Array(24).fill(0)
  let [free, longestWait] = [0, 0]
  for (const { at, seconds, hour } of arrivals) {
    hours[hour] += seconds
    longestWait = Math.max(longestWait, free - at)
    free = Math.max(free, at) + seconds
  }
  return { longestWait, busiestHour: Math.max(...hours) }
}

/** What a site needs, by the limits above. */
export function adviceFor(load, { longestWait, busiestHour }, site) {
  const advice = []
  if (Math.max(load.peakCpu, busiestHour / 3600) > MOST_CPU || longestWait > MOST_WAIT_SECONDS)
    advice.push('second gateway')
  if (load.peakNetwork > MOST_NETWORK) advice.push('faster line')
  if (load.daysOnDisk < site.keepDays) advice.push('tier')
  if (site.isAroundTheClock || load.studies > 100) advice.push('standby')
  return advice
}
