import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import { Hands } from './hands.ts'
import { openTasksClinic, PHANTOM, type STAFF, type TasksClinic } from './tasks-clinic.ts'
import { test } from './test.ts'
import { isDrawn, paneOf } from './viewer-stage.ts'

// The daily tasks of each role, with real data on a real gateway, counted in clicks. The numbers,
// and those of the best peer, are in docs/TASKS.md. `ISTHMUS_WRITE_TASKS=1` writes them there.

test.describe.configure({ timeout: 400_000 })
test.use({ actionTimeout: 10_000 })

const TABLE = join(import.meta.dirname, '../../docs/TASKS.md')

interface Task {
  readonly name: string
  /** Where it begins; the home page without it. Getting there is not counted. */
  readonly from?: (hands: Hands) => Promise<void>
  readonly run: (hands: Hands) => Promise<void>
}

let clinic: TasksClinic

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000)
  clinic = await openTasksClinic(browser)
})
test.afterAll(() => clinic?.[Symbol.asyncDispose]())

const main = ({ page }: Hands) => page.getByRole('main')
const dialogOf = ({ page }: Hands, name?: string | RegExp) =>
  page.getByRole('dialog', name === undefined ? {} : { name })
const rowOf = ({ page }: Hands, text: string): Locator =>
  page.getByRole('row').filter({ hasText: text }).first()
const searchOf = ({ page }: Hands) => page.getByRole('searchbox').first()
const sees = (hands: Hands, text: string | RegExp) =>
  expect(main(hands).getByText(text).filter({ visible: true }).first()).toBeVisible()
/** A need of Today. */
const need = (hands: Hands, text: string) =>
  main(hands).getByRole('listitem').filter({ hasText: text }).getByRole('link').last()

/** The last step of a correction: cause, reason, and the button that applies it. */
async function apply(hands: Hands, button: RegExp): Promise<void> {
  const { page } = hands
  await hands.check(page.getByRole('radio', { name: 'Wrong worklist entry' }))
  await hands.fill(page.getByRole('textbox', { name: 'Reason' }), 'Asked the patient')
  await hands.press(button)
}

const TECHNOLOGIST: readonly Task[] = [
  {
    name: 'See which patient is next in a room',
    run: async (hands) => {
      const room = main(hands)
        .locator('section')
        .filter({ has: hands.page.getByRole('heading', { name: 'CT, room 1' }) })
      await expect(room.getByRole('listitem').first()).toContainText(/\d\d:\d\d/)
    },
  },
  {
    name: 'Find a patient on today’s worklist',
    run: async (hands) => {
      await hands.go('Worklist')
      await hands.fill(searchOf(hands), 'dunm')
      await expect(rowOf(hands, 'Dunmore')).toBeVisible()
      await expect(rowOf(hands, 'Ellingham')).toHaveCount(0)
    },
  },
  {
    name: 'Find out why an exam is not on the scanner',
    run: async (hands) => {
      await hands.follow(/Bristow/, main(hands))
      await expect(hands.page.getByTestId('conclusion')).toContainText(
        /Why the exam is missing from the worklist|get this exam/,
      )
    },
  },
  {
    name: 'Refresh the worklist from the RIS',
    run: async (hands) => {
      await hands.go('Worklist')
      await hands.press('Refresh from partner')
      await expect(hands.page.getByText(/^The partner was queried/)).toBeVisible()
    },
  },
  {
    name: 'Mark an exam as cancelled because the patient did not come',
    run: async (hands) => {
      await hands.go('Worklist')
      await hands.press(/^Actions for the .* exam$/, rowOf(hands, 'Dunmore'))
      await hands.click(hands.page.getByRole('menuitem', { name: 'Mark as done or cancelled…' }))
      await hands.press('Mark as done', dialogOf(hands))
      await expect(rowOf(hands, 'Dunmore')).toContainText('Marked as done')
    },
  },
  {
    name: 'See whether the images of an exam have arrived',
    run: async (hands) => {
      const line = main(hands).getByRole('listitem').filter({ hasText: 'Amberly' }).first()
      await expect(line).toContainText(/image/i)
    },
  },
  {
    name: 'Open the images of an exam',
    run: async (hands) => {
      const line = main(hands).getByRole('listitem').filter({ hasText: 'Amberly' }).first()
      const opened = hands.page.context().waitForEvent('page')
      await hands.press(/^Open images/, line)
      const viewer = await opened
      await expect(viewer).toHaveURL(/\/viewer/)
      await viewer.close()
    },
  },
  {
    name: 'Send a study to the archive again',
    run: async (hands) => {
      await hands.follow(/Amberly/, main(hands))
      await hands.choose(hands.page.getByRole('combobox', { name: 'Send to' }), 'Hospital PACS')
      await hands.press('Send')
      await sees(hands, /1 (sent|waiting)/)
    },
  },
  {
    name: 'Move images of the wrong patient to the right order',
    run: async (hands) => {
      await hands.click(need(hands, 'mismatch'))
      await hands.follow('Resolve…', rowOf(hands, 'Ellingham'))
      await sees(hands, 'The images name the patient of another order')
      await apply(hands, /^Move \d+ image/)
      await sees(hands, 'Identity corrected')
    },
  },
  {
    name: 'Correct a misspelled patient name',
    run: async (hands) => {
      await hands.click(need(hands, 'mismatch'))
      await hands.follow('Resolve…', rowOf(hands, 'Fairwether'))
      await sees(hands, 'The patient ID of the images is that of the order')
      await apply(hands, /^Correct \d+ image/)
      await sees(hands, 'Identity corrected')
    },
  },
  {
    name: 'Delete an image that is in quarantine',
    run: async (hands) => {
      await hands.click(need(hands, 'Quarantine'))
      await hands.press(/^Discard/)
      await hands.fill(dialogOf(hands).getByRole('textbox', { name: 'Reason' }), 'Sent twice')
      await hands.press('Discard image', dialogOf(hands))
      await sees(hands, 'No images in quarantine')
    },
  },
  {
    name: 'See whether a device reaches the gateway',
    run: async (hands) => {
      const room = main(hands)
        .locator('section')
        .filter({ has: hands.page.getByRole('heading', { name: 'CT, room 1' }) })
      await expect(room).toContainText(/Last connection: /)
    },
  },
]

const FRONT_DESK: readonly Task[] = [
  {
    name: 'See today’s schedule by room',
    run: async (hands) => {
      await sees(hands, 'CT, room 1')
      await sees(hands, /Ellingham/)
    },
  },
  {
    name: 'Find a patient’s exam today',
    run: async (hands) => {
      await hands.fill(searchOf(hands), 'elling')
      await sees(hands, 'P-615')
    },
  },
  {
    name: 'See which exams are late',
    run: async (hands) => {
      await hands.follow('Late', main(hands))
      await expect(hands.page).toHaveURL(/show=overdue/)
    },
  },
  {
    name: 'See tomorrow’s schedule',
    run: async (hands) => {
      await hands.go('Worklist')
      await hands.click(hands.page.getByRole('radiogroup', { name: 'Day' }).getByText('Tomorrow'))
      await expect(hands.page).toHaveURL(/day=/)
    },
  },
  {
    name: 'See whether a report was delivered',
    run: async (hands) => {
      await hands.go('Studies')
      await hands.fill(searchOf(hands), 'osei')
      await expect(rowOf(hands, 'Osei')).toContainText('Signed')
    },
  },
  {
    name: 'Enter a study for a patient without an order',
    run: async (hands) => {
      await hands.go('Studies')
      await hands.press('New study')
      const form = dialogOf(hands, /^New study/)
      await hands.press('Generate', form)
      await hands.fill(form.getByRole('textbox', { name: 'Description' }), 'MR knee right')
      await hands.fill(form.getByRole('textbox', { name: 'Name' }), 'Hallworth^Jane')
      await hands.press('Create study', form)
      await sees(hands, 'MR knee right')
    },
  },
  {
    name: 'Correct a patient’s date of birth',
    run: async (hands) => {
      await hands.go('Studies')
      await hands.follow(/Tanaka/, main(hands))
      await hands.press('Edit…')
      const form = dialogOf(hands, 'Edit study')
      await hands.fill(form.getByLabel('Date of birth'), '1972-06-04')
      await hands.press('Save', form)
      await sees(hands, /4 Jun 1972/)
    },
  },
  {
    name: 'Cancel a study',
    run: async (hands) => {
      await hands.go('Studies')
      await hands.follow(/Vandermolen/, main(hands))
      await hands.press('Cancel study')
      await sees(hands, 'This study is cancelled')
    },
  },
  {
    name: 'Undo a cancellation made by mistake',
    from: async (hands) => {
      await hands.page.goto(`${clinic.stage.http}/#/studies`)
      await main(hands)
        .getByRole('link', { name: /Quillfeather/ })
        .first()
        .click()
      await hands.page.getByRole('button', { name: 'Cancel study' }).click()
      await sees(hands, 'This study is cancelled')
    },
    run: async (hands) => {
      await hands.press('Undo')
      await expect(main(hands).getByText('This study is cancelled')).toHaveCount(0)
    },
  },
  {
    name: 'Mark a study as urgent',
    run: async (hands) => {
      await hands.go('Studies')
      await hands.follow(/Tanaka/, main(hands))
      await hands.press('Change priority…')
      await hands.press('High', dialogOf(hands))
      await sees(hands, 'High')
    },
  },
  {
    name: 'Create a link to the images for an external physician',
    run: async (hands) => {
      await hands.go('Studies')
      await hands.click(
        hands.page.getByRole('radiogroup', { name: 'Study area' }).getByText('For viewing'),
      )
      await hands.click(rowOf(hands, 'CT phantom').getByRole('link').first())
      await hands.press('Create link')
      await hands.press('I have copied it', dialogOf(hands, 'Copy the link now'))
    },
  },
  {
    name: 'Link an exam without an order to its order',
    run: async (hands) => {
      await hands.click(need(hands, 'Exams without an order'))
      await hands.press(/^Link to order/)
      const isLinked = hands.page.getByText('The exam was linked to the order.')
      await expect(isLinked.or(dialogOf(hands)).first()).toBeVisible()
      if (await dialogOf(hands).isVisible()) await hands.press(/^Link/, dialogOf(hands))
      await expect(isLinked).toBeVisible()
    },
  },
]

const editorOf = ({ page }: Hands, name = 'Report') =>
  page.getByRole('textbox', { name, exact: true })
/** Signs what is written, and acknowledges what there is to acknowledge. */
async function sign(hands: Hands): Promise<void> {
  // The dialog saves what was typed; until then its button waits.
  await hands.key('Control+Enter')
  const dialog = dialogOf(hands)
  const button = dialog.getByRole('button', { name: 'Sign', exact: true })
  await expect(button).toBeVisible()
  await dialog.getByRole('heading').first().waitFor()
  const warnings = dialog.getByRole('group', { name: 'Review these before signing' })
  for (const warning of await warnings.getByRole('checkbox').all()) await hands.check(warning)
  await hands.click(button)
  await expect(dialog).toHaveCount(0)
}
/** Opens the report of a study before a task begins. */
const reportOf = (patient: string) => async (hands: Hands) => {
  await hands.page.goto(`${clinic.stage.http}/#/reading?view=all`)
  await main(hands).getByRole('link', { name: patient }).first().click()
  await expect(main(hands)).toContainText(patient)
}
/** Opens the images of the phantom in the viewer. */
const images = async (hands: Hands) => {
  await hands.page.goto(await clinic.stage.link(PHANTOM))
  await isDrawn(hands.page)
}

const RADIOLOGIST: readonly Task[] = [
  {
    name: 'Open the next study to read',
    run: async (hands) => {
      await hands.follow('Start reading', main(hands))
      await expect(editorOf(hands)).toBeVisible()
    },
  },
  {
    name: 'Find a patient’s study',
    run: async (hands) => {
      await hands.fill(searchOf(hands), 'pemb')
      await expect(main(hands).getByRole('link', { name: /Marlowe/ })).toHaveCount(0)
      await hands.follow(/Pemberton/, main(hands))
      await sees(hands, 'MRN-662')
    },
  },
  {
    name: 'List only STAT studies',
    run: async (hands) => {
      await hands.go('Reading')
      await expect(rowOf(hands, 'Tanaka')).toBeVisible()
      await hands.key('Shift+S')
      await expect(rowOf(hands, 'Marlowe')).toBeVisible()
      await expect(rowOf(hands, 'Tanaka')).toHaveCount(0)
    },
  },
  {
    name: 'Read the prior report',
    from: reportOf('Marlowe'),
    run: async (hands) => {
      await expect(main(hands)).toContainText('The lungs are clear.')
    },
  },
  {
    name: 'Insert a template',
    from: reportOf('Pemberton'),
    run: async (hands) => {
      await hands.press('CT thorax')
      await expect(editorOf(hands)).toContainText('The lungs are clear.')
    },
  },
  {
    name: 'Write and sign a report',
    from: reportOf('Quillfeather'),
    run: async (hands) => {
      await editorOf(hands).focus()
      await hands.type('Findings: clear lungs.\n\nImpression: normal.')
      await sign(hands)
      await sees(hands, /Signed by Ruth Okafor/)
    },
  },
  {
    name: 'Write and sign a report with a critical result',
    from: reportOf('Marlowe'),
    run: async (hands) => {
      await editorOf(hands).focus()
      await hands.type('Findings: haemorrhage.\n\nImpression: haemorrhage.')
      await hands.key('Control+Enter')
      const dialog = dialogOf(hands)
      await hands.check(dialog.getByRole('switch', { name: 'Critical result' }))
      await expect(dialog.getByRole('textbox', { name: 'Critical finding' })).toHaveValue(
        'haemorrhage.',
      )
      const warnings = dialog.getByRole('group', { name: 'Review these before signing' })
      for (const warning of await warnings.getByRole('checkbox').all()) await hands.check(warning)
      await hands.press('Sign', dialog)
      await sees(hands, 'Not communicated yet')
    },
  },
  {
    name: 'Record who was notified of a critical result',
    run: async (hands) => {
      await hands.follow(/Osei/, main(hands))
      await hands.press(/^Record communication/)
      const dialog = dialogOf(hands)
      await hands.fill(dialog.getByRole('textbox', { name: 'Person notified' }), 'Dr. Adeyemi')
      await hands.check(dialog.getByRole('checkbox', { name: 'Read-back confirmed' }))
      await hands.press('Record communication', dialog)
      await sees(hands, /Dr\. Adeyemi was notified/)
    },
  },
  {
    name: 'Add an addendum to a signed report',
    from: reportOf('Osei'),
    run: async (hands) => {
      await hands.press('Start addendum')
      await editorOf(hands, 'Addendum').focus()
      await hands.type('The earlier examination was compared.')
      await sign(hands)
      await expect(hands.page.getByRole('article', { name: /Addendum 1/ }).first()).toBeVisible()
    },
  },
  {
    name: 'Set the lung window',
    from: images,
    run: async (hands) => {
      const before = await paneOf(hands.page).textContent()
      await hands.key('2')
      await expect.poll(() => paneOf(hands.page).textContent()).not.toBe(before)
    },
  },
  {
    name: 'Measure a length',
    from: images,
    run: async (hands) => {
      await hands.key('l')
      await hands.clickAt(paneOf(hands.page), 300, 300)
      await hands.clickAt(paneOf(hands.page), 380, 360)
      await expect(paneOf(hands.page)).toContainText(/mm/)
    },
  },
  {
    name: 'Show the three planes of a series',
    from: images,
    run: async (hands) => {
      await hands.key('m')
      await expect(paneOf(hands.page, 3)).toBeVisible()
    },
  },
]

const ADMINISTRATOR: readonly Task[] = [
  {
    name: 'Add a device',
    run: async (hands) => {
      await hands.go('Devices')
      await hands.press('Add device')
      const form = dialogOf(hands)
      await hands.fill(form.getByRole('textbox', { name: 'Name' }), 'Ultrasound, room 4')
      await hands.fill(form.getByRole('textbox', { name: 'AE title' }), 'US1')
      await hands.fill(form.getByRole('textbox', { name: 'Modality' }), 'US')
      await hands.press('Add device', form)
      await expect(rowOf(hands, 'Ultrasound, room 4')).toBeVisible()
    },
  },
  {
    name: 'Approve a new device that has connected',
    run: async (hands) => {
      await hands.click(need(hands, 'Unknown devices'))
      await hands.press('Approve')
      await expect(rowOf(hands, 'XRAY9')).toBeVisible()
    },
  },
  {
    name: 'Test the connection to a device',
    run: async (hands) => {
      await hands.go('Devices')
      await hands.press('Check CT, room 1')
      await expect(
        dialogOf(hands)
          .getByText(/^The device/)
          .first(),
      ).toBeVisible()
    },
  },
  {
    name: 'Add a destination',
    run: async (hands) => {
      await hands.go('Destinations')
      await hands.press('Add destination')
      const form = dialogOf(hands)
      await hands.fill(form.getByRole('textbox', { name: 'Name' }), 'Archive')
      await hands.fill(form.getByRole('textbox', { name: 'AE title' }), 'ARCHIVE')
      await hands.fill(form.getByRole('textbox', { name: 'Host' }), '127.0.0.1')
      await hands.fill(form.getByRole('textbox', { name: 'Port' }), '11112')
      await hands.press('Add destination', form)
      await sees(hands, 'ARCHIVE@127.0.0.1:11112')
    },
  },
  {
    name: 'Add a user',
    run: async (hands) => {
      await hands.go('Users')
      await hands.press('Invite user')
      const form = dialogOf(hands, 'Invite user')
      await hands.fill(form.getByRole('textbox', { name: 'First name' }), 'Edda')
      await hands.fill(form.getByRole('textbox', { name: 'Last name' }), 'Quist')
      await hands.fill(form.getByRole('textbox', { name: 'E-mail' }), 'edda@clinic.example')
      await hands.choose(form.getByRole('combobox', { name: 'Role' }), 'Imaging technologist')
      await hands.press('Invite', form)
      await hands.press('I have copied it', dialogOf(hands, /link now/))
      await expect(rowOf(hands, 'edda@clinic.example')).toBeVisible()
    },
  },
  {
    name: 'Revoke a user’s access',
    run: async (hands) => {
      await hands.go('Users')
      await hands.press(/^Revoke access of Frida/)
      await hands.press('Revoke access', dialogOf(hands))
      await expect(rowOf(hands, 'frida@clinic.example')).toContainText('No access')
    },
  },
  {
    name: 'Find out why a webhook was not delivered',
    run: async (hands) => {
      await hands.go('Events')
      await hands.follow(/Report/, rowOf(hands, 'Refused'))
      await sees(hands, /The report store is full/)
    },
  },
  {
    name: 'Send the webhook again',
    run: async (hands) => {
      await hands.go('Events')
      await hands.follow(/Report/, rowOf(hands, 'Refused'))
      const sent = hands.page.waitForResponse((answer) => answer.request().method() === 'POST')
      await hands.press('Send again')
      expect((await sent).ok()).toBe(true)
    },
  },
  {
    name: 'Change a webhook’s secret',
    run: async (hands) => {
      await hands.go('Partner')
      await hands.press('Change secret…')
      await hands.press('Change secret', dialogOf(hands))
      await hands.press('I have entered it in the partner system', dialogOf(hands))
    },
  },
  {
    name: 'Make a backup now',
    run: async (hands) => {
      await hands.go('Settings')
      await hands.tab('Settings', 'Backups')
      await hands.press('Back up now')
      await expect(rowOf(hands, 'isthmus-')).toBeVisible({ timeout: 30_000 })
    },
  },
  {
    name: 'Test that the backup can be restored',
    run: async (hands) => {
      await hands.go('Settings')
      await hands.tab('Settings', 'Backups')
      await hands.press('Test now')
      await expect(
        hands.page.getByRole('heading', { name: 'The newest backup can be restored' }),
      ).toBeVisible({ timeout: 30_000 })
    },
  },
  {
    name: 'Find out who changed a user’s access',
    run: async (hands) => {
      await hands.go('Activity')
      await hands.tab('Activity', 'Audit')
      await expect(rowOf(hands, 'Frida Oduya')).toBeVisible()
    },
  },
]

const ROLES: readonly {
  readonly role: string
  readonly who: keyof typeof STAFF | 'owner'
  readonly tasks: readonly Task[]
}[] = [
  { role: 'Technologist', who: 'technologist', tasks: TECHNOLOGIST },
  { role: 'Front desk', who: 'frontDesk', tasks: FRONT_DESK },
  { role: 'Radiologist', who: 'radiologist', tasks: RADIOLOGIST },
  { role: 'Administrator', who: 'owner', tasks: ADMINISTRATOR },
]

async function clicksOf(page: Page, task: Task): Promise<number> {
  await page.goto('about:blank')
  const hands = new Hands(page)
  if (task.from) await task.from(hands)
  else {
    await page.goto(`${clinic.stage.http}/#/`)
    await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  }
  hands.count = 0
  await test.step(task.name, () => task.run(hands))
  return hands.count
}

/** A row of the table: role, task, clicks here, peer, its clicks, source. */
const rowsOf = (role: string) =>
  readFileSync(TABLE, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, of, task]) => of === role && task !== undefined)

/** The tasks of a role for which the document says why they take more. */
const explained = (role: string) =>
  [...readFileSync(TABLE, 'utf8').matchAll(/^- (.+?): \*\*(.+?)\*\*/gm)]
    .filter(([, of]) => of === role)
    .map(([, , task]) => task)

function write(role: string, counted: ReadonlyMap<string, number>): void {
  const lines = readFileSync(TABLE, 'utf8').split('\n')
  const written = lines.map((line) => {
    const cells = line.split('|')
    const clicks = cells[1]?.trim() === role ? counted.get(cells[2]?.trim() ?? '') : undefined
    return clicks === undefined ? line : cells.with(3, ` ${clicks} `).join('|')
  })
  writeFileSync(TABLE, written.join('\n'))
}

for (const { role, who, tasks } of ROLES) {
  test(`${role}: the clicks of the daily tasks are those of docs/TASKS.md`, async () => {
    const page = await clinic.enter(who)
    const counted = new Map<string, number>()
    const failures: string[] = []
    for (const task of tasks) {
      try {
        counted.set(task.name, await clicksOf(page, task))
      } catch (error) {
        failures.push(`${task.name}: ${error instanceof Error ? error.message : error}`)
      }
    }
    await page.context().close()
    expect(failures).toEqual([])
    if (process.env.ISTHMUS_WRITE_TASKS) write(role, counted)
    const table = new Map(rowsOf(role).map(([, , task = '', clicks]) => [task, Number(clicks)]))
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(counted))
    expect(tasks).toHaveLength(12)
    const more = rowsOf(role).filter(([, , , clicks, , most]) => Number(clicks) > Number(most))
    expect(more.map(([, , task]) => task)).toEqual(explained(role))
  })
}
