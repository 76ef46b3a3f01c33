import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { needs } from '../../support/needs.ts'
import { tempFolder } from '../../support/temp-store.ts'
import { startStage } from './stage.ts'

const PYTHON = '/usr/bin/python3'
const CLIENT = join(import.meta.dirname, '../../../clients/python')
const PROGRAM = join(import.meta.dirname, '../../fixtures/clients/client_program.py')

const run = (cwd: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(PYTHON, args, { cwd, encoding: 'utf8' })
  return status === 0 ? '' : `${status}\n${stdout}\n${stderr}`
}

/** Builds the wheel, and returns the folder in which it is installed. */
function installed(folder: string): string {
  const source = join(folder, 'source')
  cpSync(CLIENT, source, { recursive: true })
  const target = join(folder, 'installed')
  const wheels = join(folder, 'wheels')
  // Without isolation: setuptools and wheel are Debian's, and nothing is downloaded.
  const offline = ['--no-index', '--no-deps', '--no-build-isolation', '--quiet']
  expect(run(source, '-m', 'pip', 'wheel', '.', ...offline, '--wheel-dir', wheels)).toBe('')
  const [wheel = ''] = readdirSync(wheels)
  expect(wheel).toMatch(/^isthmus_client-[\d.]+-py3-none-any\.whl$/)
  const install = ['-m', 'pip', 'install', '--no-index', '--no-deps', '--quiet', '--target', target]
  expect(run(folder, ...install, join(wheels, wheel))).toBe('')
  expect(readdirSync(join(target, 'isthmus_client'))).toEqual(
    expect.arrayContaining(['models.py', 'operations.py', 'events.py', 'py.typed']),
  )
  return target
}

describe('the Python client', { timeout: 240_000 }, () => {
  it('becomes a wheel that calls a gateway and answers its events', async (context) => {
    needs(context, 'python-wheel')
    using temp = tempFolder()
    const target = installed(temp.folder)
    await using stage = await startStage()
    await using child = program(target, {
      URL: stage.proxy.url,
      KEY: stage.apiKey,
      SECRET: stage.secret,
    })
    const lines: string[] = []
    for await (const line of child.lines) {
      lines.push(line)
      if (!line.startsWith('http://')) continue
      expect(await stage.testEvents(line)).toEqual([])
      break
    }
    expect([lines.slice(0, -1), child.errors()]).toEqual([
      ['calls', 'refusals', 'lists', 'retries', 'webhooks'],
      '',
    ])
  })

  it('passes mypy in its strict mode, and so does a program that uses it', (context) => {
    needs(context, 'mypy')
    using temp = tempFolder()
    const source = join(CLIENT, 'src')
    const cache = ['--strict', '--cache-dir', join(temp.folder, 'cache')]
    expect(run(source, '-m', 'mypy', ...cache, 'isthmus_client', PROGRAM)).toBe('')
  })
})

function program(folder: string, env: Readonly<Record<string, string>>) {
  const child = spawn(PYTHON, [PROGRAM], {
    env: { ...process.env, ...env, PYTHONPATH: folder, PYTHONUNBUFFERED: '1' },
  })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  return {
    lines: createInterface({ input: child.stdout }),
    errors: () => errors,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.stdin.end()
      if (child.exitCode === null) await ended
    },
  }
}
