import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import type { Ran } from './engine.ts'
import { type FuzzResult, fuzz } from './supervise.ts'
import { TARGET_NAMES } from './targets/targets.ts'

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: [] },
    /** Of each target. */
    seconds: { type: 'string' },
    executions: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Runs this one file. */
    input: { type: 'string' },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

const seed = Number(values.seed)
const [seconds, executions] = [values.seconds, values.executions].map((text) =>
  text === undefined ? undefined : Number(text),
)
if (
  ![seed, seconds ?? 0, executions ?? 0].every(
    (number) => Number.isSafeInteger(number) && number >= 0,
  )
)
  stop('--seed, --seconds and --executions take whole numbers.')
if (values.list) {
  console.log(TARGET_NAMES.join('\n'))
  process.exit(0)
}
const asked = values.target.flatMap((names) => names.split(','))
const unknown = asked.find((name) => !TARGET_NAMES.includes(name))
if (unknown !== undefined)
  stop(`There is no target ${unknown}. There are: ${TARGET_NAMES.join(', ')}.`)

if (values.input !== undefined) await repeat(values.input)
else await run()

async function run(): Promise<void> {
  const note = (line: string) => values.json || console.log(line)
  const bound =
    seconds === undefined && executions === undefined
      ? { seconds: 60 }
      : { ...(seconds !== undefined && { seconds }) }
  note(`seed ${seed}`)
  const targets = asked.length > 0 ? asked : TARGET_NAMES
  const result: { ran: Ran[]; failures: FuzzResult['failures'][number][] } = {
    ran: [],
    failures: [],
  }
  // A process each: what one keeps in memory is not another's fault.
  for (const name of targets) {
    const { ran, failures } = await fuzz({
      ...{ targets: [name], seed, note },
      ...bound,
      executions: executions ?? Number.MAX_SAFE_INTEGER,
    })
    result.ran.push(...ran)
    result.failures.push(...failures)
  }
  if (values.json) console.log(JSON.stringify({ seed, ...result }))
  else print(result)
  process.exitCode = result.failures.length === 0 ? 0 : 1
}

function print({ ran, failures }: FuzzResult): void {
  console.log(
    '\n| target | executions | executions/s | corpus | inputs kept | outcomes | failures |',
  )
  console.log('|---|---:|---:|---:|---:|---:|---:|')
  for (const { target, executions, ms, given, inputs, outcomes } of ran) {
    const rate = ms > 0 ? Math.round((executions * 1000) / ms) : 0
    const failed = failures.filter((failure) => failure.target === target).length
    console.log(
      `| ${target} | ${executions} | ${rate} | ${given} | ${inputs - given} | ${Object.keys(outcomes).length} | ${failed} |`,
    )
  }
  for (const { target, why, command } of failures) console.log(`\n${target}: ${why}\n  ${command}`)
  if (failures.length === 0)
    console.log(`\nNo failure. The same again: npm run fuzz -- --seed ${seed}`)
}

/**
 * A file of `failures` is named after its target, one of the corpus is in a folder of that name.
 */
async function repeat(path: string): Promise<void> {
  const name =
    asked[0] ??
    TARGET_NAMES.find(
      (target) => basename(path).startsWith(`${target}-`) || basename(dirname(path)) === target,
    )
  if (name === undefined) return stop('Which target is the input for? Say it with --target.')
  const { ran, failures } = await fuzz({ targets: [name], seed, input: readFileSync(path) })
  for (const { why, stack } of failures) console.log(`${why}\n${stack}`)
  if (failures.length === 0)
    console.log(`Nothing fails: ${Object.keys(ran[0]?.outcomes ?? {}).join(', ')}`)
  process.exitCode = failures.length === 0 ? 0 : 1
}

function stop(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
