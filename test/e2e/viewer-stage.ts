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

/** What `renderer/src/viewer/engine/testing.ts` shows of the page. */
interface Exposed {
  probe(
    sopInstanceUid: string,
    frame: number,
    x: number,
    y: number,
  ): number | readonly number[] | undefined
  load(sopInstanceUid: string, frame: number): Promise<string>
  list(): {
    readonly studies: readonly {
      readonly study: { readonly studyInstanceUid: string }
      readonly series: readonly {
        readonly stack: readonly { readonly sopInstanceUid: string; readonly frame: number }[]
      }[]
    }[]
  }
}
type Window = { readonly isthmusViewer?: Exposed }

/**
 * The value at a pixel (from 0) of the image that a pane shows, once it is decoded; of colours
 * three. By the image's place in the overlay text (`Im 3/500`), so it is the image that a person
 * believes to see.
 */
export async function probe(
  page: Page,
  column: number,
  row: number,
  pane = 1,
): Promise<number | readonly number[] | undefined> {
  const [, at] = /(?:Im|Fr) (\d+)\/\d+/.exec((await paneOf(page, pane).textContent()) ?? '') ?? []
  return page.evaluate(
    ([index, x, y]) => {
      const viewer = (window as Window).isthmusViewer
      const image = viewer?.list().studies[0]?.series[0]?.stack[index]
      return image && viewer?.probe(image.sopInstanceUid, image.frame, x, y)
    },
    [Number(at) - 1, column, row] as const,
  )
}

/**
 * The value at a pixel (from 0) of the first frame of an image, once it is decoded; of colours
 * three.
 */
export const valueAt = (page: Page, sopInstanceUid: string, column: number, row: number) =>
  page.evaluate(([sop, x, y]) => (window as Window).isthmusViewer?.probe(sop, 1, x, y), [
    sopInstanceUid,
    column,
    row,
  ] as const)

/**
 * The place of an image's series among all series of a page, from 0, in the order of the list
 * beside the panes.
 */
export const placeOf = (page: Page, sopInstanceUid: string): Promise<number> =>
  page.evaluate((sop) => {
    const studies = (window as Window).isthmusViewer?.list().studies ?? []
    return studies
      .flatMap(({ series }) => series)
      .findIndex(({ stack }) => stack.some((image) => image.sopInstanceUid === sop))
  }, sopInstanceUid)

/** The place of a study among those of a page, from 0. */
export const studyAt = (page: Page, studyInstanceUid: string): Promise<number> =>
  page.evaluate(
    (uid) =>
      ((window as Window).isthmusViewer?.list().studies ?? []).findIndex(
        ({ study }) => study.studyInstanceUid === uid,
      ),
    studyInstanceUid,
  )

/**
 * Decodes a frame. @returns empty, the sentence why it cannot be shown, or undefined while the page
 * is not so far
 */
export const decoded = (page: Page, sopInstanceUid: string, frame = 1) =>
  page.evaluate(([sop, number]) => (window as Window).isthmusViewer?.load(sop, number), [
    sopInstanceUid,
    frame,
  ] as const)
