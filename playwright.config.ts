import { defineConfig } from '@playwright/test'

// A test that counts what came today fails if the day changes while it runs. The tests keep the zone
// of the machine unless midnight is near; then they and all they start are in a zone where it is noon.
const hour = new Date().getHours() + new Date().getMinutes() / 60
if (hour < 0.25 || hour > 22) {
  const offset = 12 - new Date().getUTCHours()
  // The sign of these zones is that of POSIX: Etc/GMT-3 is three hours ahead of UTC.
  process.env.TZ = `Etc/GMT${offset < 0 ? '+' : '-'}${Math.abs(offset)}`
}

/** Files that take long: they start first, so that no worker is left with one at the end. */
const LONG = ['screens*.spec.ts', 'viewer*.spec.ts', 'stories*.spec.ts']

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  // A file runs in one worker: its tests build on each other.
  workers: 2,
  fullyParallel: false,
  // A test that passes only at the second try is a fault to repair.
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  timeout: 120_000,
  // A machine that builds and tests at once is slow; what is wrong stays wrong for longer than this.
  expect: { timeout: 15_000 },
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
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})
