import { type Browser, expect, type Page } from '@playwright/test'
import type { DesktopState, UpdateState } from '#shared/contract/shell.ts'
import { type Message, verbatim } from '#shared/messages/message.ts'
import { complaintsOf, enterAsOwner, expectAccessible, openStage, type Stage } from './stage.ts'
import { test } from './test.ts'

// The window as the desktop app shows it: its preload's functions are put in by the test
// (`electron.spec.ts` has the real ones, where Electron is), and a gateway that was started in safe
// mode.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

let stage: Stage
let page: Page
let complaints: readonly string[]
/** What the window asked of the app, and what the app says of itself. */
const asked: string[] = []
const NO_UPDATE: UpdateState = { state: 'none', version: null, share: 0, sentence: null, notes: [] }
const READY: UpdateState = {
  ...{ state: 'ready', version: '0.2.0', share: 1, sentence: null },
  notes: [
    'Images that came after a backup are taken in again.',
    'What is new in an update is shown before it is installed.',
  ],
}
let app: DesktopState = { isAutostart: true, keyStore: 'platform', update: NO_UPDATE }
let installing: () => Promise<Message | null> = () => Promise.resolve(null)

async function open(browser: Browser, ...options: string[]): Promise<void> {
  stage = await openStage(...options)
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
  })
  page = await context.newPage()
  complaints = complaintsOf(page)
  const functions: Readonly<Record<string, (given?: unknown) => unknown>> = {
    version: () => '0.1.0',
    openDataFolder: () => undefined,
    restartGateway: () => undefined,
    desktop: () => app,
    setAutostart(on) {
      app = { ...app, isAutostart: on === true }
    },
    checkForUpdate: () => undefined,
    installUpdate: () => installing(),
  }
  await page.exposeFunction('askApp', async (name: string, given?: unknown) => {
    if (name !== 'desktop') asked.push(given === undefined ? name : `${name} ${String(given)}`)
    return functions[name]?.(given)
  })
  await page.addInitScript((names) => {
    const { askApp } = window as unknown as {
      askApp: (name: string, given?: unknown) => Promise<unknown>
    }
    const gateway = Object.fromEntries(
      names.map((name) => [name, (given?: unknown) => askApp(name, given)]),
    )
    Object.defineProperty(window, 'gateway', { value: gateway })
  }, Object.keys(functions))
  await enterAsOwner(stage, page)
}

async function close(): Promise<void> {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
}

async function look(name: string): Promise<void> {
  await page.evaluate(() =>
    document.getElementById('group-desktop')?.scrollIntoView({ block: 'start' }),
  )
  await expectAccessible(page, `desktop-${name}`)
}

async function show(state: Partial<DesktopState>): Promise<void> {
  app = { ...app, ...state }
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This app' })).toBeVisible()
}

test.describe('in the app', () => {
  test.beforeAll(({ browser }) => open(browser))
  test.afterAll(close)

  test('says whether it starts with the PC, and changes it', async () => {
    await page.goto(`${stage.http}/#/settings`)
    const autostart = page.getByRole('switch', { name: 'Start with this PC' })
    await expect(autostart).toBeChecked()
    await page.getByText('This is version 0.1.0.').waitFor()
    await autostart.click({ force: true })
    await expect(autostart).not.toBeChecked()
    expect(asked).toContain('setAutostart false')
    await page.getByRole('button', { name: 'Check for updates' }).click()
    await expect.poll(() => asked).toContain('checkForUpdate')
    await look('up-to-date')
  })

  test('says loudly where the data key is not locked, and how to mend it', async () => {
    await show({ keyStore: 'file' })
    await expect(page.getByText('In a file that only its owner can read')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Create recovery key' })).toBeVisible()
    await show({ keyStore: 'basic' })
    await expect(page.getByText('Not protected: weak key store')).toBeVisible()
    await look('key-basic')
    await show({ keyStore: 'none' })
    await expect(page.getByText('Not protected: no key store')).toBeVisible()
    await show({ keyStore: 'platform' })
  })

  test('tells how far an update is, and why one could not be had', async () => {
    await show({ update: { ...NO_UPDATE, state: 'downloading', version: '0.2.0', share: 0.4 } })
    await expect(page.getByRole('progressbar', { name: 'Downloading update' })).toHaveAttribute(
      'aria-valuenow',
      '40',
    )
    await show({
      update: {
        ...NO_UPDATE,
        state: 'failed',
        sentence: verbatim('The update server could not be reached.'),
      },
    })
    await expect(page.getByText('The update server could not be reached.')).toBeVisible()
    await show({
      update: {
        ...NO_UPDATE,
        state: 'not-here',
        sentence: verbatim('This program is updated with the package manager of the system.'),
      },
    })
    await expect(page.getByRole('button', { name: 'Check for updates' })).toHaveCount(0)
    await expect(page.getByRole('switch', { name: 'Install automatically' })).toHaveCount(0)
  })

  test('shows what is new, says what installing does, and why it did not happen', async () => {
    await show({ update: READY })
    await expect(
      page.getByRole('region', { name: 'What is new' }).getByRole('listitem'),
    ).toHaveText([...READY.notes])
    await look('ready')
    installing = () => Promise.resolve(verbatim('The folder for backups cannot be written to.'))
    await page.getByRole('button', { name: 'Install now…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Install version 0.2.0 now?' })
    await expect(dialog).toBeVisible()
    await dialog.getByRole('button', { name: 'Install now' }).click()
    await expect(dialog.getByText('The folder for backups cannot be written to.')).toBeVisible()
    await look('install-refused')
    installing = () => Promise.resolve(null)
    await dialog.getByRole('button', { name: 'Install now' }).click()
    await expect.poll(() => asked.filter((name) => name === 'installUpdate')).toHaveLength(2)
    expect(complaints).toEqual([])
  })
})

test.describe('in safe mode', () => {
  test.beforeAll(({ browser }) => open(browser, '--safe-mode'))
  test.afterAll(close)

  test('every screen says so, and Today how it ends', async () => {
    await page.goto(`${stage.http}/#/`)
    await expect(page.getByText(/safe mode/i).first()).toBeVisible()
    await look('safe-mode')
    await page.goto(`${stage.http}/#/studies`)
    await expect(page.getByRole('heading', { name: 'Studies', level: 1 })).toBeVisible()
    await expect(page.getByText(/safe mode/i).first()).toBeVisible()
    await look('safe-mode-studies')
    expect(complaints).toEqual([])
  })
})
