import { defineConfig } from '@playwright/test'

// The tests of the desktop app with the real Electron, for a machine that has its binary.
export default defineConfig({
  testDir: 'test/e2e-electron',
  outputDir: 'test-results',
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [['list'], ['json']] : 'list',
})
