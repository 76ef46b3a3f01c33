import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, type Locator } from '@playwright/test'
import { sendCommand } from '#server/modules/control/control.ts'
import { freePort } from '../support/free-port.ts'
import { test } from './test.ts'

// The path that README leads a newcomer along, from `npm start` on a PC without a display to the
// first worklist on a device. What it costs is counted and said, and not judged.

const root = join(import.meta.dirname, '../..')
const README = readFileSync(join(root, 'README.md'), 'utf8')
const running: ChildProcess[] = []
const data = mkdtempSync(join(tmpdir(), 'isthmus-newcomer-'))

test.afterAll(async () => {
  await Promise.all(running.reverse().map(end))
  rmSync(data, { recursive: true, force: true })
})

const NOT_INSTALLED =
  'the packages are not those of package-lock.json: run npm test or npm start first'

/** `npm start` would install them anew, under the feet of whatever else runs from this folder. */
function areInstalled(): boolean {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  try {
    return readFileSync(join(root, 'node_modules/.isthmus-installed'), 'utf8').startsWith(lock)
  } catch {
    return false
  }
}

test('goes from npm start to the first exam of a simulated device without another terminal', async ({
  page,
}, { annotations }) => {
  test.skip(!areInstalled(), NOT_INSTALLED)
  test.setTimeout(240_000)
  const cost = { clicks: 0, fields: 0, keystrokes: 0, commands: 0 }
  const began = Date.now()
  const press = async (locator: Locator) => {
    cost.clicks += 1
    await locator.click()
  }
  const write = async (locator: Locator, text: string) => {
    cost.fields += 1
    cost.keystrokes += text.length
    await locator.fill(text)
  }
  const enter = (command: string, ...more: string[]) => {
    cost.commands += 1
    return terminal([command, ...more].join(' '))
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  // The ports of README may be taken on a machine that tests.
  const isthmus = enter('npm start', '--', '--http 127.0.0.1:0 --dimse 127.0.0.1:0 --dimse-tls off')
  const link = /http:\S+token=\S+/.exec(await isthmus.until(/sign-in-link --data/))?.[0] ?? ''

  // So may the port of the simulated partner.
  const partnerPort = await freePort()
  await sendCommand(data, {
    command: 'config set',
    arguments: ['setup.simulatorPort', String(partnerPort)],
    options: {},
  })
  await page.goto(link)
  await write(page.getByLabel('Clinic name'), 'North Clinic')
  await write(page.getByLabel('First name'), 'Olga')
  await write(page.getByLabel('Last name'), 'Berg')
  await write(page.getByLabel('E-mail'), 'olga@clinic.example')
  await write(page.getByRole('textbox', { name: 'Password' }), 'seven calm otters')
  await press(button('Create account and sign in'))

  const steps = page.getByRole('navigation', { name: 'Setup steps' })
  await press(steps.getByRole('link', { name: /Partner/ }))
  expect(README).toContain('press *Start simulated partner*')
  await press(button('Start simulated partner'))
  await expect(page.getByText(`Running at http://127.0.0.1:${partnerPort}/webhooks.`)).toBeVisible()

  await press(steps.getByRole('link', { name: /First device/ }))
  expect(README).toContain('press *Query worklist*')
  await press(button('Query worklist'))
  await expect(page.getByText(/^Received \d+ exams\./)).toBeVisible()
  await expect(page.getByText(/SIMULATOR\)? queried its worklist and got \d+ exams/)).toBeVisible()
  expect(README).toContain('*Perform an exam*')
  await press(button('Perform an exam'))
  await expect(page.getByText('Sent 12 images.')).toBeVisible()
  await press(page.getByRole('link', { name: 'Open Images' }))
  // The patient, the modality and the number of the images.
  await expect(page.getByRole('row', { name: /, .* CT .* 12 / })).toBeVisible()
  await page.goBack()

  const seconds = Math.round((Date.now() - began) / 1000)
  const spent = `${cost.commands} commands, ${cost.clicks} clicks, ${cost.fields} fields with ${cost.keystrokes} keystrokes; ${seconds} s`
  annotations.push({ type: 'newcomer', description: spent })
  console.log(`From npm start to the first exam: ${spent} without reading and typing.`)

  // The rest of the way waits for later, and says so.
  await press(page.getByRole('link', { name: 'Finish setup later' }))
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
})

/** A line in a terminal of the newcomer's, in the folder of Isthmus. */
function terminal(command: string) {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env
  const child = spawn(command, {
    cwd: root,
    shell: true,
    // A group of its own, so that what it starts ends with it.
    detached: true,
    env: { ...env, ISTHMUS_DATA: data },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.push(child)
  let text = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      text += `${line}\n`
      for (const listener of listeners) listener()
    })
  const status = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    /** Resolves with all it printed once that says so. */
    until: (wanted: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => wanted.test(text) && resolve(text)
        listeners.add(look)
        look()
        void status.then((code) => reject(new Error(`${command} ended with ${code}:\n${text}`)))
      }),
  }
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve()
  const { pid } = child
  return new Promise((resolve) => {
    child.once('close', () => resolve())
    process.kill(-pid, 'SIGTERM')
  })
}
