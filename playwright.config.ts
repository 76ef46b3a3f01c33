import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

// The tests run on one given day, so that none depends on today's date or on the day changing while
// it runs. At noon UTC it is at least an hour until midnight in every zone from UTC-12 to UTC+14,
// UTC+11:30 excepted. All Node processes of the tests read this clock
// (test/support/shifted-clock.mjs), and the browser's pages do (test/e2e/test.ts).
const NOON = '2026-11-20T12:00:00Z'
if (process.env.ISTHMUS_TEST_CLOCK !== NOON) {
  const clock = new URL('test/support/shifted-clock.mjs', import.meta.url).href
  // This process may have a shifted clock already, but not its `performance`.
  const offset = Date.parse(NOON) - (performance.timeOrigin + performance.now())
  process.env.ISTHMUS_TEST_CLOCK = NOON
  process.env.ISTHMUS_TEST_CLOCK_OFFSET = String(Math.round(offset))
  process.env.NODE_OPTIONS =
    `${(process.env.NODE_OPTIONS ?? '').replace(/--import=\S*shifted-clock\.mjs/, '')} --import=${clock}`.trim()
}

/** Files that take long: they start first, so that no worker is left with one at the end. */
const LONG = [
  'screens*.spec.ts',
  'viewer*.spec.ts',
  'stories*.spec.ts',
  'drafts.spec.ts',
  'reading.spec.ts',
]

/**
 * Chromium without the interface of a browser, in a package of its own, uses a fifth less CPU time.
 */
const SHELL = '/usr/bin/chromium-headless-shell'
/**
 * What Chromium starts for each context without being asked: parts of its interface, and a process
 * for the next page.
 */
const UNUSED = [
  'SpareRendererForSitePerProcess',
  ...['PreloadTopChromeWebUI', 'InitialWebUI', 'WebUIReloadButton', 'WebUIToolbar'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
]

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  // A file runs in one worker: its tests build on each other. A file waits for about a fifth of its
  // time, so three workers keep two cores busy.
  workers: 3,
  fullyParallel: false,
  // A test that passes only at the second try is a fault to repair.
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  timeout: 120_000,
  // A machine that builds and tests at once is slow; what is wrong stays wrong for longer than
  // this.
  expect: { timeout: 30_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [['list'], ['json']] : 'list',
  projects: [
    { name: 'long', testMatch: LONG },
    { name: 'short', testIgnore: LONG },
  ],
  use: {
    screenshot: 'only-on-failure',
    // Nothing waits for an animation.
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    trace: 'off',
    video: 'off',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium'),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        `--disable-features=${UNUSED.join(',')}`,
      ],
    },
  },
})
