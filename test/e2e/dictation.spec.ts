import { type BrowserContext, expect, type Page } from '@playwright/test'
import { openSpeechEngine, saying } from '../support/speech-engine.ts'
import { complaintsOf, enterAsOwner, faultsByScheme, go, openStage, type Stage } from './stage.ts'
import { test as base } from './test.ts'

/** Chromium plays a beep each second as the microphone, and asks nobody. */
const FAKE_MICROPHONE = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
] as const
const test = base.extend<object, { launchOptions: { args?: string[] } }>({
  launchOptions: [
    async ({ launchOptions }, use) =>
      use({ ...launchOptions, args: [...(launchOptions.args ?? []), ...FAKE_MICROPHONE] }),
    { scope: 'worker' },
  ],
})
test.describe.configure({ mode: 'serial', timeout: 120_000 })

const SAID = 'Small pleural effusion on the left.'
let stage: Stage
let context: BrowserContext
let page: Page
let played: Awaited<ReturnType<typeof openSpeechEngine>>
let complaints: readonly string[] = []

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  played = await openSpeechEngine(saying(SAID))
  const key = await stage.command('api-key', 'create', '--description', 'Cloud RIS')
  const answer = await fetch(`${stage.http}/v1/scribe/studies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      studyInstanceUid: '1.2.826.0.1.3680043.8.498.80001',
      studyDescription: 'XR chest',
      severity: 'normal',
      reportMetadata: { patientName: 'TEST^MAJA', sex: 'female', mrn: 'P-7001' },
    }),
  })
  expect(answer.status).toBe(201)
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await context.close()
  await played[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const editor = () => page.getByRole('textbox', { name: 'Report', exact: true })
const dictate = () => page.getByRole('button', { name: 'Dictate', exact: true })
const recording = () => page.getByRole('status').filter({ hasText: 'Recording' })
const stop = () => recording().getByRole('button', { name: 'Stop and insert' }).click()
const isAccessible = async () => expect(await faultsByScheme(page, 'dictation')).toEqual({})

/** Dictates for two seconds. */
async function record(): Promise<void> {
  await dictate().click()
  await expect(recording()).toContainText('0:02')
}

test('offers no dictation where no engine is configured', async () => {
  await go(page, 'Reading')
  await page.getByRole('link', { name: 'TEST' }).click()
  await expect(editor()).toBeVisible()
  await expect(dictate()).toHaveCount(0)
})

test('tests the connection in the settings', async () => {
  await stage.command('config', 'set', 'dictation.url', played.url)
  await go(page, 'Settings')
  const group = page.locator('#group-dictation')
  await group.getByRole('button', { name: 'Test connection' }).click()
  await expect(group.getByText('Connected', { exact: true })).toBeVisible()
  expect(played.heard[0]?.file.length).toBe(32_044)
  await group.getByLabel('Secret').fill('a quiet secret')
  await group.getByRole('button', { name: 'Save secret' }).click()
  await expect(page.getByText('The secret was saved.')).toBeVisible()
  await isAccessible()
  await stage.command('config', 'set', 'dictation.isOn', 'true')
})

test('records, and puts the text in where the cursor is, as one step to undo', async () => {
  await page.reload()
  await go(page, 'Reading')
  await page.getByRole('link', { name: 'TEST' }).click()
  await editor().click()
  await page.keyboard.type('Findings: . Heart normal.')
  for (let left = 0; left < '. Heart normal.'.length; left += 1)
    await page.keyboard.press('ArrowLeft')
  await record()
  const meter = page.getByRole('meter', { name: 'Microphone level' })
  await expect
    .poll(() => meter.evaluate((shown) => (shown as HTMLMeterElement).value), {
      intervals: [20],
    })
    .toBeGreaterThan(0.05)
  await expect(page.getByRole('button', { name: 'Sign…' })).toBeDisabled()
  await isAccessible()
  await stop()
  await expect(editor()).toContainText(`Findings: ${SAID} Heart normal.`)
  await expect(editor()).toBeFocused()
  const { fields, file, authorization } = played.heard.at(-1) ?? { file: Buffer.alloc(0) }
  expect([fields?.language, authorization]).toEqual(['en', 'Bearer a quiet secret'])
  expect(file.toString('latin1', 0, 4)).toBe('RIFF')
  expect([file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]).toEqual([
    ...[1, 16_000, 16],
  ])
  expect((file.length - 44) / 32_000).toBeGreaterThan(1.5)
  // The beeps of the fake microphone are in it.
  expect(file.subarray(44).some((byte) => byte !== 0)).toBe(true)
  await page.keyboard.press('Control+z')
  await expect(editor()).toContainText('Findings: . Heart normal.')
  await page.keyboard.press('Control+y')
})

test('is started and stopped by its key, also within the text', async () => {
  await editor().click()
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Control+Shift+KeyD')
  await expect(recording()).toContainText('0:01')
  await page.keyboard.press('Control+Shift+KeyD')
  await expect(editor()).toContainText(`Heart normal. ${SAID}`)
  await expect(page.getByTestId('saving')).toHaveText(/^Saved/)
})

test('keeps the recording where the engine is killed over it, and tries again', async () => {
  const { answer } = played
  played.answer = (_response, request) => request.socket.destroy()
  await record()
  await stop()
  await expect(page.getByText('The speech engine could not be reached')).toBeVisible()
  await expect(page.getByText('The recording is kept on this page')).toBeVisible()
  await isAccessible()
  const first = played.heard.at(-1)?.file
  played.answer = answer
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(editor()).toContainText(`${SAID} ${SAID}`)
  expect(first && played.heard.at(-1)?.file.equals(first)).toBe(true)
})

test('keeps the recording where nobody waits for the text, until it is discarded', async () => {
  const { answer } = played
  played.answer = () => undefined
  await record()
  await stop()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('The conversion was cancelled.')).toBeVisible()
  await page.getByRole('button', { name: 'Discard recording' }).click()
  await expect(page.getByText('The conversion was cancelled.')).toHaveCount(0)
  await expect(dictate()).toBeEnabled()
  played.answer = answer
})

test('asks before the page is left with a dictation under way', async () => {
  await record()
  await page.getByRole('link', { name: 'All studies' }).click()
  const dialog = page.getByRole('dialog', { name: 'Discard the dictation?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await expect(recording()).toBeVisible()
  await recording().getByRole('button', { name: 'Discard recording' }).click()
  await expect(recording()).toHaveCount(0)
  expect(complaints).toEqual([])
})
