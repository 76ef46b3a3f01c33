import { setTimeout as wait } from 'node:timers/promises'
import { atRest, heapOf, look, metricsOf, openSoaked } from './gateway.mjs'
import { load } from './load.mjs'

const WARMING = 0.2

/**
 * Runs the work twice: a fifth to warm up, then the rest, again and again until `minutes` have
 * passed. A look each second.
 * @param wanted `{ associations, calls, events, minutes }`
 * @param tell hears a line from time to time
 * @returns samples of the second part, what was there at rest before and after it, and what was
 *   done
 */
export async function soak(entry, wanted, tell = () => {}) {
  const gateway = await openSoaked(entry)
  const done = { associations: 0, calls: 0, events: 0 }
  const note = (what) => {
    done[what]++
  }
  try {
    const warming = Object.fromEntries(
      Object.keys(done).map((what) => [what, Math.ceil(wanted[what] * WARMING)]),
    )
    await load(gateway, warming, 0, note)
    const before = await atRest(gateway)
    tell(`warm: ${summary(before)}`)

    const watching = watch(gateway)
    const rest = Object.fromEntries(
      Object.keys(done).map((what) => [what, wanted[what] - warming[what]]),
    )
    const end = Date.now() + (wanted.minutes ?? 0) * 60_000
    let first = Math.max(...Object.values(warming))
    try {
      do {
        await load(gateway, rest, first, note)
        first += Math.max(...Object.values(rest))
        tell(
          `${JSON.stringify(done)}: ${summary({ ...look(gateway), heap: heapOf(await metricsOf(gateway)) })}`,
        )
      } while (Date.now() < end)
    } finally {
      await watching.stop()
    }
    const after = await atRest(gateway)
    const metrics = await metricsOf(gateway)
    return {
      done,
      before,
      after,
      samples: watching.samples,
      metrics: Object.fromEntries(COUNTED.map((name) => [name, metrics[name] ?? 0])),
    }
  } finally {
    await gateway.end()
  }
}

/** What the gateway itself says it did. */
const COUNTED = [
  'isthmus_associations_total{outcome="accepted"}',
  'isthmus_associations_total{outcome="rejected"}',
  'isthmus_c_find_total{outcome="success"}',
  'isthmus_c_store_instances_total{outcome="success"}',
  'isthmus_webhook_calls_total{event="report.delivered",outcome="accepted"}',
]

/** Each second: MiB of memory and heap, open descriptors. */
function watch(gateway) {
  const samples = []
  let isOver = false
  const watching = (async () => {
    while (!isOver && gateway.isAlive()) {
      const seen = look(gateway)
      const metrics = await metricsOf(gateway).catch(() => ({}))
      samples.push({ ...seen, heap: heapOf(metrics) })
      await wait(1000)
    }
  })()
  return {
    samples,
    stop: () => {
      isOver = true
      return watching
    },
  }
}

/** Parts of the run, one after the other: means and the ends of each. */
export function partsOf(samples, count = 10) {
  const size = Math.max(1, Math.ceil(samples.length / count))
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, index) => {
    const part = samples.slice(index * size, (index + 1) * size)
    const figure = (of) => {
      const values = part.map((sample) => sample[of])
      return {
        mean: values.reduce((sum, value) => sum + value, 0) / values.length,
        most: Math.max(...values),
        least: Math.min(...values),
      }
    }
    return {
      seconds: part.length,
      rss: figure('rss'),
      anonymous: figure('anonymous'),
      heap: figure('heap'),
      descriptors: figure('descriptors'),
    }
  })
}

/** How far the memory of any part is from that of all of them together, as a share. */
export function spreadOf(parts) {
  const all =
    parts.reduce((sum, { rss, seconds }) => sum + rss.mean * seconds, 0) /
    parts.reduce((sum, { seconds }) => sum + seconds, 0)
  return Math.max(...parts.map(({ rss }) => Math.abs(rss.mean / all - 1)))
}

const summary = ({ rss, heap, descriptors }) =>
  `${rss.toFixed(0)} MiB, heap ${heap.toFixed(0)} MiB, ${descriptors} descriptors`
