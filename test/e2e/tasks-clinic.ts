import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect, type Page } from '@playwright/test'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import { type Archive, sendImages, startArchive } from './modality.ts'
import { addSession, ask, createOwner } from './stage.ts'
import {
  callOf,
  emailOf,
  employ,
  exam,
  type Invited,
  listOn,
  PASSWORD,
  patientIdOf,
  uidOf,
} from './stories.ts'
import { openViewerStage, phantomImages, type ViewerStage } from './viewer-stage.ts'

/** A clinic in which every task of `tasks.spec.ts` can be done once. */
export interface TasksClinic extends AsyncDisposable {
  readonly stage: ViewerStage
  /** A new page in which somebody is signed in. */
  enter(who: keyof typeof STAFF | 'owner'): Promise<Page>
  /** A call of the window by the owner. */
  readonly owner: Page
}

export const STAFF = {
  technologist: {
    ...{ firstName: 'Tess', lastName: 'Ito', clinicRole: 'Imaging Technologist' },
    canManageStudies: true,
  },
  frontDesk: {
    ...{ firstName: 'Frida', lastName: 'Oduya', clinicRole: 'Front Desk Operator' },
    canManageStudies: true,
  },
  radiologist: {
    ...{ firstName: 'Ruth', lastName: 'Okafor', clinicRole: 'Radiologist' },
    canCreateReports: true,
    npiNumber: '1234567893',
  },
} as const satisfies Record<string, Invited>

const ROOT = '1.2.826.0.1.3680043.8.498.6600'
export const PHANTOM = `${ROOT}90`
const PLANNED: WorklistItem[] = [
  exam({ number: 1, patientName: 'Amberly^Rosalind', modality: 'CT' }),
  exam({ number: 2, patientName: 'Bristow^Edwina', modality: 'MR' }),
  exam({ number: 3, patientName: 'Calloway^Ines', modality: 'CT' }),
  exam({ number: 4, patientName: 'Dunmore^Petra', modality: 'CT' }),
  exam({ number: 5, patientName: 'Ellingham^Mabel', modality: 'CT' }),
  exam({ number: 6, patientName: 'Fairweather^Nell', modality: 'CT' }),
  exam({ number: 7, patientName: 'Gladwell^Ida', modality: 'CT' }),
]
/** Studies to report, with their urgency. */
const TO_REPORT = [
  [1, 'Marlowe^Ottilie', 'stat'],
  [2, 'Pemberton^Agnes', 'high'],
  [3, 'Quillfeather^Ansgar', 'high'],
  [4, 'Tanaka^Ichika', 'normal'],
  [5, 'Vandermolen^Wilma', 'normal'],
  [6, 'Osei^Kwabena', 'normal'],
] as const
const REPORT = 'Findings:\nThe lungs are clear.\n\nImpression:\nNo acute finding.'
const SETTINGS = {
  'setup.isDone': 'true',
  'worklist.freshSeconds': '0',
  'intake.idleSeconds': '1',
}

export async function openTasksClinic(browser: Browser): Promise<TasksClinic> {
  const stage = await openViewerStage({
    'modality_worklist.requested': () => ({ authorized: true, items: PLANNED }),
    'report.delivered': () => ({ success: false, error: 'The report store is full.' }),
  })
  const opened: AsyncDisposable[] = [stage]
  const backups = mkdtempSync(join(tmpdir(), 'isthmus-backups-'))
  const close = async () => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]()
    rmSync(backups, { recursive: true, force: true })
  }
  try {
    for (const [key, value] of Object.entries(SETTINGS))
      await stage.command('config', 'set', key, value)
    const cookie = await createOwner(stage)
    const owner = await openPage(browser, stage, cookie)
    opened.push({ [Symbol.asyncDispose]: () => owner.context().close() })
    await owner.goto(`${stage.http}/#/`)
    for (const person of Object.values(STAFF)) await employ(owner, person)
    const archive = await startArchive(stage)
    opened.push(archive)
    await connect(stage, owner, archive)
    await receive(stage, owner)
    await addStudies(stage, owner)
    await callOf(owner, 'PUT', '/dashboard/setup/backup/folder', { folder: backups })
    return {
      stage,
      owner,
      enter: async (who) =>
        openPage(browser, stage, who === 'owner' ? cookie : await signIn(stage, STAFF[who])),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openPage(browser: Browser, stage: ViewerStage, cookie: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await addSession(context, stage.http, cookie)
  return context.newPage()
}

async function signIn(stage: ViewerStage, person: Invited): Promise<string> {
  const answer = await fetch(`${stage.http}/dashboard/session`, {
    method: 'POST',
    headers: { 'x-isthmus-csrf': '1', origin: stage.http, 'content-type': 'application/json' },
    body: JSON.stringify({ email: emailOf(person), password: PASSWORD }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Devices, a destination, and a device that nobody knows. */
async function connect(stage: ViewerStage, owner: Page, archive: Archive): Promise<void> {
  for (const device of [
    {
      aeTitle: 'CT1',
      modality: 'CT',
      name: 'CT, room 1',
      address: '127.0.0.1',
      port: archive.port,
    },
    { aeTitle: 'CT2', modality: 'CT', name: 'CT, room 2' },
    { aeTitle: 'MR1', modality: 'MR', name: 'MR, room 3' },
  ])
    await callOf(owner, 'POST', '/dashboard/devices', device)
  await callOf(owner, 'POST', '/dashboard/destinations', {
    ...{ name: 'Hospital PACS', aeTitle: 'PACS', host: '127.0.0.1', port: archive.port },
    hasPriors: true,
  })
  await listOn(stage, 'CT1', { modality: 'CT' })
  await ask(stage, 'XRAY9')
}

/**
 * Images: of the wrong patient, misspelled, without an order; and of an exam that is being done,
 * one of them set aside.
 */
async function receive(stage: ViewerStage, owner: Page): Promise<void> {
  const image = (number: number, patientName: string, of = number) => ({
    ...{ studyInstanceUid: uidOf(number), accessionNumber: `A-61${number}`, number: 1 },
    ...{ patientName, patientId: patientIdOf(of) },
  })
  await sendImages(stage, 'CT1', [image(3, 'Ellingham^Mabel', 5)])
  await sendImages(stage, 'CT1', [image(6, 'Fairwether^Nell')])
  await sendImages(stage, 'CT2', [
    { ...image(7, 'Gladwell^Ida'), studyInstanceUid: `${ROOT}7`, accessionNumber: '' },
  ])
  // A study is compared with its order when it is complete.
  const kinds = async () => {
    const { items } = await callOf(owner, 'GET', '/dashboard/today')
    return items.map(({ kind }: { kind: string }) => kind)
  }
  await expect
    .poll(kinds, { timeout: 30_000 })
    .toEqual(expect.arrayContaining(['mismatches', 'images-unplanned']))
  await stage.command('config', 'set', 'intake.idleSeconds', '600')
  await sendImages(stage, 'CT1', [image(1, 'Amberly^Rosalind')])
  await sendImages(stage, 'CT2', [{ ...image(1, 'Amberly^Rosalind'), pixel: '0009' }])
}

async function addStudies(stage: ViewerStage, owner: Page): Promise<void> {
  for (const [number, patientName, severity] of TO_REPORT) {
    const { studyId } = await stage.v1('POST', 'scribe/studies', {
      ...{ studyInstanceUid: `${ROOT}1${number}`, severity },
      studyDescription: 'CT thorax with contrast',
      reportMetadata: {
        ...{ patientName, mrn: `MRN-66${number}`, dateOfBirth: '1971-05-03', sex: 'female' },
        ...{ scanDate: '2026-11-20', scanTime: '10:40' },
      },
      priorReports: [{ ...PRIOR, reportText: REPORT }],
    })
    if (number === 6) await sign(owner, String(studyId))
  }
  await callOf(owner, 'POST', '/dashboard/templates', {
    ...{ kind: 'template', name: 'CT thorax', for: 'everybody', modalities: [] },
    text: 'Findings\nThe lungs are clear.\n\nImpression\nNo acute finding.\n',
  })
  const phantom = { studyInstanceUid: PHANTOM, seriesInstanceUid: `${PHANTOM}.2`, slices: 12 }
  const images = phantomImages({ ...phantom, patientName: 'Marlowe^Ottilie', patientId: 'MRN-661' })
  stage.studies.add({ studyInstanceUid: PHANTOM, images })
  await stage.addStudy(PHANTOM, { studyDescription: 'CT phantom' })
}
const PRIOR = { modality: 'CT', studyDate: '2025-03-12', studyDescription: 'CT thorax' }

/** Has the owner sign a report with a critical result, while the partner does not take it. */
async function sign(owner: Page, studyId: string): Promise<void> {
  const { user } = await callOf(owner, 'GET', '/dashboard/session')
  await callOf(owner, 'PATCH', `/dashboard/people/${user.userId}`, {
    ...{ canCreateReports: true, npiNumber: '1234567893' },
  })
  const at = `/dashboard/reading/${studyId}/draft`
  const windowId = randomUUID()
  const { draft } = await callOf(owner, 'POST', at, { windowId })
  const { revision } = await callOf(owner, 'PUT', at, {
    ...{ windowId, revision: draft.revision, text: REPORT },
  })
  const send = (acknowledged: string[]) =>
    callOf(owner, 'POST', `${at}/sign`, {
      ...{ windowId, revision, isCritical: true, acknowledged },
      finding: 'New haemorrhage in the left hemisphere',
    })
  const first = await send([])
  if (first.outcome === 'checks')
    await send(first.findings.map(({ check }: { check: string }) => check))
}
