import { expect, type Page } from '@playwright/test'
import {
  complaintsOf,
  enterAsOwner,
  expectAccessible,
  leaveSetup,
  OWNER,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

let stage: Stage
let page: Page
let complaints: readonly string[]

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000)
  stage = await openStage()
  const key = (await stage.command('api-key', 'create', '--description', 'Reading service')).trim()
  for (const number of [1, 2]) {
    const answer = await fetch(`${stage.http}/v1/scribe/studies`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        studyInstanceUid: `1.2.826.0.1.3680043.8.498.88${number}`,
        studyDescription: `CT head ${number}`,
        severity: 'normal',
        reportMetadata: {
          ...{
            patientName: 'KELLER^MARIA',
            dateOfBirth: '1971-05-03',
            sex: 'female',
            mrn: `MRN-88${number}`,
          },
          ...{ scanDate: '2026-11-20', scanTime: '10:40' },
        },
      }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  page = await (await browser.newContext()).newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => stage?.[Symbol.asyncDispose]())

const list = () => page.getByRole('grid', { name: /Studies/ })
const goToStudies = async () => {
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Studies\b/ })
    .click()
  await expect(list().getByRole('row')).toHaveCount(3)
}
const isCancelled = (text: string | null) => /Cancelled/.test(text ?? '')
const unlock = async () => {
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
  await page.getByRole('button', { name: 'Unlock' }).click()
}

test('the second key of a sequence goes to a screen, and does nothing with the row that has the focus', async () => {
  await goToStudies()
  await list().getByRole('row').nth(1).focus()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await expect(page.getByRole('heading', { name: 'Customers', level: 1 })).toBeVisible()
  await goToStudies()
  expect(isCancelled(await list().textContent())).toBe(false)
})

/** What the sheet of shortcuts lists: the keys of each row, by its name. */
async function sheetOf(): Promise<readonly { name: string; keys: readonly string[] }[]> {
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.waitFor()
  const rows = await sheet.locator('dl > div').evaluateAll((elements) =>
    elements.map((row) => ({
      name: row.querySelector('dt')?.textContent ?? '',
      keys: [...row.querySelectorAll('dd > span')].map((one) =>
        [...one.querySelectorAll('kbd')].map((key) => key.textContent).join(' '),
      ),
    })),
  )
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  return rows
}

test('the sheet lists the keys of each screen, and none of them twice', async () => {
  const navigation = page.getByRole('navigation', { name: 'Main' })
  for (const link of await navigation.getByRole('link').all()) {
    await link.click()
    const title = page.getByRole('heading', { level: 1 })
    await title.waitFor()
    const keys = (await sheetOf()).flatMap((row) => row.keys)
    const message = (await title.textContent()) ?? ''
    expect(keys, message).toEqual(expect.arrayContaining(['Ctrl K', '?', 'Ctrl L', 'G S']))
    expect(keys.toSorted(), message).toEqual([...new Set(keys)].toSorted())
  }
  await goToStudies()
  const rows = Object.fromEntries((await sheetOf()).map(({ name, keys }) => [name, keys]))
  expect(rows).toMatchObject({
    ...{ 'Next row': ['J', '↓'], 'Last row': ['End'], Select: ['X', 'Space'], Open: ['Enter'] },
    ...{ 'Assign to me': ['A'], 'STAT studies': ['Shift S'], Search: ['/'] },
  })
})

test('a row is gone to, selected and left by keys of the table', async () => {
  await page.keyboard.press('j')
  await expect(list().getByRole('row').nth(1)).toBeFocused()
  await page.keyboard.press('End')
  await expect(list().getByRole('row').nth(2)).toBeFocused()
  await page.keyboard.press('Home')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(list().locator('[role="row"][aria-selected="true"]')).toHaveCount(2)
  await page.keyboard.press('x')
  await expect(list().locator('[role="row"][aria-selected="true"]')).toHaveCount(1)
  await page.keyboard.press('k')
  await page.keyboard.press('x')
  await expect(list().locator('[role="row"][aria-selected="true"]')).toHaveCount(0)
})

const palette = () => page.getByRole('dialog', { name: 'Search or go to' })
const field = () => palette().getByRole('combobox', { name: 'Search or go to' })
const chosen = () => palette().getByRole('option', { selected: true })

test('the palette is worked by keys, and gives the focus back', async () => {
  await list().getByRole('row').nth(1).focus()
  await page.keyboard.press('Control+k')
  await expect(field()).toBeFocused()
  await expect(chosen()).toHaveCount(1)
  const first = await chosen().textContent()
  const isActive = async () =>
    expect(field()).toHaveAttribute(
      'aria-activedescendant',
      (await chosen().getAttribute('id')) ?? '',
    )
  await isActive()
  await page.keyboard.press('ArrowUp')
  await expect(chosen()).toBeInViewport()
  expect(await chosen().textContent()).not.toBe(first)
  await isActive()
  await page.keyboard.press('ArrowDown')
  await expect(chosen()).toHaveText(first ?? '')
  await page.keyboard.press('PageDown')
  await page.keyboard.press('PageUp')
  await expect(chosen()).toHaveText(first ?? '')
  await palette()
    .getByRole('option', { name: /^Devices/ })
    .hover()
  await expect(chosen()).toContainText('Devices')
  await expectAccessible(page, 'palette')
  await page.keyboard.press('Escape')
  await expect(palette()).toHaveCount(0)
  await expect(list().getByRole('row').nth(1)).toBeFocused()
})

test('the palette runs what the screen can do, and remembers where it led', async () => {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('search')
  await chosen().filter({ hasText: 'Search' }).waitFor()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audit')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(field()).toHaveValue('')
  await expect(palette().getByRole('group', { name: 'Recent' })).toContainText('Audit')
  await page.keyboard.press('Escape')
  await goToStudies()
})

test('the palette finds studies, and says where it finds none', async () => {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('kell')
  await expect(palette().getByRole('group', { name: 'Studies' }).getByRole('option')).toHaveCount(2)
  await expectAccessible(page, 'palette, found')
  await field().fill('nobody of that name')
  await expect(palette()).toContainText('Nothing found')
  await expect(palette().getByRole('option')).toHaveCount(0)
  await expectAccessible(page, 'palette, none')
  await page.keyboard.press('Escape')
})

test('the palette says where studies could not be searched', async () => {
  // A page of its own: the browser complains of a request that fails.
  const other = await page.context().newPage()
  await other.goto(`${stage.http}/#/studies`)
  await other.getByRole('grid').waitFor()
  await other.route('**/dashboard/studies?*', (route) => route.abort())
  await other.keyboard.press('Control+k')
  await other.getByRole('combobox').fill('keller')
  await expect(other.getByRole('dialog')).toContainText('Studies could not be searched.')
  await other.close()
})

test('keys of the list are not heard in the panel of filters', async () => {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const chip = page.getByRole('dialog').getByRole('checkbox').first()
  await chip.focus()
  await page.keyboard.press('c')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(isCancelled(await list().textContent())).toBe(false)
  await page.keyboard.press('Escape')
})

test('the window locks with a dialog open, and what was done before cannot be undone after', async () => {
  await list().getByRole('row').nth(1).focus()
  await page.keyboard.press('c')
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  await expect(list()).toContainText('Cancelled')
  await page.keyboard.press('s')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Control+l')
  await expect(page.getByRole('button', { name: 'Unlock' })).toBeVisible()
  expect(await page.locator('body').textContent()).not.toMatch(/keller|MRN-88/i)
  await unlock()
  await expect(list()).toContainText('Cancelled')
  await page.keyboard.press('Alt+z')
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  await page.reload()
  await expect(list()).toContainText('Cancelled')
})

test('what was typed in a form does not go by Escape', async () => {
  await page.goto(`${stage.http}/#/studies`)
  await expect(page.getByRole('heading', { name: 'Studies', level: 1 })).toBeVisible()
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: /^Devices/ }).click()
  const form = page.getByRole('dialog', { name: 'Add device' })
  const open = () => page.getByRole('button', { name: 'Add device' }).first().click()
  await open()
  await expect(form.locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(form).toHaveCount(0)
  await open()
  await form.getByLabel('AE title').fill('CT7')
  await page.keyboard.press('Escape')
  await expect(form.getByLabel('AE title')).toHaveValue('CT7')
  // A choice is a change too; closing the drawer, and leaving the screen, ask first.
  await form.getByLabel('AE title').fill('')
  await form.getByRole('combobox', { name: 'Supported character set' }).click()
  await page.getByRole('option').first().click()
  await form.getByRole('button', { name: 'Close', exact: true }).click()
  const asked = page.getByRole('dialog', { name: 'Discard changes?' })
  await asked.getByRole('button', { name: 'Keep editing' }).click()
  await expect(form).toBeVisible()
  await page.goBack()
  await asked.getByRole('button', { name: 'Keep editing' }).click()
  await expect(page).toHaveURL(/#\/devices$/)
  await form.getByRole('button', { name: 'Cancel' }).click()
  await expect(form).toHaveCount(0)
})

test('the set-up locks too, and unlocks at its step', async () => {
  await page.goto(`${stage.http}/#/setup?step=network`)
  const heading = page.getByRole('heading', { level: 1 })
  // The step's own title: the page before it has a heading too, for as long as the step is fetched.
  await expect(heading).toHaveText('Can devices reach this PC?')
  const other = await page.context().newPage()
  await other.goto(`${stage.http}/#/studies`)
  await other.getByRole('heading', { name: 'Studies', level: 1 }).waitFor()
  await other.keyboard.press('Control+l')
  await expect(page.getByRole('button', { name: 'Unlock' })).toBeVisible()
  await unlock()
  await expect(heading).toHaveText('Can devices reach this PC?')
  await expect(other.getByRole('heading', { name: 'Studies', level: 1 })).toBeVisible()
  await other.close()
  expect(complaints).toEqual([])
})

test('lists of the activity are marked in the navigation', async () => {
  for (const list of ['queries', 'audit', 'activity/associations']) {
    await page.goto(`${stage.http}/#/${list}`)
    await expect(
      page.getByRole('navigation', { name: 'Main' }).locator('[aria-current="page"]'),
    ).toHaveText(/^Activity/)
  }
})

/** Today in another page, in which a part of the program does not come before it is released. */
async function openWithout(part: string) {
  const another = await page.context().newPage()
  const { promise, resolve: release } = Promise.withResolvers<void>()
  await another.route(`**/assets/${part}-*.js`, async (route) => {
    await promise
    await route.continue()
  })
  await another.goto(`${stage.http}/#/`)
  await leaveSetup(another)
  return { another, release }
}

test('a menu that is pressed before its program is there opens once it is, and gives the focus back', async () => {
  const { another, release } = await openWithout('account-menu')
  const button = another.getByRole('banner').getByRole('button', { name: 'Olga Berg' })
  await expect(button).toHaveAttribute('aria-haspopup', 'menu')
  await button.press('Enter')
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await expect(button).toHaveAttribute('aria-expanded', 'false')
  release()
  const lock = another.getByRole('menuitem', { name: 'Lock' })
  await expect(lock).toBeVisible()
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  await another.keyboard.press('ArrowUp')
  await expect(another.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
  await another.keyboard.press('Escape')
  await expect(lock).toBeHidden()
  await expect(button).toBeFocused()
  await another.keyboard.press('Enter')
  await expect(lock).toBeVisible()
  await expectAccessible(another, 'the account menu')
  await another.close()
})

test('a menu whose program cannot be loaded says so, and opens once it can', async () => {
  const another = await page.context().newPage()
  await another.route('**/assets/scheme-menu-*.js', (route) => route.abort())
  await another.goto(`${stage.http}/#/`)
  await leaveSetup(another)
  const button = another.getByRole('button', { name: /^Appearance/ })
  await button.click()
  await expect(another.getByRole('alert').getByText(/gateway/)).toBeVisible()
  await another.unroute('**/assets/scheme-menu-*.js')
  await button.click()
  await expect(another.getByRole('menuitem', { name: 'Dark' })).toBeVisible()
  await another.close()
})

test('tooltips come later, and until then the browser shows their text', async () => {
  const { another, release } = await openWithout('tooltip-drawn')
  await another.setViewportSize({ width: 900, height: 700 })
  const link = another.getByRole('link', { name: /^Studies/ })
  await expect(link).toHaveAttribute('title', 'Studies')
  await link.focus()
  release()
  await expect(link).not.toHaveAttribute('title')
  await expect(link).toBeFocused()
  await link.hover()
  await expect(another.getByRole('tooltip')).toHaveText('Studies')
  await another.close()
})
