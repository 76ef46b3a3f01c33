import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isBuilt, root, stop } from '../setup.mjs'
import { partsOf, soak, spreadOf } from './run.mjs'

const { values } = parseArgs({
  options: {
    associations: { type: 'string', default: '10000' },
    calls: { type: 'string', default: '100000' },
    events: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '0' },
    /** Share by which the memory of a tenth may differ from that of the whole. */
    spread: { type: 'string', default: '0.1' },
    /** The gateway from its sources, as tests run it. */
    sources: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
if (process.platform !== 'linux') stop('The soak reads /proc, which only Linux has.')
const wanted = Object.fromEntries(
  ['associations', 'calls', 'events', 'minutes'].map((name) => [name, Number(values[name])]),
)
if (Object.values(wanted).some((number) => !(number >= 0)))
  stop('--associations, --calls, --events and --minutes take numbers.')

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const entry = join(
  root,
  !values.sources && isBuilt() ? 'dist/electron/headless.js' : 'electron/headless.ts',
)
const began = performance.now()
const result = await soak(entry, wanted, (line) => values.json || console.log(line))
const parts = partsOf(result.samples)
const spread = spreadOf(parts)
if (values.json) console.log(JSON.stringify({ ...result, parts, spread }))
else print()

function print() {
  const { done, before, after, metrics } = result
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  console.log(
    `\n${done.associations} associations, ${done.calls} calls, ${done.events} events in ${minutes} min\n`,
  )
  console.log(
    '| tenth | s | RSS MiB mean (least–most) | of no file | heap MiB mean (least–most) | descriptors least–most |',
  )
  console.log('|---|---:|---:|---:|---:|---:|')
  const range = ({ mean, least, most }) =>
    `${mean.toFixed(0)} (${least.toFixed(0)}–${most.toFixed(0)})`
  for (const [index, { seconds, rss, anonymous, heap, descriptors }] of parts.entries())
    console.log(
      `| ${index + 1} | ${seconds} | ${range(rss)} | ${anonymous.mean.toFixed(0)} | ${range(heap)} | ${descriptors.least}–${descriptors.most} |`,
    )
  console.log(
    `\nat rest, after the first fifth: ${before.rss.toFixed(0)} MiB, ${before.descriptors} descriptors`,
  )
  console.log(
    `at rest, at the end:            ${after.rss.toFixed(0)} MiB, ${after.descriptors} descriptors`,
  )
  for (const [name, value] of Object.entries(metrics)) console.log(`${name} ${value}`)
  const faults = [
    spread > Number(values.spread) &&
      `the memory of a tenth differs by ${(spread * 100).toFixed(1)} % from the whole`,
    before.descriptors !== after.descriptors &&
      `descriptors: ${JSON.stringify(before.open)} before, ${JSON.stringify(after.open)} after`,
  ].filter(Boolean)
  console.log(
    faults.length === 0
      ? `\nFlat: every tenth within ${(spread * 100).toFixed(1)} %, no descriptor left open.`
      : `\nMissed:\n  ${faults.join('\n  ')}`,
  )
  process.exitCode = faults.length === 0 ? 0 : 1
}
