import { type BrowserContext, expect, type Page } from '@playwright/test'
import { accessibilityFaults, complaintsOf, enterAsOwner, go } from './stage.ts'
import { callOf } from './stories.ts'
import { test } from './test.ts'
import {
  greyAt,
  isDrawn,
  isEmpty,
  openViewerStage,
  paneOf,
  phantomImages,
  pictureOf,
  type ViewerStage,
  valueAt,
} from './viewer-stage.ts'

// From a link that a partner created to images on the screen.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.60001'
const CT = {
  studyInstanceUid: STUDY,
  seriesInstanceUid: `${STUDY}.2`,
  slices: 500,
  patientName: 'TEST^MAJA',
  patientId: 'P-6001',
}
let stage: ViewerStage
let context: BrowserContext
let page: Page
let complaints: readonly string[]
let link: string

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  stage.studies.add({ studyInstanceUid: STUDY, images: phantomImages(CT) })
  await stage.addStudy(STUDY)
  context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

/** Another browser, which knows nothing. */
async function elsewhere<T>(work: (page: Page) => Promise<T>): Promise<T> {
  const other = await context.browser()?.newContext()
  if (!other) throw new Error('no browser')
  try {
    return await work(await other.newPage())
  } finally {
    await other.close()
  }
}

const askedFor = () => stage.partner.requestsOf['study.access_requested'] ?? 0

test('opens a CT of 500 slices from a link, asked for once', async () => {
  link = await stage.link(STUDY)
  await page.goto(link)
  await isDrawn(page)
  await expect(paneOf(page)).toContainText('TEST')
  await expect(paneOf(page)).toContainText('Im 1/500')
  await expect(paneOf(page)).toContainText('C 40 W 400')
  await expect(paneOf(page).getByText('Not for primary diagnosis')).toBeVisible()
  expect(askedFor()).toBe(1)
})

test('has no token in its address, its title or what the browser keeps', async () => {
  const token = new URL(link).searchParams.get('token') ?? 'no token'
  expect(page.url()).toMatch(/\/viewer#[0-9a-f-]{36}$/)
  expect(await page.title()).not.toContain('TEST')
  expect(JSON.stringify(await context.storageState())).not.toContain(token)
  const [cookie] = await context.cookies(page.url().replace('#', '/'))
  expect(cookie).toMatchObject({
    name: 'isthmus-view',
    httpOnly: true,
    sameSite: 'Strict',
    path: page.url().replace(/^.*#/, '/viewer/'),
  })
  // Opens the view, and nothing else.
  for (const path of ['/v1/viewer/studies', '/dashboard/people']) {
    const answer = await fetch(`${stage.http}${path}`, {
      headers: { cookie: `isthmus-view=${cookie?.value}` },
    })
    expect(answer.status).toBe(401)
  }
})

test('serves the page under a policy of its own, without inline code', async () => {
  const policy = (await fetch(`${stage.http}/viewer`)).headers.get('content-security-policy') ?? ''
  const scripts = policy.split(';').find((part) => /^\s*script-src /.test(part)) ?? ''
  expect(scripts).toContain("'wasm-unsafe-eval'")
  expect(scripts).not.toMatch(/'unsafe-inline'|'unsafe-eval'|https?:/)
  expect(policy).toMatch(/frame-ancestors 'self'/)
  const window = (await fetch(`${stage.http}/`)).headers.get('content-security-policy') ?? ''
  expect(window).not.toContain('wasm-unsafe-eval')
})

test('shows the patient’s right on the left, the front above, in a soft-tissue window', async () => {
  const png = await pictureOf(paneOf(page))
  // The image is a square in the middle of a wider pane.
  const side = Math.min(png.width, png.height)
  const at = (column: number, row: number) =>
    greyAt(
      png,
      0.5 + ((column / 512 - 0.5) * side) / png.width,
      0.5 + ((row / 512 - 0.5) * side) / png.height,
    )
  expect(at(34, 80), 'the R').toBeGreaterThan(200)
  expect(at(478, 80), 'nothing at the mirrored place').toBeLessThan(40)
  expect(at(256, 400), 'the spine, below').toBeGreaterThan(200)
  expect(at(240, 250), 'soft tissue, 40 HU at centre 40').toBeGreaterThan(100)
  expect(at(240, 250)).toBeLessThan(155)
  expect(await valueAt(page, 256, 400)).toBe(700)
  expect(await valueAt(page, 310, 345)).toBe(250)
})

test('scrolls by wheel and key through slices in their order', async () => {
  const pane = paneOf(page)
  await pane.hover()
  await page.mouse.wheel(0, 100)
  await expect(pane).toContainText('Im 2/500')
  await page.keyboard.press('End')
  await expect(pane).toContainText('Im 500/500')
  await expect.poll(() => valueAt(page, 500, 506), { timeout: 60_000 }).toBe(500)
  await page.keyboard.press('Home')
  await page.keyboard.press('PageDown')
  await expect(pane).toContainText('Im 11/500')
  await expect.poll(() => valueAt(page, 500, 506), { timeout: 60_000 }).toBe(11)
})

test('reads the rest behind the back, and says so', async () => {
  // As long as it takes on a busy machine: 3 s on an idle one.
  test.setTimeout(300_000)
  await expect(page.getByText('All 500 images received')).toBeVisible({ timeout: 290_000 })
  expect(new Set(stage.files.fetched).size).toBe(500)
})

test('goes on after a reload, without asking again', async () => {
  const before = askedFor()
  const fetched = stage.files.fetched.length
  await page.reload()
  await isDrawn(page)
  await expect(paneOf(page)).toContainText('500')
  expect([askedFor(), stage.files.fetched.length]).toEqual([before, fetched])
})

test('says that a link was used, in another browser as in this one', async () => {
  await elsewhere(async (other) => {
    await other.goto(link)
    await expect(other.getByRole('alert')).toContainText('used')
    await expect(other.getByRole('heading', { level: 1 })).toHaveText(
      'This link does not open images',
    )
    expect(other.url()).not.toContain('token')
    expect(await accessibilityFaults(other)).toEqual([])
  })
})

test('says that a study was cancelled, at the link and where it is open', async () => {
  const uid = `${STUDY}.7`
  stage.studies.add({
    studyInstanceUid: uid,
    images: phantomImages({
      ...CT,
      studyInstanceUid: uid,
      seriesInstanceUid: `${uid}.2`,
      slices: 3,
    }),
  })
  await stage.addStudy(uid)
  const links = [await stage.link(uid), await stage.link(uid)]
  await elsewhere(async (other) => {
    await other.goto(links[0] ?? '')
    await isDrawn(other)
    await stage.v1('POST', 'viewer/studies/cancel', { studyInstanceUid: uid })
    await other.reload()
    await expect(other.getByRole('alert')).toContainText('cancelled')
    await other.goto(links[1] ?? '')
    await expect(other.getByRole('alert')).toContainText('cancelled')
  })
})

test('says that an address is no link', async () => {
  await elsewhere(async (other) => {
    await other.goto(`${stage.http}/token/landing?token=nonsense`)
    await expect(other.getByRole('heading', { level: 1 })).toHaveText(
      'This link does not open images',
    )
    await other.goto(`${stage.http}/viewer`)
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('No study is open here')
  })
})

test('hangs an ephemeral session by its protocol', async () => {
  const uid = `${STUDY}.8`
  const series = (number: number, seriesDescription: string) =>
    phantomImages({
      ...CT,
      studyInstanceUid: uid,
      seriesInstanceUid: `${uid}.${number}`,
      slices: 4,
      seriesNumber: number,
      seriesDescription,
    })
  stage.studies.add({
    studyInstanceUid: uid,
    images: [...series(2, 'Thorax 1.0'), ...series(3, 'Lung 1.0')],
  })
  stage.studies.addSession('sitting-1', [uid])
  const protocol = { layout: '2x2', viewportAssignments: ['Lung 1.0', null, 'Thorax 1.0', null] }
  await page.goto(await stage.ephemeralLink('sitting-1', protocol))
  await isDrawn(page, 1)
  await isDrawn(page, 3)
  for (const [number, text] of [
    [1, 'Lung 1.0'],
    [3, 'Thorax 1.0'],
  ] as const)
    await expect(paneOf(page, number)).toContainText(text)
  for (const number of [2, 4]) expect(await isEmpty(page, number)).toBe(true)
  expect(stage.partner.last).toMatchObject({
    type: 'ephemeral.access_requested',
    data: { retrievalId: 'sitting-1' },
  })
})

test('ends an ephemeral link after its 30 seconds', async () => {
  const late = await stage.ephemeralLink('sitting-1')
  await stage.advanceClock(31_000)
  await elsewhere(async (other) => {
    await other.goto(late)
    await expect(other.getByRole('alert')).toContainText('expired')
  })
})

test('shows an enhanced multi-frame as its slices', async () => {
  const uid = `${STUDY}.10`
  const series = { ...CT, studyInstanceUid: uid, seriesInstanceUid: `${uid}.2`, slices: 24 }
  const { phantomMultiFrame } = await import('#electron/simulator/phantom.ts')
  stage.studies.add({
    studyInstanceUid: uid,
    images: [{ sopInstanceUid: `${uid}.2.1`, body: phantomMultiFrame(series) }],
  })
  await stage.addStudy(uid)
  await page.goto(await stage.link(uid))
  await isDrawn(page)
  await expect(paneOf(page)).toContainText('/24')
  await page.keyboard.press('End')
  await expect.poll(() => valueAt(page, 500, 506)).toBe(24)
  expect(await valueAt(page, 256, 400)).toBe(700)
})

test('asks again once when the links are over before the images were fetched', async () => {
  const uid = `${STUDY}.11`
  stage.studies.add({
    studyInstanceUid: uid,
    images: phantomImages({
      ...CT,
      studyInstanceUid: uid,
      seriesInstanceUid: `${uid}.2`,
      slices: 60,
    }),
  })
  await stage.addStudy(uid)
  stage.files.setServingOptions({ delayMs: 500 })
  const before = askedFor()
  const fetched = () =>
    new Set(stage.files.fetched.filter((name) => name.startsWith(`${uid}/`))).size
  await page.goto(await stage.link(uid))
  await expect.poll(fetched, { intervals: [20] }).toBeGreaterThan(0)
  stage.files.expire()
  // All but those that were being sent are behind links that are over.
  expect(fetched()).toBeLessThan(30)
  await isDrawn(page)
  await expect(page.getByText('All 60 images received')).toBeVisible({ timeout: 60_000 })
  stage.files.setServingOptions({})
  expect(askedFor() - before).toBe(2)
})

/** A viewer study of three slices. @returns its UID */
async function addSmallStudy(number: number): Promise<string> {
  const uid = `${STUDY}.${number}`
  const series = { ...CT, studyInstanceUid: uid, seriesInstanceUid: `${uid}.2`, slices: 3 }
  stage.studies.add({ studyInstanceUid: uid, images: phantomImages(series) })
  await stage.addStudy(uid)
  return uid
}

/**
 * Opens the first link, has somebody's access taken, and looks at what is open and at the second
 * link.
 */
async function losesAccess(
  links: readonly string[],
  take: () => Promise<void>,
  whyOver: string,
): Promise<void> {
  await elsewhere(async (other) => {
    await other.goto(links[0] ?? '')
    await isDrawn(other)
    await take()
    await other.reload()
    await expect(other.getByRole('alert')).toContainText(whyOver)
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('These images are closed')
    await expect(other.getByLabel(/^Pane/)).toHaveCount(0)
    await other.goto(links[1] ?? '')
    await expect(other.getByRole('alert')).toContainText('This link was revoked')
    await expect(other.getByRole('heading', { level: 1 })).toHaveText(
      'This link does not open images',
    )
    expect(other.url()).not.toContain('token')
    expect(await accessibilityFaults(other)).toEqual([])
  })
}

let window: Page

test('says that the key that gave a link was revoked, at the link and where it is open', async ({
  browser,
}) => {
  window = await (await browser.newContext({ viewport: { width: 1360, height: 860 } })).newPage()
  await enterAsOwner(stage, window)
  const key = await stage.command(
    'api-key',
    'create',
    '--description',
    'Former partner',
    '--viewer',
  )
  const studyInstanceUid = await addSmallStudy(12)
  const link = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ studyInstanceUid })
    const answer = await fetch(`${stage.http}/v1/viewer/studies/reroute-url`, {
      method: 'POST',
      headers,
      body,
    })
    return String(((await answer.json()) as { readonly url: string }).url)
  }
  const revoke = async () => {
    await go(window, 'API keys')
    await window.getByRole('button', { name: 'Revoke the key of Former partner' }).click()
    await window.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
    await expect(window.getByRole('row').filter({ hasText: 'Former partner' })).toContainText(
      'Revoked',
    )
  }
  await losesAccess(
    [await link(), await link()],
    revoke,
    'The partner that created the link no longer has access.',
  )
})

test('says that the person whom a link is for has no access any more, at the link and where it is open', async () => {
  const studyInstanceUid = await addSmallStudy(13)
  const person = {
    ...{
      email: 'maja@clinic.example',
      firstName: 'Maja',
      lastName: 'Novák',
      clinicRole: 'Radiologist',
      level: 'member',
    },
    ...{ canManageStudies: false, canCreateReports: false, hasDashboardAccess: true },
  }
  const { person: invited, link: invitation } = await callOf(
    window,
    'POST',
    '/dashboard/people',
    person,
  )
  await elsewhere(async (other) => {
    await other.goto(invitation)
    await other.getByRole('textbox', { name: 'Choose a password' }).fill('eight early herons')
    await other.getByRole('button', { name: 'Accept and sign in' }).click()
    await expect(other.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  })
  const reportMetadata = {
    patientName: CT.patientName,
    dateOfBirth: '1971-05-03',
    sex: 'female',
    mrn: CT.patientId,
  }
  await stage.v1('POST', 'scribe/studies', {
    studyInstanceUid,
    studyDescription: 'CT thorax',
    severity: 'normal',
    reportMetadata,
  })
  const { userId } = invited
  const link = async () =>
    String(
      (
        await stage.v1('POST', 'scribe/studies/viewer-only-reroute-url', {
          studyInstanceUid,
          userId,
        })
      ).url,
    )
  const take = async () => {
    await go(window, 'Users')
    await window.getByRole('button', { name: 'Revoke access of Maja Novák' }).click()
    await window.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
    await expect(window.getByRole('row').filter({ hasText: 'maja@clinic.example' })).toContainText(
      'No access',
    )
  }
  // What was open for them went with their access.
  await losesAccess([await link(), await link()], take, 'This view of the study has ended.')
  await window.context().close()
})

test('complains of nothing on the console, and is accessible', async () => {
  expect(complaints).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])
})
