import { execFile } from 'node:child_process'
import { request as overTls } from 'node:https'
import { type AddressInfo, createServer, connect as toPort } from 'node:net'
import { promisify } from 'node:util'
import { type Browser, expect, type Locator, type Page } from '@playwright/test'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import { openModality } from '../support/modality.ts'
import { complaintsOf, type Stage } from './stage.ts'

const run = promisify(execFile)

/**
 * A day counted from today in the local zone, which is that of the clinic of these stories:
 * `YYYYMMDD`.
 */
export const dayFromNow = (days: number): string => {
  const now = new Date()
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  return new Intl.DateTimeFormat('sv').format(day).replaceAll('-', '')
}

/** What a story's exam is known by. */
export interface Planned {
  readonly number: number
  readonly patientName: string
  readonly modality: string
  readonly accessionNumber?: string
}
export const uidOf = (number: number): string => `1.2.826.0.1.3680043.8.498.6100${number}`
export const patientIdOf = (number: number): string => `P-61${number}`
export const stepIdOf = (number: number): string => `STEP-${number}`

/**
 * An exam of today as the partner plans it; all patients are women of 3 May 1971, as the images of
 * `modality.ts` have it.
 */
export const exam = ({
  number,
  patientName,
  modality,
  accessionNumber = `A-61${number}`,
}: Planned): WorklistItem => ({
  ...{
    AccessionNumber: accessionNumber,
    Modality: modality,
    PatientBirthDate: '19710503',
    PatientID: patientIdOf(number),
  },
  ...{
    PatientName: patientName,
    PatientSex: 'F',
    PatientSize: '',
    PatientWeight: '',
    ProtocolName: 'ROUTINE',
  },
  ...{
    RequestedProcedureDescription: `${modality} examination`,
    StudyDescription: `${modality} examination`,
    StudyInstanceUID: uidOf(number),
  },
  ScheduledProcedureStepSequence: [
    {
      Modality: modality,
      ScheduledProcedureStepDescription: `${modality} examination`,
      ScheduledProcedureStepID: stepIdOf(number),
      ScheduledProcedureStepStartDate: dayFromNow(0),
      ScheduledProcedureStepStartTime: `1${number % 10}0000`,
    },
  ],
})

/**
 * Asks the worklist as a console does, by DCMTK's findscu; resolves with the accession numbers it
 * was given.
 */
export async function listOn(
  stage: Stage,
  aeTitle: string,
  { day = dayFromNow(0), modality = '' }: { day?: string; modality?: string } = {},
): Promise<string[]> {
  const step = 'ScheduledProcedureStepSequence[0]'
  const keys = [
    'PatientName',
    'AccessionNumber',
    `${step}.Modality=${modality}`,
    `${step}.ScheduledProcedureStepStartDate=${day}`,
  ]
  const args = [
    '-v',
    '-W',
    '-aet',
    aeTitle,
    '-aec',
    'ISTHMUS',
    ...keys.flatMap((key) => ['-k', key]),
    '127.0.0.1',
    stage.dimsePort,
  ]
  const { stdout, stderr } = await run('findscu', args, {
    encoding: 'latin1',
    env: { ...process.env, TCP_NODELAY: '1' },
  }).catch((error) => error)
  // The query itself is printed too, without a value.
  return [...`${stdout}${stderr}`.matchAll(/\(0008,0050\) SH \[([^\]]*)\]/g)].map(
    ([, number = '']) => number.trim(),
  )
}

/** A performed procedure step of an exam as a device reports it: DCMTK has no tool for it. */
export async function performStep(stage: Stage, number: number) {
  const sopInstanceUid = `${uidOf(number)}.9`
  const send = async (
    say: (
      modality: Awaited<ReturnType<typeof openModality>>,
    ) => Promise<{ readonly status: string }>,
  ) => {
    await using modality = await openModality(Number(stage.dimsePort), { callingAeTitle: 'CT1' })
    const { status } = await say(modality)
    if (status !== '0000') throw new Error(`The step was refused: ${status}`)
    await modality.release()
  }
  await send((modality) =>
    modality.begin(sopInstanceUid, {
      ...{
        PerformedProcedureStepStatus: 'IN PROGRESS',
        PerformedProcedureStepID: 'PPS1',
        Modality: 'CT',
      },
      ...{
        PerformedProcedureStepStartDate: dayFromNow(0),
        PerformedProcedureStepStartTime: '101500',
        PatientID: patientIdOf(number),
      },
      PerformedSeriesSequence: [],
      ScheduledStepAttributesSequence: [
        { StudyInstanceUID: uidOf(number), ScheduledProcedureStepID: stepIdOf(number) },
      ],
    }),
  )
  return {
    /** @param images numbers of the images that were made */
    complete: (images: readonly number[]) =>
      send((modality) =>
        modality.set(sopInstanceUid, {
          ...{
            PerformedProcedureStepStatus: 'COMPLETED',
            PerformedProcedureStepEndDate: dayFromNow(0),
            PerformedProcedureStepEndTime: '103000',
          },
          PerformedSeriesSequence: [
            {
              SeriesInstanceUID: `${uidOf(number)}.1`,
              ReferencedImageSequence: images.map((image) => ({
                ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
                ReferencedSOPInstanceUID: `${uidOf(number)}.1.${image}`,
              })),
            },
          ],
        }),
      ),
  }
}

/** Browsers of several people, and what their consoles say. */
export function people(browser: Browser) {
  const complaints: { readonly who: string; readonly of: readonly string[] }[] = []
  const pages: Page[] = []
  return {
    async open(who: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        ...options,
      })
      context.on('page', (page) => complaints.push({ who, of: complaintsOf(page) }))
      const page = await context.newPage()
      pages.push(page)
      return page
    },
    complaints: () => complaints.flatMap(({ who, of }) => of.map((one) => `${who}: ${one}`)),
    close: () => Promise.all(pages.map((page) => page.context().close())),
  }
}

/** Puts a switch on or off as a person does, who waits until what it is in stands still. */
export async function flip(within: Page | Locator, name: string): Promise<void> {
  const one = within.getByRole('switch', { name })
  const was = await one.isChecked()
  await one.click()
  await expect(one).toBeChecked({ checked: !was })
}

/** A call as the window of the page makes it. */
// biome-ignore lint/suspicious/noExplicitAny: replies of many calls, read by the test alone
export const callOf = (page: Page, method: string, path: string, body?: object): Promise<any> =>
  page.evaluate(
    async ({ method, path, body }) => {
      const headers = { 'x-isthmus-csrf': '1', 'content-type': 'application/json' }
      const answer = await fetch(path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    { method, path, body },
  )

export const PASSWORD = 'eight early herons'
export interface Invited {
  readonly firstName: string
  readonly lastName: string
  readonly clinicRole: string
  readonly canManageStudies?: boolean
  readonly canCreateReports?: boolean
  readonly npiNumber?: string
}
export const emailOf = ({ firstName }: Pick<Invited, 'firstName'>): string =>
  `${firstName.toLowerCase()}@clinic.example`

/** Has the owner invite somebody by a call, and accepts for them. */
export async function employ(owner: Page, person: Invited): Promise<void> {
  const { link } = await callOf(owner, 'POST', '/dashboard/people', {
    ...{
      level: 'member',
      hasDashboardAccess: true,
      canManageStudies: false,
      canCreateReports: false,
      ...person,
    },
    email: emailOf(person),
  })
  const token = new URL(link.replace('#/', '')).searchParams.get('token')
  const { origin } = new URL(owner.url())
  const answer = await fetch(`${origin}/dashboard/invitation/accept`, {
    method: 'POST',
    headers: { 'x-isthmus-csrf': '1', origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Signs in at the door, with the mouse. */
export async function signIn(
  page: Page,
  stage: Stage,
  email: string,
  password = PASSWORD,
): Promise<void> {
  await page.goto(stage.http)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
}

/**
 * Hands connections on to a port of this PC as if another PC made them: the gateway sees 127.0.0.3.
 */
export async function otherPc(port: number): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer((socket) => {
    const onward = toPort({ host: '127.0.0.2', port, localAddress: '127.0.0.3' })
    socket.pipe(onward).pipe(socket)
    for (const [one, other] of [[socket, onward] as const, [onward, socket] as const])
      one.on('error', () => other.destroy())
    onward.on('close', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

/** What a browser of another PC sends; the gateway has signed its certificate itself. */
export const post = (url: string, body: object): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      'x-isthmus-csrf': '1',
      'content-type': 'application/json',
      origin: new URL(url).origin,
      connection: 'close',
    }
    const call = overTls(url, { method: 'POST', headers, rejectUnauthorized: false }, (answer) => {
      if ((answer.statusCode ?? 500) < 400) answer.resume().once('end', resolve)
      else reject(new Error(`${url}: ${answer.statusCode}`))
    })
    call.once('error', reject).end(JSON.stringify(body))
  })
