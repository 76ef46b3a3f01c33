import { readFileSync } from 'node:fs'
import { expect, type Locator, type Page } from '@playwright/test'
import type { StudyImage } from '#electron/simulator/image-store.ts'
import type { PartnerSimulator, PartnerSimulatorOptions } from '#electron/simulator/partner.ts'
import {
  type ImageStore,
  openImageStore,
  openPartnerSimulator,
  openSimulatedFiles,
  type PhantomSeries,
  phantomSlice,
  phantomSopUid,
  type SimulatedFiles,
} from '#electron/simulator/partner.ts'
import { type Png, readPng } from '../support/png.ts'
import { newSecret, openStageWith, type Stage } from './stage.ts'

/**
 * The built gateway with a partner that keeps images, in this process, so that a test can have it
 * do wrong.
 */
export interface ViewerStage extends Stage {
  readonly partner: PartnerSimulator
  readonly files: SimulatedFiles
  readonly studies: ImageStore
  /** A call of `/v1` with the partner's key. */
  v1(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Makes a viewer study. @returns its id */
  addStudy(studyInstanceUid: string, more?: object): Promise<string>
  /** A link to the viewer. */
  link(studyInstanceUid: string): Promise<string>
  ephemeralLink(retrievalId: string, hangingProtocol?: object): Promise<string>
}

export async function openViewerStage(
  answers?: PartnerSimulatorOptions['answers'],
): Promise<ViewerStage> {
  const secret = newSecret()
  const clock = Date.now
  const files = await openSimulatedFiles({ clock })
  const studies = openImageStore(files)
  const partner = await openPartnerSimulator({
    port: 0,
    secret,
    clock,
    files: studies,
    ...(answers && { answers }),
  })
  const close = async () => {
    await partner[Symbol.asyncDispose]()
    await files[Symbol.asyncDispose]()
  }
  const stage = await openStageWith({
    url: partner.url,
    secret,
    stop: close,
    start: () => Promise.reject(new Error('It cannot come back.')),
  })
  for (const key of ['intake.stopGigabytes', 'intake.warnGigabytes'])
    await stage.command('config', 'set', key, '0')
  await stage.command('file-host', 'add', files.host, '--plaintext')
  const key = await stage.command('api-key', 'create', '--description', 'Cloud PACS', '--viewer')

  async function v1(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> {
    const answer = await fetch(`${stage.http}/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
  return {
    ...stage,
    partner,
    files,
    studies,
    v1,
    async addStudy(studyInstanceUid, more = {}) {
      const body = { studyInstanceUid, studyDescription: 'CT thorax', severity: 'normal', ...more }
      return String((await v1('POST', 'viewer/studies', body)).studyId)
    },
    link: async (studyInstanceUid) =>
      String((await v1('POST', 'viewer/studies/reroute-url', { studyInstanceUid })).url),
    ephemeralLink: async (retrievalId, hangingProtocol) =>
      String(
        (
          await v1('POST', 'viewer/ephemeral-sessions', {
            retrievalId,
            ...(hangingProtocol && { hangingProtocol }),
          })
        ).url,
      ),
  }
}

/** A phantom series as images of a study. */
export const phantomImages = (series: PhantomSeries): StudyImage[] =>
  Array.from({ length: series.slices }, (_, index) => ({
    sopInstanceUid: phantomSopUid(series, index + 1),
    body: () => phantomSlice(series, index + 1),
  }))

/** Resident memory of a process, MB. */
export const residentMegabytes = (pid: number): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6

/** The panes of the viewer, from 1, as they are named for people. */
export const paneOf = (page: Page, number = 1): Locator =>
  page.getByLabel(new RegExp(`^Pane ${number}:`))

/** What is on the screen of a pane, once it is still. */
export const pictureOf = async (pane: Locator): Promise<Png> =>
  readPng(await pane.screenshot({ animations: 'disabled' }))

/** Grey at a place of a pane, from 0 to 255, `x` and `y` from 0 to 1. */
export function greyAt(png: Png, x: number, y: number): number {
  const [red, green, blue] = png.at(
    Math.round(x * (png.width - 1)),
    Math.round(y * (png.height - 1)),
  )
  return (red + green + blue) / 3
}

/**
 * How much of the middle half of a picture has one and the same colour: nearly all of an empty
 * pane, also with words in it.
 */
export function plainness(png: Png): number {
  const seen = new Map<number, number>()
  let pixels = 0
  for (let y = Math.floor(png.height / 4); y < (png.height * 3) / 4; y++) {
    for (let x = Math.floor(png.width / 4); x < (png.width * 3) / 4; x++) {
      const [red, green, blue] = png.at(x, y)
      const colour = red * 65_536 + green * 256 + blue
      seen.set(colour, (seen.get(colour) ?? 0) + 1)
      pixels += 1
    }
  }
  return Math.max(...seen.values()) / pixels
}
/** An image has less of one colour than this. */
export const PLAIN = 0.92

/** Waits for an image in a pane. */
export async function isDrawn(page: Page, number = 1, timeout = 30_000): Promise<void> {
  // Screenshots are expensive: none is taken before there is an image.
  await expect(paneOf(page, number)).toHaveAttribute('aria-label', /: (?!Empty$)/, { timeout })
  await expect(paneOf(page, number).getByText('loading', { exact: true })).toHaveCount(0, {
    timeout,
  })
  await expect
    .poll(async () => plainness(await pictureOf(paneOf(page, number))), { timeout })
    .toBeLessThan(PLAIN)
}

export const isEmpty = async (page: Page, number: number): Promise<boolean> =>
  plainness(await pictureOf(paneOf(page, number))) > PLAIN

/** Waits until a pane shows the image that its text names. */
export async function isShown(page: Page, number = 1): Promise<void> {
  const pane = paneOf(page, number)
  await expect(pane).toContainText(/(?:Im|Fr|Sl) \d+\/\d+/, { timeout: 30_000 })
  await expect(pane.getByText('loading', { exact: true })).toHaveCount(0)
  await expect.poll(() => pane.getByRole('alert').allTextContents()).toEqual([])
}

/** What a pane says of the pixel under the pointer; undefined where there is none. */
async function pointed(pane: Locator) {
  const text = pane.getByTestId('pointer-value')
  if ((await text.count()) === 0) return undefined
  const found = /^(\d+), (\d+): ([-\d. e]+?)(?: [A-Z].*)?$/.exec((await text.textContent()) ?? '')
  if (!found) return undefined
  const values = (found[3] ?? '').split(' ').map(Number)
  return { column: Number(found[1]), row: Number(found[2]), values }
}

/**
 * The value that a pane shows for a pixel (from 0) of its image when the pointer is on it, as a
 * person reads it; of colours three.
 */
export const valueAt = async (page: Page, column: number, row: number, number = 1) =>
  (await pixelAt(page, column, row, number))?.value

/** A pixel (from 0) of the image that a pane shows: its place on the page, and its value. */
export async function pixelAt(page: Page, column: number, row: number, number = 1) {
  await isShown(page, number)
  const pane = paneOf(page, number)
  const box = await pane.boundingBox()
  if (!box) return undefined
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const pointAt = async (x: number, y: number) => {
    await page.mouse.move(x, y)
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
    return pointed(pane)
  }
  try {
    return await search(middle, Math.min(box.width, box.height), { column, row }, pointAt)
  } finally {
    // Without the text in the next picture.
    await page.mouse.move(box.x - 1, box.y - 1)
  }
}

type Pointed = Awaited<ReturnType<typeof pointed>>
/** Finds a pixel on the screen from what the pane says of others. */
async function search(
  middle: { readonly x: number; readonly y: number },
  side: number,
  wanted: { readonly column: number; readonly row: number },
  pointAt: (x: number, y: number) => Promise<Pointed>,
) {
  let from: Pointed
  // The page may not follow the pointer yet.
  for (let tries = 0; !from && tries < 20; tries += 1)
    from = await pointAt(middle.x + (tries % 2), middle.y)
  const to = await pointAt(middle.x + side * 0.3, middle.y + side * 0.3)
  if (!from) return undefined
  // Screen pixels for a pixel of the image; of an image much wider than high, the second point is
  // beside it.
  const scale = (count: number | undefined) => (count ? (side * 0.3) / count : 1)
  const wide = scale(to && to.column - from.column)
  const high = scale(to && to.row - from.row)
  let at = { ...middle }
  let before = at
  let now = await pointAt(at.x, at.y)
  for (let tries = 0; tries < 40; tries += 1) {
    if (now?.column === wanted.column && now.row === wanted.row)
      return { ...at, value: now.values.length === 1 ? now.values[0] : now.values }
    if (now) {
      before = at
      // Less than the whole way, as its beginning and its end lie anywhere in their pixels, and ever
      // less, so that steps which are too long do not pass over a pixel again and again.
      const share = Math.max(0.1, 0.7 * 0.9 ** tries)
      at = {
        x: at.x + (wanted.column - now.column) * wide * share,
        y: at.y + (wanted.row - now.row) * high * share,
      }
    } else at = { x: (at.x + before.x) / 2, y: (at.y + before.y) / 2 }
    now = await pointAt(at.x, at.y)
  }
  return undefined
}

/** The button of a series in the list beside the panes. */
export const entryOf = (page: Page, seriesInstanceUid: string): Locator =>
  page.locator(`[data-series="${seriesInstanceUid}"]`).first().getByRole('button')

/** A study in the list beside the panes. */
export const entryOfStudy = (page: Page, studyInstanceUid: string): Locator =>
  page.locator(`[data-study="${studyInstanceUid}"]`)

/** Chooses a tool of a page's first pane by its key and drags with it, in parts of the pane. */
export async function drag(
  page: Page,
  key: string,
  from: readonly [number, number],
  to: readonly [number, number],
  number = 1,
): Promise<void> {
  const pane = paneOf(page, number)
  const box = await pane.boundingBox()
  if (!box) throw new Error('no pane')
  const at = ([x, y]: readonly [number, number]) =>
    [box.x + x * box.width, box.y + y * box.height] as const
  await pane.focus()
  await page.keyboard.press(key)
  await page.mouse.move(...at(from))
  await page.mouse.down()
  await page.mouse.move(...at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]), { steps: 4 })
  await page.mouse.move(...at(to), { steps: 4 })
  await page.mouse.up()
}
