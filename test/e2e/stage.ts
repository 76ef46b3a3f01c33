import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const root = join(import.meta.dirname, '../..')
const headless = join(root, 'dist/electron/headless.js')
const run = promisify(execFile)

interface Started {
  readonly child: ChildProcess
  readonly ready: Readonly<Record<string, string>>
}

/** The built gateway and a simulated partner, as two processes of their own, with an empty data folder. */
export interface Stage extends AsyncDisposable {
  readonly http: string
  readonly dimsePort: string
  /** Process of the gateway, to look at its memory from outside. */
  readonly pid: number
  /** Runs a data command; resolves with what it printed. */
  command(...args: string[]): Promise<string>
  stopPartner(): Promise<void>
  startPartner(): Promise<void>
}

/** The partner that a gateway is started with. */
export interface StagePartner {
  readonly url: string
  readonly secret: string
  stop(): Promise<void>
  start(): Promise<void>
}

/** @param more options of `serve` */
export async function openStage(...more: string[]): Promise<Stage> {
  const secret = newSecret()
  const simulate = (port: string) => start('simulator', 'partner', '--port', port, '--secret', secret)
  let partner = await simulate('0')
  const { href, port } = new URL(partner.ready.url ?? '')
  const again = async () => {
    partner = await simulate(port)
  }
  return openStageWith({ url: href, secret, stop: () => end(partner), start: again }, ...more)
}

/** The built gateway with a partner of the test's own, which ends with it. */
export async function openStageWith(partner: StagePartner, ...more: string[]): Promise<Stage> {
  const data = mkdtempSync(join(tmpdir(), 'isthmus-e2e-'))
  const secretFile = join(data, 'partner.secret')
  writeFileSync(secretFile, partner.secret, { mode: 0o600 })
  const gateway = await start(
    ...['serve', '--data', data, '--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off', '--log-level', 'warn'],
    ...['--partner-url', partner.url, '--partner-secret-file', secretFile, ...more],
  )
  return {
    http: gateway.ready.http ?? '',
    dimsePort: gateway.ready.dimse?.split(':').at(-1) ?? '',
    pid: gateway.child.pid ?? 0,
    command: async (...args) => (await run(process.execPath, [headless, ...args, '--data', data])).stdout.trim(),
    stopPartner: () => partner.stop(),
    startPartner: () => partner.start(),
    async [Symbol.asyncDispose]() {
      await Promise.all([end(gateway), partner.stop()])
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** A secret of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

function start(...args: string[]): Promise<Started> {
  const child = spawn(process.execPath, [headless, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve({ child, ready: JSON.parse(line) }))
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)))
  })
}

function end({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** What the page complains of on its console, from now on. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser itself notes a refused call; what the page does about it is tested where it is expected.
    if (message.type() === 'error' && !message.text().includes('the server responded with a status of')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

export const OWNER = { email: 'owner@clinic.example', password: 'seven calm otters' }

/** Makes the owner's account by the one-time link, and puts the set-up aside as a person would who comes back to it later. */
export async function enterAsOwner(stage: Stage, page: Page): Promise<void> {
  await page.goto(await stage.command('sign-in-link'))
  await page.getByLabel('Name of the clinic').fill('North Clinic')
  await page.getByLabel('First name').fill('Olga')
  await page.getByLabel('Last name').fill('Berg')
  await page.getByLabel('E-mail').fill(OWNER.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
  await page.getByRole('button', { name: 'Make the account and sign in' }).click()
  await leaveSetup(page)
}

/** From the set-up, where a new owner is led, into the window. */
export async function leaveSetup(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Steps of the set-up' }).waitFor()
  await page.getByRole('link', { name: 'Leave the set-up for now' }).click()
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
}

/** Lists within a screen: the screen, and what its tabs are called together. */
const TABS: Readonly<Record<string, readonly [screen: string, tabs: string]>> = {
  'Ask as a device': ['Worklist', 'Worklist'],
  'Worklist queries': ['Activity', 'Activity'],
  Audit: ['Activity', 'Activity'],
}

/** Goes to a screen by the navigation, and to a list within one by its tab. */
export async function go(page: Page, name: string): Promise<void> {
  const [screen, tabs] = TABS[name] ?? [name]
  // The entry also says what waits there.
  const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: new RegExp(`^${screen}\\b`) })
  await entry.click()
  if (tabs) await page.getByRole('navigation', { name: tabs, exact: true }).getByRole('link', { name, exact: true }).click()
}

/** Shows the page in these colours, and waits until it stands still in them: colours on their way are not those anybody reads. */
export async function inColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
  // A caret blinks for ever.
  await page.waitForFunction(() =>
    document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY),
  )
}

/** What axe finds on the page against WCAG 2.2 AA, one line each. It needs a context of its own. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze()
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
}

/** No fault of accessibility, light and dark; a picture of each where `ISTHMUS_SHOTS` names a folder. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  const shots = process.env.ISTHMUS_SHOTS
  for (const colours of ['light', 'dark'] as const) {
    await inColours(page, colours)
    if (shots) await page.screenshot({ path: join(shots, `${name}-${colours}.png`) })
    expect.soft(await accessibilityFaults(page), `${name}, ${colours}`).toEqual([])
  }
  await inColours(page, 'light')
}

/** Asks the worklist as a device would, by DCMTK's findscu; resolves with the number of pending responses. */
export async function ask(stage: Stage, aeTitle: string, more: readonly string[] = []): Promise<number> {
  const keys = ['PatientName', 'PatientID', 'ScheduledProcedureStepSequence[0].Modality'].flatMap((key) => ['-k', key])
  const args = ['-v', '-W', '-aet', aeTitle, '-aec', 'ISTHMUS', ...keys, ...more, '127.0.0.1', stage.dimsePort]
  const { stdout, stderr } = await run('findscu', args, { encoding: 'latin1', env: { ...process.env, TCP_NODELAY: '1' } }).catch(
    (error) => error,
  )
  return (stdout + stderr).match(/Find Response: \d+ \(Pending/g)?.length ?? 0
}
