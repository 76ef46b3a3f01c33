import { type Browser, expect, type Page } from '@playwright/test'
import { type Clinic, openClinic, PEOPLE, type Who } from './clinic.ts'
import { isEnglish, spoken } from './screen-data.ts'
import { outside, seenOn } from './screen-text.ts'
import { atRest, closeDialogs, screensOf, show, speakIn } from './screens.ts'
import { test } from './test.ts'
import { allWords, type Spoken, speaker } from './words.ts'

// Every word a person sees or hears is in the words of the window (the pseudo-locale shows which
// are not), and Spanish is Spanish.

test.describe.configure({ timeout: 900_000 })

/** The clinic is far from every browser of these tests. */
const CLINIC_ZONE = 'Asia/Tokyo'
let clinic: Clinic

test.beforeAll(async () => {
  clinic = await openClinic(CLINIC_ZONE)
})
test.afterAll(() => clinic[Symbol.asyncDispose]())

async function enter(
  browser: Browser,
  who: Who,
  language: Spoken,
  timezoneId?: string,
): Promise<Page> {
  const context = await browser.newContext({
    ...{
      viewport: { width: 1280, height: 1600 },
      ignoreHTTPSErrors: true,
      reducedMotion: 'reduce' as const,
    },
    ...(timezoneId !== undefined && { timezoneId }),
  })
  await clinic.enter(context, who)
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await speakIn(page, language)
  return page
}

/** Every screen and dialog of somebody, one after the other. */
async function walk(
  page: Page,
  who: Who,
  language: Spoken,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const say = speaker(language)
  for (const screen of screensOf(who)) {
    await show(page, clinic, screen)
    await look(screen.name)
    for (const [index, [name, open]] of Object.entries(screen.dialogs ?? {}).entries()) {
      if (index > 0) await show(page, clinic, screen)
      await open({ page, clinic, say })
      await expect(page.getByRole('dialog').first()).toBeVisible()
      await atRest(page)
      await look(`${screen.name}, ${name}`)
      await closeDialogs(page, clinic)
    }
  }
}

for (const who of PEOPLE) {
  test(`nothing that ${who} sees or hears is outside the words`, async ({ browser }) => {
    const page = await enter(browser, who, 'pseudo')
    await walk(page, who, 'pseudo', async (name) => {
      const found = (await seenOn(page)).flatMap(({ text, as, at }) => {
        const words = spoken(outside(text))
        return words.length > 0 ? [`${words.join(' ')} (${as} of ${at}: ${text.slice(0, 80)})`] : []
      })
      expect.soft([...new Set(found)], name).toEqual([])
    })
    await page.context().close()
  })
}

for (const who of PEOPLE) {
  test(`no English is left where ${who} chose Spanish`, async ({ browser }) => {
    const words = allWords()
    const spanish = new Set(words.map(({ es }) => es))
    const english = new Set(
      words.filter(({ en, es }) => en !== es && !spanish.has(en)).map(({ en }) => en),
    )
    const page = await enter(browser, who, 'es')
    await walk(page, who, 'es', async (name) => {
      expect.soft(await page.locator('html').getAttribute('lang'), name).toBe('es')
      const found = (await seenOn(page)).filter(({ text }) => {
        // A name of DICOM's, or what somebody wrote, may be an English word of the window too.
        return spoken(text).length > 0 && (english.has(text) || isEnglish(text))
      })
      expect
        .soft(
          [...new Set(found.map(({ text, as, at }) => `${text.slice(0, 160)} (${as} of ${at})`))],
          name,
        )
        .toEqual([])
    })
    await page.context().close()
  })
}

// West and east of the clinic.
for (const timezoneId of ['America/Los_Angeles', 'Pacific/Auckland']) {
  test(`a day of birth or of a scan is the same in ${timezoneId}, and times are the clinic’s`, async ({
    browser,
  }) => {
    const page = await enter(browser, 'owner', 'es', timezoneId)
    const at = (address: string) => page.goto(`${clinic.stage.http}/#${address}`)
    await at(`/studies/${clinic.ids.toRead}`)
    const main = page.getByRole('main')
    for (const day of ['3 may 1971', '20 nov 2026']) await expect(main).toContainText(day)
    await at(`/reading/${clinic.ids.toRead}`)
    for (const day of ['3 may 1971', '20 nov 2026', '12 mar 2025'])
      await expect(main).toContainText(day)
    await at(`/images/${clinic.ids.studyUid}`)
    for (const day of ['3 may 1971', '20 nov 2026 10:30']) await expect(main).toContainText(day)
    // The first day of a year and the last of one are where a zone shows.
    await at(`/studies/${clinic.ids.signed}`)
    await expect(main).toContainText('1 ene 1958')
    await at('/worklist')
    await expect(page.getByRole('table')).toContainText('07:30')
    await expect(page.locator('input[type="date"]').first()).toHaveValue('2026-11-20')
    await page.context().close()
  })
}
