import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { freePort } from '../support/free-port.ts'
import { type Archive, startArchive } from './modality.ts'
import { askList, TODAY } from './pictured-devices.ts'
import type { PicturedOptions } from './pictured-gateway.ts'
import { DAY, liveThroughTheMorning, type PicturedIds } from './pictured-morning.ts'
import { openPartner, type PicturedPartner } from './pictured-partner.ts'
import { type PicturedGateway, startGateway } from './pictured-process.ts'
import { type Call, eventually, signIn } from './pictured-window.ts'
import { newSecret, type Stage } from './stage.ts'
import { otherPc, post } from './stories.ts'

// A day in an invented clinic, told hour by hour on a clock that is moved by hand, so that every
// picture of it shows the same day.

/** When the pictures are taken. */
export const NOW = Date.parse(`${DAY}T10:42:00Z`)
const PASSWORD = 'eight early herons'
const PEOPLE: PicturedOptions['people'] = [
  {
    email: 'olga@clinic.example',
    firstName: 'Olga',
    lastName: 'Berg',
    level: 'owner',
    clinicRole: 'Administrative Director',
  },
  {
    email: 'maja@clinic.example',
    firstName: 'Maja',
    lastName: 'Novák',
    level: 'member',
    clinicRole: 'Radiologist',
  },
  {
    email: 'ivan@clinic.example',
    firstName: 'Ivan',
    lastName: 'Petrov',
    level: 'member',
    clinicRole: 'Imaging Technologist',
  },
  {
    email: 'hana@clinic.example',
    firstName: 'Hana',
    lastName: 'Malá',
    level: 'member',
    clinicRole: 'Front Desk Operator',
  },
]
const optionsOf = (folder: string, partnerUrl: string): PicturedOptions => ({
  ...{
    folder,
    partner: { url: partnerUrl, secret: newSecret() },
    people: PEOPLE,
    password: PASSWORD,
  },
  keys: ['Cloud RIS'],
  settings: {
    ...{
      'setup.isDone': true,
      'clinic.name': 'North Clinic',
      'clinic.timeZone': 'Europe/London',
      'window.lockMinutes': 60,
    },
    ...{
      'intake.idleSeconds': 1,
      'intake.stopGigabytes': 0,
      'intake.warnGigabytes': 0,
      'worklist.freshSeconds': 0,
    },
  },
})

export interface PicturedDay extends AsyncDisposable {
  readonly http: string
  readonly ids: PicturedIds
  /**
   * A page of somebody, in the light, at the time of the pictures, which shows no address and no
   * folder of the machine it is made on.
   */
  pageOf(browser: Browser, who: 'owner' | 'radiologist'): Promise<Page>
  /**
   * The partner is reached no more, and a device asked for its list meanwhile. Gives the time it is
   * then, which is later.
   */
  losePartner(): Promise<number>
}

/** Opens the clinic and lets the morning pass. */
export async function openPicturedDay(): Promise<PicturedDay> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-pictures-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const partner = opened.use(await openPartner(TODAY))
  const gateway = opened.use(await startGateway(DAY, optionsOf(join(folder, 'data'), partner.url)))
  const stage = { http: gateway.http, dimsePort: gateway.dimsePort } as Stage
  const backups = join(folder, 'isthmus')
  await backUp(gateway, backups)
  await gateway.putClock('07:50')
  const owner = await signIn(gateway.http, 'olga', PASSWORD)
  const radiologist = await signIn(gateway.http, 'maja', PASSWORD)
  const archive = opened.use(await startArchive(stage))
  const lan = opened.use(await openLan(owner.call))
  const ids = await liveThroughTheMorning({
    gateway,
    archive,
    partner,
    call: owner.call,
    read: radiologist.call,
  })
  await post(`https://127.0.0.1:${lan.port}/dashboard/workstation`, { name: 'Reading room 2' })

  const plain = plainOf({ partner, gateway, archive, lan, backups, folder })
  const cookies = { owner: owner.cookie, radiologist: radiologist.cookie }
  const kept = opened.move()
  return {
    http: gateway.http,
    ids,
    async pageOf(browser, who) {
      const context = await browser.newContext({
        ...{
          viewport: { width: 1280, height: 800 },
          deviceScaleFactor: 1,
          colorScheme: 'light',
          reducedMotion: 'reduce',
        },
        ...{ locale: 'en-GB', timezoneId: 'Europe/London' },
      })
      const [name = '', value = ''] = cookies[who].split('=')
      await context.addCookies([
        { name, value, url: gateway.http, httpOnly: true, sameSite: 'Strict' },
      ])
      await context.route(`${gateway.http}/dashboard/**`, async (route) => {
        const request = route.request()
        if (request.method() !== 'GET' || !['fetch', 'xhr'].includes(request.resourceType()))
          return route.continue()
        const response = await route.fetch()
        if (!(response.headers()['content-type'] ?? '').includes('json'))
          return route.fulfill({ response })
        const text = plain.reduce(
          (before, [own, shown]) => before.replaceAll(own, shown),
          await response.text(),
        )
        return route.fulfill({ response, body: text })
      })
      const page = await context.newPage()
      await page.clock.setFixedTime(NOW)
      return page
    },
    async losePartner() {
      partner.goAway()
      for (const time of ['10:44', '10:52']) {
        await gateway.putClock(time)
        await askList(gateway, 'CT', TODAY)
      }
      return Date.parse(`${DAY}T10:52:00Z`)
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

interface Machine {
  readonly partner: PicturedPartner
  readonly gateway: PicturedGateway
  readonly archive: Archive
  readonly lan: Lan
  readonly backups: string
  readonly folder: string
}

/** What is of this machine, and what stands for it in a picture. */
const plainOf = ({
  partner,
  gateway,
  archive,
  lan,
  backups,
  folder,
}: Machine): readonly (readonly [string | RegExp, string])[] => [
  [partner.url, 'https://ris.example/webhooks'],
  ['"allowsPlaintext":true', '"allowsPlaintext":false'],
  [backups, '/mnt/backup/isthmus'],
  [folder, '/var/lib/isthmus'],
  [/https:\/\/[\d.]+:\d+/g, 'https://192.0.2.10:8443'],
  [`https://${hostname()}:`, 'https://isthmus.clinic.example:'],
  [/127\.0\.0\.3\b/g, '192.0.2.21'],
  [/127\.0\.0\.(3\d)/g, '192.0.2.$1'],
  [new RegExp(`\\b${lan.listens}\\b`, 'g'), '8443'],
  [new RegExp(`\\b${new URL(gateway.http).port}\\b`, 'g'), '8042'],
  [new RegExp(`\\b${gateway.dimsePort}\\b`, 'g'), '11112'],
  [new RegExp(`\\b${archive.port}\\b`, 'g'), '104'],
  [/127\.0\.0\.1/g, '192.0.2.17'],
]

/** That of the night, into a folder that is chosen for it. */
async function backUp({ http, putClock }: PicturedGateway, folder: string): Promise<void> {
  await putClock('02:30')
  const { call } = await signIn(http, 'olga', PASSWORD)
  await call('PUT', 'setup/backup/folder', { folder })
  await call('POST', 'backups')
  await eventually(async () => {
    const { running, last } = await call('GET', 'backups')
    return running === null && last !== null
  })
  await call('DELETE', 'session')
}

interface Lan extends AsyncDisposable {
  readonly port: number
  readonly listens: number
}

/** The window is open to other PCs. */
async function openLan(call: Call): Promise<Lan> {
  const listens = await freePort()
  await call('PUT', 'lan', { isOn: true, host: '0.0.0.0', port: listens })
  const other = await otherPc(listens)
  return { port: other.port, listens, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() }
}
