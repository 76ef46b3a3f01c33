import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { exams, TODAY } from '../support/wild-partner.ts'
import { close, gateway, open, partner, ROWS } from './hostile-fixture.ts'

describe('the probe', () => {
  beforeAll(() => open())
  afterAll(close)

  it('passes every case of bench/probe.py', { timeout: 180_000 }, async (context) => {
    needs(context, 'bench', 'python')
    partner.sayItems(probeItems())
    const probe = new URL('../../../shared/bench/probe.py', import.meta.url).pathname
    const words = [
      probe,
      String(gateway.dimsePort),
      '--pid',
      String(gateway.pid),
      '--ae',
      'ISTHMUS',
      '--n',
      String(ROWS),
      '--artim',
      '0',
      '--json',
      '/tmp/flows-probe.json',
    ]
    const run = spawn('python3', words, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', BENCH_DAY: TODAY },
    })
    let said = ''
    run.stdout.on('data', (chunk: Buffer) => (said += String(chunk)))
    await once(run, 'exit')
    expect(said.split('\n').filter((line) => line.includes('FAIL'))).toEqual([])
    expect(said).toContain('49 of 49 pass; started again 0 times')
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
