import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parseArgs, promisify } from 'node:util'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import type { AxeResults, ContextObject, RunOptions } from 'axe-core'
import { openPartnerSimulator } from '#electron/simulator/partner.ts'
import { sendCommand } from '#server/modules/control/control.ts'
import { gatewayEnvironment } from '#shared/gateway-environment.ts'

const root = join(import.meta.dirname, '../..')
const headless = join(root, 'dist/electron/headless.js')
const run = promisify(execFile)

interface Started {
  readonly child: ChildProcess
  readonly ready: Readonly<Record<string, string>>
}

/** The built gateway in its own process with an empty data folder, and a simulated partner. */
export interface Stage extends AsyncDisposable {
  readonly http: string
  readonly dimsePort: string
  /** The data folder. */
  readonly folder: string
  /** Process of the gateway, to look at its memory from outside. */
  readonly pid: number
  /** Runs a data command in the gateway; resolves with its output. */
  command(...args: string[]): Promise<string>
  stopPartner(): Promise<void>
  startPartner(): Promise<void>
  /** Puts the clock of the gateway ahead, so that no test waits for something to expire. */
  advanceClock(milliseconds: number): Promise<void>
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
  const simulate = (port: number) => openPartnerSimulator({ port, secret, clock: Date.now })
  let partner: Awaited<ReturnType<typeof simulate>> | undefined = await simulate(0)
  const { url, port } = partner
  const stop = async () => {
    await partner?.[Symbol.asyncDispose]()
    partner = undefined
  }
  const again = async () => {
    partner = await simulate(port)
  }
  return openStageWith({ url, secret, stop, start: again }, ...more)
}

/** The built gateway with a partner of the test's own, which ends with it. */
export const openStageWith = (partner: StagePartner, ...more: string[]): Promise<Stage> =>
  openStageIn(mkdtempSync(join(tmpdir(), 'isthmus-e2e-')), partner, ...more)

/**
 * The same on a data folder that the test has filled, which is removed at the end.
 * @param partner undefined: none is set
 */
export async function openStageIn(
  data: string,
  partner?: StagePartner,
  ...more: string[]
): Promise<Stage> {
  const secretFile = join(data, 'partner.secret')
  if (partner) writeFileSync(secretFile, partner.secret, { mode: 0o600 })
  const gateway = await start(
    ...[
      'serve',
      '--data',
      data,
      '--http',
      '127.0.0.1:0',
      '--dimse',
      '127.0.0.1:0',
      '--dimse-tls',
      'off',
      '--log-level',
      'warn',
    ],
    ...(partner ? ['--partner-url', partner.url, '--partner-secret-file', secretFile] : []),
    ...more,
  )
  return {
    http: gateway.ready.http ?? '',
    dimsePort: gateway.ready.dimse?.split(':').at(-1) ?? '',
    folder: data,
    pid: gateway.child.pid ?? 0,
    command: (...args) => runCommand(data, args),
    stopPartner: async () => partner?.stop(),
    startPartner: async () => partner?.start(),
    async advanceClock(milliseconds) {
      const moved = once(gateway.child, 'message')
      gateway.child.send(milliseconds)
      await moved
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([end(gateway), partner?.stop()])
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** Options of data commands that have no value. */
const FLAGS = {
  viewer: { type: 'boolean' },
  plaintext: { type: 'boolean' },
  automatic: { type: 'boolean' },
  'confirms-storage': { type: 'boolean' },
} as const

/**
 * Runs a data command by the control socket of the gateway that has the folder open, as the command
 * line does, without the cost of another process.
 */
async function runCommand(folder: string, args: readonly string[]): Promise<string> {
  const names = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2))
  const named = Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const))
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...named, ...FLAGS },
    allowPositionals: true,
  })
  const [group = '', verb] = positionals
  const command = group === 'sign-in-link' ? group : `${group} ${verb}`
  const given = positionals.slice(command === group ? 1 : 2)
  const options = values as Record<string, string | boolean>
  const { ok, output } = await sendCommand(folder, { command, arguments: given, options })
  if (!ok) throw new Error(`${command}: ${output}`)
  return output.trim()
}

/** A secret of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

function start(...args: string[]): Promise<Started> {
  const clock = new URL('movable-clock.mjs', import.meta.url).href
  // The flag and the environment with which a gateway executes itself again at its start
  // (`limitMemory` in electron/headless.ts), which would end the channel to its clock.
  const child = spawn(
    process.execPath,
    ['--min-semi-space-size=4', '--import', clock, headless, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: gatewayEnvironment(process.env),
    },
  )
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout as Readable })
    lines.once('line', (line) => resolve({ child, ready: JSON.parse(line) }))
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
    // The browser itself notes a refused call; what the page does about it is tested where it is
    // expected.
    if (
      message.type() === 'error' &&
      !message.text().includes('the server responded with a status of')
    )
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

export const OWNER = { email: 'owner@clinic.example', password: 'seven calm otters' }

/** Creates the owner's account by the one-time link; resolves with the cookie of their session. */
export async function createOwner(stage: Pick<Stage, 'http' | 'command'>): Promise<string> {
  const token = new URL((await stage.command('sign-in-link')).replace('#/', '')).searchParams.get(
    'token',
  )
  const answer = await fetch(`${stage.http}/dashboard/owner`, {
    method: 'POST',
    headers: { 'x-isthmus-csrf': '1', origin: stage.http, 'content-type': 'application/json' },
    body: JSON.stringify({
      token,
      ...OWNER,
      firstName: 'Olga',
      lastName: 'Berg',
      clinicName: 'North Clinic',
    }),
  })
  if (!answer.ok) throw new Error(`owner: ${answer.status} ${await answer.text()}`)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Signs a browser in by the cookie of a session. */
export async function addSession(
  context: BrowserContext,
  http: string,
  cookie: string,
): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: http, httpOnly: true, sameSite: 'Strict' }])
}

/** Opens the window for a new owner. `window.spec.ts` creates the account through the set-up. */
export async function enterAsOwner(stage: Stage, page: Page): Promise<void> {
  await addSession(page.context(), stage.http, await createOwner(stage))
  // Led to the set-up, once for each time the page is loaded.
  await page.goto(`${stage.http}/#/`)
  await leaveSetup(page)
}

/** From the set-up, where a new owner is led, into the window. */
export async function leaveSetup(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Setup steps' }).waitFor()
  await page.getByRole('link', { name: 'Finish setup later' }).click()
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
}

/** Lists within a screen: the screen, and what its tabs are called together. */
const TABS: Readonly<Record<string, readonly [screen: string, tabs: string]>> = {
  'Test query': ['Worklist', 'Worklist'],
  'Worklist queries': ['Activity', 'Activity'],
  Audit: ['Activity', 'Activity'],
}

/** Goes to a screen by the navigation, and to a list within one by its tab. */
export async function go(page: Page, name: string): Promise<void> {
  const [screen, tabs] = TABS[name] ?? [name]
  // The entry also says what waits there.
  const entry = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: new RegExp(`^${screen}\\b`) })
  await entry.click()
  if (tabs)
    await page
      .getByRole('navigation', { name: tabs, exact: true })
      .getByRole('link', { name, exact: true })
      .click()
}

/**
 * A click of somebody whose session has ended; the window may have noticed that before the click.
 */
export const clickSomewhere = (page: Page): Promise<void> =>
  page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Devices' })
    .click({ timeout: 3000 })
    .catch(() => undefined)

/**
 * Shows the page in these colours, and waits until it stands still in them: colours on their way
 * are not those anybody reads.
 */
export async function inColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  // The viewer has one scheme for everybody, and does not name it.
  await page
    .locator(`html[data-mantine-color-scheme="${colorScheme}"]`)
    .or(page.locator('html:not([data-mantine-color-scheme])'))
    .waitFor()
  // A caret blinks for ever.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY),
  )
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)
type Rules = NonNullable<RunOptions['runOnly']>
/** Those of WCAG 2.2 AA, and what axe calls best practices. */
const ALL_RULES: Rules = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
/** Those of the rules of WCAG 2.2 AA whose result depends on the colours of the page. */
const COLOUR_RULES: Rules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
interface WindowWithAxe {
  readonly axe?: {
    run(context: Document | ContextObject, options: RunOptions): Promise<AxeResults>
  }
}

/**
 * The faults that axe finds on the page against WCAG 2.2 AA, and those of its best practices whose
 * impact is not minor, one line each. It waits for two frames first: the page handles a change of
 * its size (the `resize` event, observers) when it draws the next one. axe runs within the page: its
 * Playwright package opens another page for each analysis, which takes seconds and leaves this one
 * in the background. While a modal dialog is open, the screen behind it is left out: it
 * cannot be reached, and it is analysed where it is shown without the dialog.
 */
export async function accessibilityFaults(
  page: Page,
  runOnly: Rules = ALL_RULES,
): Promise<string[]> {
  for (const frame of page.frames()) {
    if (await frame.evaluate(() => (window as WindowWithAxe).axe === undefined))
      await frame.evaluate(axeSource)
  }
  return page.evaluate(
    async (options) => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const { axe } = window as WindowWithAxe
      if (!axe) throw new Error('axe is not in the page')
      const isBehind =
        document.querySelector('body > :not(#root) [role="dialog"][aria-modal="true"]') !== null
      // A name that shows because the pointer happens to be there is not part of the screen.
      const context = { exclude: ['[role="tooltip"]', ...(isBehind ? ['#root'] : [])] }
      const { violations } = await axe.run(context, options)
      return violations
        .filter(({ impact, tags }) => impact !== 'minor' || !tags.includes('best-practice'))
        .map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
    },
    { runOnly, resultTypes: ['violations'] } satisfies RunOptions,
  )
}

/**
 * The accessibility faults of the page by colour scheme, without the schemes that have none: all
 * rules in one scheme, and those about colours in the other. Where `ISTHMUS_SHOTS` names a folder,
 * it takes a screenshot of each. It begins with the scheme that the page is in and leaves it in the
 * other one, because each change of scheme draws the page anew.
 */
export async function faultsByScheme(
  page: Page,
  name: string,
  schemes: readonly ('light' | 'dark')[] = ['light', 'dark'],
): Promise<Record<string, string[]>> {
  const shots = process.env.ISTHMUS_SHOTS
  const faults: Record<string, string[]> = {}
  // A tooltip under the pointer lies outside every landmark.
  await page.mouse.move(0, 0)
  await page
    .getByRole('tooltip')
    .first()
    .waitFor({ state: 'hidden', timeout: 2000 })
    .catch(() => undefined)
  const current = await page.locator('html').getAttribute('data-mantine-color-scheme')
  const ordered = schemes.toSorted((a, b) => Number(b === current) - Number(a === current))
  for (const [index, scheme] of ordered.entries()) {
    await inColours(page, scheme)
    if (shots) await page.screenshot({ path: join(shots, `${name}-${scheme}.png`) })
    const found = await accessibilityFaults(page, index === 0 ? ALL_RULES : COLOUR_RULES)
    if (found.length > 0) faults[scheme] = found
  }
  return faults
}

/**
 * Where `ISTHMUS_PICTURES` names a folder, takes a picture of what the page shows in both colour
 * schemes and at each of the widths, for a person to look at.
 */
export async function pictured(
  page: Page,
  name: string,
  widths: readonly number[] = [1440, 768],
): Promise<void> {
  const folder = process.env.ISTHMUS_PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  const before = page.viewportSize()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 1000 })
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.waitForTimeout(300)
      await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}

/** Checks that the page has no accessibility fault, light and dark. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  expect.soft(await faultsByScheme(page, name), name).toEqual({})
}

/**
 * Asks the worklist as a device would, by DCMTK's findscu; resolves with the number of pending
 * responses.
 */
export async function ask(
  stage: Stage,
  aeTitle: string,
  more: readonly string[] = [],
): Promise<number> {
  const keys = ['PatientName', 'PatientID', 'ScheduledProcedureStepSequence[0].Modality'].flatMap(
    (key) => ['-k', key],
  )
  const args = [
    '-v',
    '-W',
    '-aet',
    aeTitle,
    '-aec',
    'ISTHMUS',
    ...keys,
    ...more,
    '127.0.0.1',
    stage.dimsePort,
  ]
  const { stdout, stderr } = await run('findscu', args, {
    encoding: 'latin1',
    env: { ...process.env, TCP_NODELAY: '1' },
  }).catch((error) => error)
  return (stdout + stderr).match(/Find Response: \d+ \(Pending/g)?.length ?? 0
}
