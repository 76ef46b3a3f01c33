import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

// A benchmark whose peer is missing, or that fails in between, leaves no program running.

const work = mkdtempSync(join(tmpdir(), 'isthmus-bench-kit-'))
const kit = join(import.meta.dirname, '../scripts/bench-kit.mjs')
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Runs a benchmark that starts two programs and a peer, and then does `last`. */
function bench(last: string) {
  const stays = join(work, 'stays.mjs')
  writeFileSync(
    stays,
    `console.log(JSON.stringify({ pid: process.pid })); setInterval(() => {}, 1e6)`,
  )
  const folder = join(work, 'sources')
  mkdirSync(folder, { recursive: true })
  const calls = join(work, 'calls')
  rmSync(calls, { force: true })
  writeFileSync(join(folder, 'peers.sh'), `#!/bin/sh\necho "$@" >> '${calls}'\n`, { mode: 0o755 })
  const script = join(work, 'bench.mjs')
  writeFileSync(
    script,
    `import { allEnded, openBenchFolder, startedScript } from ${JSON.stringify(kit)}
    const bench = openBenchFolder(${JSON.stringify(work)})
    const started = [await startedScript(${JSON.stringify(stays)}, []), await startedScript(${JSON.stringify(stays)}, [])]
    bench.peers('start', 'storescp', 1)
    console.log(started.map(({ ready }) => ready.pid).join(' '))
    ${last}`,
  )
  const env = { ...process.env, ISTHMUS_BENCH: folder }
  const { status, stdout } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' })
  return {
    status,
    pids: stdout.trim().split(' ').map(Number),
    peers: readFileSync(calls, 'utf8').trim().split('\n'),
  }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it.each([
  ['throws', `bench.run('no-such-peer', [])`, 1],
  ['is stopped', `process.exit(2)`, 2],
  [
    'is interrupted',
    `process.kill(process.pid, 'SIGINT'); await new Promise(() => setInterval(() => {}, 1e6))`,
    1,
  ],
  ['ends', `await bench.end()`, 0],
])(
  'ends what a benchmark started when it %s',
  async (_, last, expected) => {
    const { status, pids, peers } = bench(last)
    expect(status).toBe(expected)
    expect(pids).toHaveLength(2)
    // The system takes orphans out of its table when it finds the time.
    await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([])
    expect(peers[0]).toBe('start storescp 1')
    expect(peers.slice(1)).toContain('stop')
  },
  30_000,
)
