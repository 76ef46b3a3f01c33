import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { palettePng } from '../support/palette-png.ts'
import { readPng } from '../support/png.ts'
import { isNightly } from '../support/tier.ts'
import { openPicturedDay, type PicturedDay } from './pictured-day.ts'
import { atRest } from './screens.ts'
import { test } from './test.ts'

// The pictures of the documents. `npm run pictures` makes them anew. Otherwise: those named are
// there and, in the nightly tier, each can be made.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const DOCS = join(import.meta.dirname, '../../docs')
const FOLDER = join(DOCS, 'pictures')
const MOST_BYTES = 120_000
const isMaking = process.env.ISTHMUS_PICTURES === 'make'

interface Picture {
  readonly name: string
  readonly who: 'owner' | 'radiologist'
  /** What comes to pass before it; gives the time it is then. */
  readonly later?: (day: PicturedDay) => Promise<number>
  /** Address of the window after `#`; without one the picture goes on from the one before. */
  readonly address?: (ids: PicturedDay['ids']) => string
  /** A text that says that it is there. */
  readonly sign: string
  readonly act?: (page: Page) => Promise<void>
}

const PICTURES: readonly Picture[] = [
  { name: 'today', who: 'owner', address: () => '/', sign: 'Patient or exam mismatch' },
  { name: 'worklist', who: 'owner', address: () => '/worklist', sign: 'CT, room 1' },
  {
    name: 'why',
    who: 'owner',
    address: ({ exam, device }) => `/worklist/why?study=${exam}&device=${device}`,
    sign: 'Stopped here',
  },
  {
    name: 'mismatch',
    who: 'owner',
    address: ({ mismatch }) => `/images/${mismatch}`,
    sign: 'MRN-99999',
  },
  {
    name: 'set-aside',
    who: 'owner',
    address: () => '/images/quarantine',
    sign: 'wrong worklist entry',
  },
  { name: 'devices', who: 'owner', address: () => '/devices', sign: 'XRAY9' },
  {
    name: 'connection',
    who: 'owner',
    address: ({ association }) => `/activity/associations/${association}`,
    sign: 'What happened',
  },
  { name: 'destinations', who: 'owner', address: () => '/destinations', sign: 'OLDARCHIVE' },
  {
    name: 'partner',
    who: 'owner',
    address: () => '/partner',
    sign: 'ris.example',
    act: (page) => page.getByRole('button', { name: 'Test…' }).scrollIntoViewIfNeeded(),
  },
  { name: 'event', who: 'owner', address: ({ event }) => `/events/${event}`, sign: 'Attempt 2' },
  { name: 'people', who: 'owner', address: () => '/people', sign: 'ivan@clinic.example' },
  { name: 'access', who: 'owner', address: () => '/settings/access', sign: '192.0.2.21' },
  {
    name: 'backups',
    who: 'owner',
    address: () => '/settings/backups',
    sign: 'isthmus-2026-11-20',
  },
  {
    name: 'keys',
    who: 'owner',
    address: () => '/worklist',
    sign: 'CT, room 1',
    async act(page) {
      await page.keyboard.press('Shift+?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'criticals',
    who: 'radiologist',
    address: () => '/reading/criticals',
    sign: 'Acute left subdural haematoma',
  },
  {
    name: 'report',
    who: 'radiologist',
    address: ({ toRead }) => `/reading/${toRead}`,
    sign: 'MRN-40017',
    async act(page) {
      await page.getByRole('button', { name: 'CT thorax', exact: true }).click()
      await page.locator('.cm-content').press('Control+Home')
      await page.keyboard.press('F2')
      await page.keyboard.type('7')
      await page.getByText(/^Saved/).waitFor()
    },
  },
  {
    name: 'sign',
    who: 'radiologist',
    sign: 'MRN-40017',
    async act(page) {
      await page.locator('.cm-content').press('Control+a')
      await page.keyboard.insertText(REPORT)
      await page.getByText(/^Not saved yet|^Saving/).waitFor({ state: 'hidden' })
      await page.keyboard.press('Control+Enter')
      await page.getByRole('dialog').getByText('Review these before signing').waitFor()
    },
  },
  {
    name: 'addendum',
    who: 'radiologist',
    address: ({ signed }) => `/reading/${signed}`,
    sign: 'MRN-40021',
    async act(page) {
      await page.getByRole('button', { name: 'Start addendum' }).click()
      await page.locator('.cm-content').click()
      await page.keyboard.insertText(ADDENDUM)
      await page.getByText(/^Saved/).waitFor()
    },
  },
  {
    name: 'partner-away',
    who: 'owner',
    later: (day) => day.losePartner(),
    address: () => '/',
    sign: 'Start downtime mode',
    // The keys are still shown.
    act: (page) => page.keyboard.press('Escape'),
  },
]

const REPORT =
  'Findings\nLarge left pneumothorax with shift of the mediastinum.\n\nImpression\nLeft tension pneumothorax.\n'
const ADDENDUM = 'Compared with the radiograph of 2024, which came today: no change.\n'

/**
 * Addresses of this machine, also where the page wrote them itself: a picture shows one that is set
 * aside for documents (RFC 5737).
 */
const withoutAddresses = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      if (text.nodeValue?.includes('127.0.0.')) {
        text.nodeValue = text.nodeValue
          .replaceAll(/\b127\.0\.0\.1\b/g, '192.0.2.17')
          .replaceAll(/\b127\.0\.0\.(3\d)\b/g, '192.0.2.$1')
      }
  })

test('every picture that a document names is there, of the size of the others, and small', () => {
  const documents = readdirSync(DOCS).filter((name) => name.endsWith('.md'))
  const named = documents.flatMap((name) => [
    ...readFileSync(join(DOCS, name), 'utf8').matchAll(/!\[[^\]]+\]\(pictures\/([\w-]+)\.png\)/g),
  ])
  const names = [...new Set(named.map(([, name = '']) => name))]
  expect(names.toSorted()).toEqual(PICTURES.map(({ name }) => name).toSorted())
  test.skip(isMaking, 'They are being made.')
  expect(readdirSync(FOLDER).toSorted()).toEqual(names.map((name) => `${name}.png`).toSorted())
  for (const name of names) {
    const bytes = readFileSync(join(FOLDER, `${name}.png`))
    expect([
      name,
      bytes.readUInt32BE(16),
      bytes.readUInt32BE(20),
      bytes.length < MOST_BYTES,
    ]).toEqual([name, 1280, 800, true])
  }
})

// Not in every run: other tests go to the same screens.
if (isMaking || isNightly)
  test('every picture can be made', async ({ browser }) => {
    await using day = await openPicturedDay()
    const pages = {
      owner: await day.pageOf(browser, 'owner'),
      radiologist: await day.pageOf(browser, 'radiologist'),
    }
    mkdirSync(FOLDER, { recursive: true })
    for (const { name, who, later, address, sign, act } of PICTURES) {
      await test.step(name, async () => {
        const page = pages[who]
        if (later) await page.clock.setFixedTime(await later(day))
        if (address) await page.goto(`${day.http}/#${address(day.ids)}`)
        await expect(page.getByText(sign).filter({ visible: true }).first(), name).toBeVisible()
        await act?.(page)
        await atRest(page)
        await withoutAddresses(page)
        if (isMaking)
          writeFileSync(
            join(FOLDER, `${name}.png`),
            palettePng(readPng(await page.screenshot({ animations: 'disabled' }))),
          )
      })
    }
    for (const page of Object.values(pages)) {
      // What is being asked for by itself right now is not waited for.
      await page.context().unrouteAll({ behavior: 'ignoreErrors' })
      await page.context().close()
    }
  })
