import { parseArgs } from 'node:util'
import { failureReport } from './failure-report.ts'
import { simulate } from './simulation.ts'

/**
 * npm run simulate [-- --seed S --days N --steps N --rounds N --minutes N --trace --go-on]: clinics
 * of invented days, one seed after the other, until all rounds are done, the time is over (a
 * failure where --rounds were asked for), or (without --go-on) a promise is broken. A seed repeats
 * its clinic to the word.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    days: { type: 'string', default: '1' },
    steps: { type: 'string', default: '80' },
    rounds: { type: 'string' },
    minutes: { type: 'string', default: '1440' },
    trace: { type: 'boolean', default: false },
    'go-on': { type: 'boolean', default: false },
  },
})
const numberOf = (name: string, text: string): number => {
  const number = Number(text)
  if (Number.isFinite(number) && number >= 0) return number
  console.error(`--${name} takes a number, and not ${text}.`)
  process.exit(2)
}
const first = numberOf('seed', values.seed ?? String(Date.now() % 1_000_000_000))
const days = numberOf('days', values.days)
const steps = numberOf('steps', values.steps)
const rounds = numberOf('rounds', values.rounds ?? (values.seed === undefined ? '20' : '1'))
const until = Date.now() + numberOf('minutes', values.minutes) * 60_000

let broken = 0
let done = 0
const total: Record<string, number> = {}
for (; done < rounds && Date.now() < until; done++) {
  const seed = first + done
  const began = Date.now()
  const outcome = await simulate({
    ...{ seed, days, steps },
    ...(values.trace && { onLine: (line: string) => console.log(line) }),
  })
  const { hash, counts } = outcome
  for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count
  const report = failureReport(outcome, { days, steps })
  if (report === undefined) {
    console.log(
      `seed ${seed}: kept, ${wordsOf(counts)}, ${((Date.now() - began) / 1000).toFixed(1)} s, trace ${hash.slice(0, 16)}`,
    )
    continue
  }
  broken++
  console.log(report)
  if (!values['go-on']) break
}
console.log(`${done} rounds, ${broken} broken: ${wordsOf(total)}`)
const isCutShort = broken === 0 && values.rounds !== undefined && done < rounds
if (isCutShort)
  console.error(`The time was over after ${done} of ${rounds} rounds: allow more --minutes.`)
process.exit(broken > 0 || isCutShort ? 1 : 0)

function wordsOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}
