import { expect, type Locator, type Page } from '@playwright/test'
import type { Clinic, Who } from './clinic.ts'
import type { Spoken } from './words.ts'

/** What a dialog is opened with: names are English, `say` has them in the language of the page. */
export interface At {
  readonly page: Page
  readonly clinic: Clinic
  say(english: string): string
}

export interface Screen {
  readonly name: string
  /** Address of the window after `#`, or one of its own. */
  readonly address: (clinic: Clinic) => string | Promise<string>
  readonly who: Who
  /** What says that it is there, in any language; without one its heading. */
  readonly sign?: (page: Page) => Locator
  /** By HTTPS, or the viewer: a page of its own. */
  readonly isOwnPage?: true
  /** Images are looked at in the dark, whatever a person's scheme. */
  readonly isDark?: true
  /** What opens within it. */
  readonly dialogs?: Readonly<Record<string, (at: At) => Promise<void>>>
}

const text = (some: string) => (page: Page) =>
  page.getByText(some).filter({ visible: true }).first()
/** Presses a button, whose name may end in an ellipsis. */
const press =
  (name: string) =>
  async ({ page, say }: At): Promise<void> => {
    const names = new RegExp(`^${say(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}…?$`)
    await page.getByRole('button', { name: names }).filter({ visible: true }).first().click()
  }
/** Presses a button of the first row of a table, whose name says which row. */
const pressIn =
  (which: number) =>
  async ({ page }: At): Promise<void> =>
    page.getByRole('row').nth(1).getByRole('button').nth(which).click()
const of =
  (name: (clinic: Clinic) => string, to: string): ((clinic: Clinic) => string) =>
  (clinic) =>
    to.replace('$', name(clinic))
const at = (address: string) => () => address

const OWNERS: readonly Omit<Screen, 'who'>[] = [
  {
    name: 'today',
    address: at('/'),
    dialogs: {
      palette: async ({ page }) => {
        await page.keyboard.press('Control+k')
        await page.getByRole('dialog').waitFor()
      },
      'palette-found': async ({ page }) => {
        await page.keyboard.press('Control+k')
        await page
          .getByRole('dialog')
          .getByRole('textbox')
          .or(page.getByRole('combobox'))
          .first()
          .fill('marlow')
        await page.getByText('MRN-40017').first().waitFor()
      },
      sheet: async ({ page }) => {
        await page.keyboard.press('Shift+?')
        await page.getByRole('dialog').waitFor()
      },
    },
  },
  { name: 'worklist', address: at('/worklist'), sign: text('CT, room 1') },
  { name: 'worklist-why', address: at('/worklist/why') },
  {
    name: 'worklist-why-told',
    address: ({ ids }) => `/worklist/why?study=${ids.mismatchUid}&device=${ids.device}`,
  },
  { name: 'worklist-reconcile', address: at('/worklist/reconcile') },
  { name: 'worklist-ask', address: at('/worklist/ask') },
  {
    name: 'studies',
    address: at('/studies'),
    sign: text('MRN-40018'),
    dialogs: { make: press('New study') },
  },
  {
    name: 'studies-viewer',
    address: at('/studies?area=viewer'),
    sign: text('MR brain with contrast'),
  },
  {
    name: 'studies-nothing',
    address: at('/studies?severity=stat&assignedTo=nobody&cancelled=only'),
  },
  {
    name: 'study',
    address: of(({ ids }) => ids.toRead, '/studies/$'),
    sign: text('MRN-40017'),
    dialogs: { edit: press('Edit…') },
  },
  {
    name: 'study-signed',
    address: of(({ ids }) => ids.signed, '/studies/$'),
    sign: text('MRN-40018'),
  },
  {
    name: 'study-viewer',
    address: of(({ ids }) => ids.viewer, '/studies/$'),
    sign: text('CT thorax'),
  },
  { name: 'images', address: at('/images'), sign: text('MRN-99999') },
  {
    name: 'image-study',
    address: of(({ ids }) => ids.studyUid, '/images/$'),
    sign: text('MRN-40017'),
  },
  {
    name: 'image-mismatch',
    address: of(({ ids }) => ids.mismatchUid, '/images/$'),
    sign: text('MRN-99999'),
  },
  {
    name: 'image-resolve',
    address: of(({ ids }) => ids.mismatchUid, '/images/$/resolve'),
    sign: text('MRN-99999'),
  },
  { name: 'images-inform', address: at('/images/inform') },
  {
    name: 'quarantine',
    address: at('/images/quarantine'),
    sign: text('CT, room 2'),
    dialogs: { discard: pressIn(1) },
  },
  {
    name: 'images-recovered',
    address: at('/images/recovered'),
    sign: (page) => page.getByText(/^CT[12]$/).first(),
    dialogs: { discard: pressIn(1) },
  },
  {
    name: 'quarantine-study',
    address: of(({ ids }) => ids.studyUid, '/images/quarantine?study=$'),
    sign: text('CT, room 2'),
  },
  { name: 'reading', address: at('/reading'), sign: text('MRN-40020') },
  {
    name: 'criticals',
    address: at('/reading/criticals'),
    sign: text('New haemorrhage'),
    dialogs: { document: pressIn(0) },
  },
  {
    name: 'templates',
    address: at('/reading/templates'),
    sign: text('Follow-up'),
    dialogs: { add: press('Add template') },
  },
  {
    name: 'reading-study',
    address: of(({ ids }) => ids.toRead, '/reading/$'),
    sign: (page) => page.locator('.cm-content'),
    dialogs: {
      sign: async ({ page }) => {
        await page.locator('.cm-content').click()
        await page.keyboard.type('Findings: clear {left|right}. Impression: none.')
        await page.getByText(/\d\d:\d\d:\d\d/).waitFor()
        await page.keyboard.press('Control+Enter')
        await page.getByRole('dialog').waitFor()
      },
    },
  },
  {
    name: 'reading-signed',
    address: of(({ ids }) => ids.signed, '/reading/$'),
    sign: text('No acute finding.'),
  },
  {
    name: 'customers',
    address: at('/customers'),
    sign: text('Seven Oaks'),
    dialogs: { add: press('Add customer') },
  },
  {
    name: 'customer',
    address: of(({ ids }) => ids.customer, '/customers/$'),
    sign: text('Seven Oaks'),
  },
  {
    name: 'people',
    address: at('/people'),
    sign: text('ivan@clinic.example'),
    dialogs: { invite: press('Invite user') },
  },
  {
    name: 'devices',
    address: at('/devices'),
    sign: text('MR, room 3'),
    dialogs: { add: press('Add device') },
  },
  {
    name: 'service-visit',
    address: of(({ ids }) => ids.device, '/devices/$'),
    sign: text('CT1 → ISTHMUS'),
  },
  {
    name: 'destinations',
    address: at('/destinations'),
    sign: text('OLDARCHIVE'),
    dialogs: { add: press('Add destination') },
  },
  {
    name: 'queue',
    address: of(({ ids }) => ids.destination, '/destinations/$'),
    sign: text('Marlowe'),
  },
  { name: 'priors', address: of(({ ids }) => ids.studyUid, '/destinations/priors?study=$') },
  {
    name: 'partner',
    address: at('/partner'),
    sign: text('night.partner.example'),
    dialogs: { 'add-endpoint': press('Add endpoint') },
  },
  { name: 'events', address: at('/events'), dialogs: { 'send-again': press('Send again…') } },
  { name: 'event', address: of(({ ids }) => ids.event, '/events/$') },
  { name: 'meter', address: at('/events/meter') },
  { name: 'dry-run', address: at('/events/dry-run') },
  {
    name: 'keys',
    address: at('/keys'),
    sign: text('Teleradiology night service'),
    dialogs: { make: press('Create API key') },
  },
  { name: 'activity', address: at('/activity'), sign: text('XRAY9') },
  { name: 'associations', address: at('/activity/associations'), sign: text('CT, room 1') },
  {
    name: 'association',
    address: of(({ ids }) => ids.association, '/activity/associations/$'),
    sign: text('127.0.0.1'),
  },
  { name: 'queries', address: at('/queries'), sign: text('CT, room 1') },
  { name: 'query', address: of(({ ids }) => ids.inspection, '/queries/$') },
  { name: 'audit', address: at('/audit'), sign: text('Olga Berg') },
  { name: 'account', address: at('/account') },
  { name: 'settings', address: at('/settings') },
  { name: 'access', address: at('/settings/access'), sign: text('127.0.0.3') },
  {
    name: 'lifecycle',
    address: at('/settings/lifecycle'),
    dialogs: { add: press('Add rule') },
  },
  {
    name: 'backups',
    address: at('/settings/backups'),
    sign: text('isthmus-20'),
    dialogs: {
      elsewhere: press('Restore from another folder…'),
      restore: pressIn(0),
      remove: pressIn(1),
    },
  },
  {
    name: 'readiness',
    address: at('/settings/readiness'),
    dialogs: { support: press('Support bundle…') },
  },
  { name: 'tour', address: at('/tour') },
  ...(
    ['clinic', 'owner', 'recovery', 'network', 'device', 'partner', 'backup', 'readiness'] as const
  ).map((step) => ({
    name: `setup-${step}`,
    address: at(`/setup?step=${step}`),
  })),
  {
    name: 'nothing-here',
    address: at('/no/such/place'),
    sign: (page: Page) => page.getByRole('heading').first(),
  },
]

/** What a member is told on screens that are not theirs, and a radiologist's own. */
const MEMBERS: readonly Omit<Screen, 'who'>[] = [
  { name: 'member-people', address: at('/people') },
  { name: 'member-settings', address: at('/settings') },
  { name: 'member-today', address: at('/') },
]

const DOORS: readonly Omit<Screen, 'who'>[] = [
  { name: 'sign-in', address: at('/') },
  {
    name: 'invitation',
    address: async (clinic) => new URL(await clinic.invite()).hash.slice(1),
    sign: text('Edda'),
  },
  { name: 'invitation-none', address: at('/invitation') },
  { name: 'workstation', address: ({ overLan }) => overLan, isOwnPage: true },
  {
    name: 'viewer',
    address: (clinic) => clinic.viewerLink(),
    isOwnPage: true,
    isDark: true,
    sign: (page) => page.locator('canvas').first(),
  },
  {
    name: 'linked',
    address: (clinic) => clinic.readingLink(),
    isOwnPage: true,
    isDark: true,
    sign: (page) => page.locator('.cm-content'),
  },
]

/** Every screen of the window, in the order of its navigation. */
export const SCREENS: readonly Screen[] = [
  ...OWNERS.map((screen) => ({ ...screen, who: 'owner' as const })),
  ...MEMBERS.map((screen) => ({ ...screen, who: 'member' as const })),
  ...DOORS.map((screen) => ({ ...screen, who: 'nobody' as const })),
]
export const screensOf = (who: Who): readonly Screen[] =>
  SCREENS.filter((screen) => screen.who === who)

/** Goes to a screen and waits until what it shows is there and at rest. */
export async function show(page: Page, clinic: Clinic, screen: Screen): Promise<void> {
  const address = await screen.address(clinic)
  await page.goto(screen.isOwnPage ? address : `${clinic.stage.http}/#${address}`)
  if (!screen.isOwnPage) await page.waitForFunction(isRouted)
  const sign = screen.sign?.(page) ?? page.getByRole('heading', { level: 1 }).first()
  await expect(sign, screen.name).toBeVisible()
  await atRest(page)
}

/** Closes what opened within a screen, by going to another one. */
export async function closeDialogs(page: Page, clinic: Clinic): Promise<void> {
  await page.keyboard.press('Escape')
  await page.goto(`${clinic.stage.http}/#/no/such/place`)
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/**
 * The router shows what the address names: until its code is loaded, the screen before stays. Runs in
 * the page.
 */
function isRouted(): boolean {
  const router = (
    window as unknown as {
      readonly __TSR_ROUTER__?: {
        readonly state: {
          readonly status: string
          readonly resolvedLocation?: { readonly href: string }
        }
      }
    }
  ).__TSR_ROUTER__
  const at = location.hash.slice(1) || '/'
  return router?.state.status === 'idle' && router.state.resolvedLocation?.href === at
}

/** Nothing is awaited any more, and nothing moves but what moves for ever. */
export async function atRest(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy="true"], .mantine-Skeleton-root')).toHaveCount(0)
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY),
  )
}

/** The language of a page that is opened hereafter, as a person chose it on this PC. */
export async function speakIn(page: Page, language: Spoken): Promise<void> {
  await page.addInitScript((chosen) => localStorage.setItem('isthmus-language', chosen), language)
}
