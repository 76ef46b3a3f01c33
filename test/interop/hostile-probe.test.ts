import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { isNightly } from '../support/tier.ts'
import { exams, TODAY } from '../support/wild-partner.ts'
import { close, gateway, open, partner, ROWS } from './hostile-fixture.ts'

/** These wait for 3 to 14 seconds each: for the nightly run. `hostile-modality.test.ts` has shorter ones of their kind. */
const SLOW = ['stop-reading-40', 'stop-reading', 'pdu-4g-dribble', 'pdata-4g-dribble', 'idle-200']

describe('the probe', () => {
  beforeAll(() => open())
  afterAll(close)

  it('passes the cases of bench/probe.py', { timeout: 180_000 }, async (context) => {
    needs(context, 'bench', 'python')
    partner.sayItems(probeItems())
    const probe = new URL('../../../shared/bench/probe.py', import.meta.url).pathname
    const cases = casesOf(readFileSync(probe, 'utf8'))
    expect(cases).toHaveLength(50)
    const wanted = cases.filter((name) => name !== 'idle-timeout' && (isNightly || !SLOW.includes(name)))
    const words = [
      ...[probe, String(gateway.dimsePort), '--pid', String(gateway.pid), '--ae', 'ISTHMUS', '--n', String(ROWS)],
      ...['--artim', '0', '--only', wanted.join()],
    ]
    const run = spawn('python3', words, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', BENCH_DAY: TODAY },
    })
    let said = ''
    run.stdout.on('data', (chunk: Buffer) => (said += String(chunk)))
    await once(run, 'exit')
    expect(said.split('\n').filter((line) => line.includes('FAIL'))).toEqual([])
    expect(said).toContain(`${wanted.length} of ${wanted.length} pass; started again 0 times`)
  })
})

/** The rows of bench/partner_items.py: ten CT among MR. */
function probeItems(): unknown[] {
  return exams(ROWS).map((item, number) => {
    if (number % (ROWS / 10) !== 0) return item
    const [step] = item.ScheduledProcedureStepSequence as Record<string, unknown>[]
    return { ...item, Modality: 'CT', ScheduledProcedureStepSequence: [{ ...step, Modality: 'CT' }] }
  })
}

/** Names of the probe's cases: those of its functions. */
const casesOf = (source: string): string[] =>
  [...source.matchAll(/^@case\(.*\)\ndef (\w+)\(/gm)].map(([, name = '']) => name.replaceAll('_', '-'))
