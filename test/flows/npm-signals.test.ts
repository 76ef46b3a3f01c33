import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../../scripts/setup.mjs'
import { running } from '../support/command-line.ts'
import { needing } from '../support/needs.ts'
import { PROGRAM_ENVIRONMENT } from '../support/program.ts'
import { tempFolder } from '../support/temp-store.ts'

const LISTENERS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']

/** Ends whatever the group still runs. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader) process.kill(-leader, 'SIGKILL')
  } catch {
    // Nothing is left of it.
  }
}

describe('npm run -s gateway -- serve', needing('posix'), () => {
  it('ends with the gateway when npm is sent SIGTERM, and leaves the data folder to the next one', async () => {
    using scratch = tempFolder()
    const words = ['serve', '--data', scratch.folder, ...LISTENERS]
    const npm = spawn('npm', ['run', '-s', 'gateway', '--', ...words], {
      ...{ cwd: root, env: PROGRAM_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] },
      // A group of its own, so that the test can end what a lost signal leaves running.
      detached: true,
    })
    const said: string[] = []
    createInterface({ input: npm.stderr }).on('line', (line) => said.push(line))
    // The gateway has npm's standard output: it is closed when the last of them has ended.
    const closed = once(npm, 'close')
    onTestFinished(() => endGroup(npm.pid))
    const [ready] = await Promise.race([
      once(createInterface({ input: npm.stdout }), 'line'),
      closed,
    ])
    expect(JSON.parse(String(ready)), said.join('\n')).toMatchObject({ ready: true })
    npm.kill('SIGTERM')
    await closed
    await using next = await running(words)
    expect(next.ready).toMatchObject({ ready: true })
  })
})
