import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, type ElectronApplication, expect, type Page, test } from '@playwright/test'
import { missingElectronBinary } from '../../scripts/setup.mjs'

// Tests that need the real Electron: `npm run test:electron` runs them and fails where its binary
// is missing. The binary of an installer has its inspector fused off, so Playwright drives the one
// of the package.
const SERVE = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']
const root = join(import.meta.dirname, '../..')

let data: string
let app: ElectronApplication
let page: Page

test.describe.configure({ mode: 'serial' })
test.beforeAll(async () => {
  const missing = missingElectronBinary()
  if (missing !== undefined) throw new Error(`The Electron binary is missing: ${missing}`)
  data = mkdtempSync(join(tmpdir(), 'isthmus-electron-'))
  app = await launch()
  page = await app.firstWindow()
})
test.afterAll(async () => {
  await app?.close()
  if (data) rmSync(data, { recursive: true, force: true })
})

const given = (...more: string[]) => ['--no-sandbox', '.', '--data', data, ...SERVE, ...more]
/** Where the app remembers what is its own, and not the clinic's (on Linux). */
const env = () => ({
  ...(process.env as Record<string, string>),
  XDG_CONFIG_HOME: join(data, 'config'),
})
const launch = () => _electron.launch({ args: given(), cwd: root, env: env() })
const gatewayPid = () =>
  app.evaluate(
    ({ app: inside }) =>
      inside
        .getAppMetrics()
        .find(({ serviceName, name }) => (name ?? serviceName) === 'Isthmus gateway')?.pid,
  )

test('opens the window on a gateway of its own', async () => {
  await expect(page.getByRole('button', { name: 'Create account and sign in' })).toBeVisible()
})

test('2, 3, 20: gives the page seven functions and nothing of Node', async () => {
  expect(await page.evaluate('typeof require + typeof process + typeof module')).toBe(
    'undefinedundefinedundefined',
  )
  expect(await page.evaluate('Object.keys(window.gateway).length')).toBe(7)
  await page.evaluate('Array.prototype.push = () => { throw new Error("reached") }')
  expect(await page.evaluate('window.gateway.version()')).toMatch(/^\d+\.\d+\.\d+/)
})

test('3, 4, 6, 8-10: every page is sandboxed, isolated and as strict as Chromium', async () => {
  const prefs = await app.evaluate(({ webContents }) =>
    webContents
      .getAllWebContents()
      .map((one) =>
        (one as unknown as { getLastWebPreferences(): object }).getLastWebPreferences(),
      ),
  )
  for (const one of prefs)
    expect(one).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
    })
})

test('1, 6, 13: reaches nothing but the gateway', async () => {
  let calls = 0
  const server = createServer((_, response) => {
    calls++
    response.setHeader('access-control-allow-origin', '*').end('reached')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const before = page.url()
  expect(
    await page.evaluate(
      (url) =>
        fetch(url)
          .then(() => 'reached')
          .catch(() => 'refused'),
      elsewhere,
    ),
  ).toBe('refused')
  await page.evaluate((url) => {
    location.href = url
  }, elsewhere)
  await page.evaluate((url) => {
    const form = Object.assign(document.createElement('form'), { action: url, method: 'post' })
    document.body.append(form)
    form.submit()
  }, elsewhere)
  await page.waitForTimeout(500)
  expect(page.url()).toBe(before)
  expect(calls).toBe(0)
  server.close()
})

test('5: is refused what it asks the system for', async () => {
  const asked = await page.evaluate(async () => [
    await Notification.requestPermission(),
    await navigator.mediaDevices.getUserMedia({ audio: true }).then(
      () => 'given',
      () => 'denied',
    ),
    await new Promise((resolve) =>
      navigator.geolocation.getCurrentPosition(
        () => resolve('given'),
        () => resolve('denied'),
      ),
    ),
  ])
  expect(asked).toEqual(['denied', 'denied', 'denied'])
})

test('7: runs no script but its own', async () => {
  const ran = await page.evaluate(() => {
    const element = document.createElement('div')
    element.innerHTML = '<img src="x" onerror="window.ran = true">'
    document.body.append(element)
    document.body.append(
      Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }),
    )
    return new Promise((resolve) =>
      setTimeout(() => resolve((window as { ran?: boolean }).ran ?? false), 300),
    )
  })
  expect(ran).toBe(false)
})

test('14: opens no window elsewhere', async () => {
  expect(await page.evaluate(() => window.open('https://example.com/') === null)).toBe(true)
  expect(app.windows()).toHaveLength(1)
})

test('leaves a second start to the first, and goes where its link leads', async () => {
  // Playwright cannot drive one that ends at once.
  const binary = createRequire(import.meta.url)('electron') as string
  const second = spawn(binary, given('isthmus://today'), { cwd: root, env: env(), stdio: 'ignore' })
  expect((await once(second, 'exit'))[0]).toBe(0)
  await expect(page.getByRole('button', { name: 'Create account and sign in' })).toBeVisible()
})

test('serves on while the window is closed', async () => {
  const origin = new URL(page.url()).origin
  await app.evaluate(({ BrowserWindow, dialog }) => {
    dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
    BrowserWindow.getAllWindows()[0]?.close()
  })
  expect(
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((one) => one.isVisible()),
    ),
  ).toEqual([false])
  expect((await fetch(`${origin}/`)).status).toBe(200)
  await app.evaluate(({ app: inside }) => inside.emit('activate'))
  await expect
    .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
    .toBe(true)
})

test('starts the gateway again after a crash, and in safe mode after three', async () => {
  for (let crash = 1; crash <= 3; crash++) {
    const pid = await gatewayPid()
    expect(pid).toBeGreaterThan(0)
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
    await expect.poll(gatewayPid, { timeout: 30_000 }).not.toBe(pid)
    await expect.poll(gatewayPid, { timeout: 30_000 }).toBeGreaterThan(0)
    await expect
      .poll(
        () =>
          readFileSync(join(data, 'logs', 'desktop.log'), 'utf8').match(/the gateway is ready/g)
            ?.length,
        { timeout: 30_000 },
      )
      .toBe(crash + 1)
  }
  expect(readFileSync(join(data, 'logs', 'desktop.log'), 'utf8')).toContain('"isSafe":true')
})

test('ends with its gateway', async () => {
  const pid = (await gatewayPid()) ?? 0
  const closed = app.waitForEvent('close')
  await app.evaluate(({ app: inside }) => inside.quit())
  await closed
  await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false)
  app = await launch()
  page = await app.firstWindow()
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
