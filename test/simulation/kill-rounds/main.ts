import { parseArgs } from 'node:util'
import { COUNTS, type Counts } from './clients.ts'
import { killClinic } from './clinic.ts'

/**
 * npm run simulate -- --kills N [--seed S --minutes M]: the built gateway in a process of its own,
 * with devices, radiologists, a partner and an archive working on it at full speed, is killed with
 * SIGKILL at a random moment N times. After each restart everything that was acknowledged has to be
 * there, and nothing else. A seed repeats the choices of its clinic: what is sent and when it is
 * killed; how fast the processes run is the machine's. Fewer kills than N, because the minutes were
 * over, are a failure.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: '1440' },
  },
})
const numberOf = (name: string, text: string, least = 0): number => {
  const number = Number(text)
  if (text !== '' && Number.isInteger(number) && number >= least) return number
  console.error(`--${name} takes a number of at least ${least}, and not ${text || 'nothing'}.`)
  process.exit(2)
}
const kills = numberOf('kills', values.kills ?? '', 1)
const first = numberOf('seed', values.seed ?? String(Date.now() % 1_000_000_000))
const until = Date.now() + numberOf('minutes', values.minutes) * 60_000

/** Kills on one data folder. */
const KILLS_OF_A_CLINIC = 20

const total = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts
let breaches: readonly string[] = []
for (let seed = first; total.kills < kills && Date.now() < until && breaches.length === 0; seed++) {
  const began = Date.now()
  const rounds = Math.min(KILLS_OF_A_CLINIC, kills - total.kills)
  const outcome = await killClinic({ seed, rounds })
  breaches = outcome.breaches
  for (const name of COUNTS) total[name] += outcome.counts[name]
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  if (breaches.length === 0)
    console.log(`seed ${seed}: all kept, ${wordsOf(outcome.counts)}, ${seconds} s`)
  else
    console.log(
      [
        `seed ${seed}: lost or invented after kill ${outcome.counts.kills}:`,
        ...breaches.map((line) => `  ${line}`),
        `  npm run simulate -- --kills ${rounds} --seed ${seed}`,
      ].join('\n'),
    )
}
const isCutShort = breaches.length === 0 && total.kills < kills
console.log(
  `${breaches.length > 0 ? 'NOT KEPT' : isCutShort ? 'kept so far' : 'all kept'}: ${wordsOf(total)}`,
)
if (isCutShort)
  console.error(`The time was over after ${total.kills} of ${kills} kills: allow more --minutes.`)
process.exit(breaches.length > 0 || isCutShort ? 1 : 0)

function wordsOf(counts: Counts): string {
  return COUNTS.map((name) => `${counts[name]} ${name}`).join(', ')
}
