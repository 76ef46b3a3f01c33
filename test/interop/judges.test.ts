import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { KEY_OBJECT_SELECTION } from '#server/dicom/objects/rejection-note.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { REPORT_CHECKS } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { View, viewing } from '#shared/contract/viewing.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { openArchive } from '../electron/server/modules/forwarding/forwarding-fixture.ts'
import type { Values } from '../electron/server/modules/images/intake-fixture.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { callerOf, OWNER, sessionHeaders, startGateway } from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import {
  type ImagingClinic,
  imageOf,
  openImagingClinic,
  sendImages,
  sopUid,
  UID,
} from '../support/imaging-clinic.ts'
import { keyCall } from '../support/interface.ts'
import { isThere, type Need, needs } from '../support/needs.ts'
import { type Orthanc, startOrthanc } from '../support/orthanc.ts'
import { NORMAL, RADIOLOGIST, readingWindow } from '../support/reporting-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'
import {
  each,
  filesBelow,
  outcomeOf,
  type Sendable,
  samplesByLack,
  say,
  sendAsItIs,
  sendable,
  storedIn,
} from './storage-fixture.ts'

// DCMTK and Orthanc judge every object that the gateway stores or makes, as it is in the data
// folder.

const ALL: readonly Need[] = ['orthanc', 'samples', 'dcmtk']

/**
 * What a judge finds wrong with an object that was received so, by name. The truncated ones end
 * within an element: the gateway quarantines them, and DCMTK says the same of the original. The
 * encodings of Japanese and Korean with escape sequences (ISO 2022) are not in the character
 * conversion that Debian builds DCMTK with; `dcmdump`, `dcmconv` and Orthanc read these objects.
 */
const RECEIVED_SO: Readonly<Record<string, string>> = {
  'MR_truncated.dcm': 'dcmdump: code 1',
  'rtplan_truncated.dcm': 'dcmdump: code 1',
  'chrH31.dcm': 'dcm2json: Cannot open character encoding',
  'chrH32.dcm': 'dcm2json: Cannot open character encoding',
  'chrJapMulti.dcm': 'dcm2json: Cannot open character encoding',
  'chrJapMultiExplicitIR6.dcm': 'dcm2json: Cannot open character encoding',
}

/**
 * Pixel data that the tools of DCMTK decode, by transfer syntax. JPEG 2000, JPEG XL, HTJ2K and MPEG
 * they do not.
 */
const DECODERS: Readonly<Record<string, string>> = {
  '1.2.840.10008.1.2.4.50': 'dcmdjpeg',
  '1.2.840.10008.1.2.4.51': 'dcmdjpeg',
  '1.2.840.10008.1.2.4.57': 'dcmdjpeg',
  '1.2.840.10008.1.2.4.70': 'dcmdjpeg',
  '1.2.840.10008.1.2.4.80': 'dcmdjpls',
  '1.2.840.10008.1.2.4.81': 'dcmdjpls',
  '1.2.840.10008.1.2.5': 'dcmdrle',
}

const ENCAPSULATED = /^1\.2\.840\.10008\.1\.2\.(4\.\d+|5)$/

const scratch = scratchFolder()
let orthanc: Orthanc | undefined
beforeAll(async () => {
  if (ALL.every(isThere)) orthanc = await startOrthanc(104, { OverwriteInstances: true })
})
afterAll(async () => {
  await orthanc?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

interface Dump {
  readonly transferSyntaxUid: string
  /**
   * The elements of the data set, without group lengths and how long sequences and items are
   * written.
   */
  readonly lines: string
  readonly value: (tag: string) => string
}

/** What `dcmdump` reads: `said` is what it complains about. */
async function dumpOf(path: string): Promise<{ readonly dump: Dump; readonly said: string }> {
  const { code, output } = await say('dcmdump', ['-q', '+L', '-Un', path])
  const lines = output.split('\n').filter((line) => /^\s*\([0-9a-f]{4},[0-9a-f]{4}\)/.test(line))
  const transferSyntaxUid =
    lines.find((line) => line.startsWith('(0002,0010)'))?.match(/\[([\d.]*)/)?.[1] ?? ''
  const own = lines
    .filter((line) => !/^\s*\((0002,|[0-9a-f]{4},0000\)|fffe,e00d|fffe,e0dd)/.test(line))
    .map((line) => line.replace(/ +# .*$/, '').replace(/with (explicit|undefined) length/, ''))
  const value = (tag: string) => {
    const line = lines.find((one) => one.startsWith(`(${tag})`)) ?? ''
    // Of an unknown VR it prints the bytes.
    const bytes = /^\S+ UN ([0-9a-f]{2}(?:\\[0-9a-f]{2})*)/.exec(line)?.[1]
    if (bytes !== undefined)
      return Buffer.from(bytes.replaceAll('\\', ''), 'hex')
        .toString('latin1')
        .replace(/[\0 ]+$/, '')
    return /\[([^\]]*)\]/.exec(line)?.[1]?.trim() ?? ''
  }
  const said =
    code === 0 && own.length > 0
      ? ''
      : `dcmdump: ${output.split('\n').find((line) => /^[EF]:/.test(line)) ?? `code ${code}`}`
  return { dump: { transferSyntaxUid, lines: own.join('\n'), value }, said }
}

let turn: Promise<unknown> = Promise.resolve()

/**
 * What the judges say against a file; empty where it is read, rewritten, decoded and stored with
 * the same data set.
 */
async function judged(path: string): Promise<string[]> {
  const { dump, said } = await dumpOf(path)
  if (said !== '') return [said]
  const name = basename(path)
  const found: string[] = []
  // It takes no encapsulated pixel data.
  if (!ENCAPSULATED.test(dump.transferSyntaxUid)) {
    const json = await say('dcm2json', ['-q', path])
    if (json.code !== 0 || !isJson(json.output))
      found.push(`dcm2json: ${/^[EF]: ([\w ]+)/m.exec(json.output)?.[1] ?? json.code}`)
  }

  const again = join(scratch.path, `${name}.again`)
  const converted = await say('dcmconv', ['-q', path, again])
  if (converted.code !== 0) found.push(`dcmconv: ${converted.output.split('\n')[0]}`)
  else if ((await dumpOf(again)).dump.lines !== dump.lines)
    found.push('dcmconv: writes another data set')

  const decoder = DECODERS[dump.transferSyntaxUid]
  if (decoder && /^\(7fe0,0010\)/m.test(dump.lines)) {
    const decoded = await say(decoder, ['-q', path, join(scratch.path, `${name}.decoded`)])
    if (decoded.code !== 0) found.push(`${decoder}: ${decoded.output.split('\n')[0]}`)
  }
  // One at a time: versions of an instance take each other's place in Orthanc.
  const verdict = turn.then(() => byOrthanc(path, dump))
  turn = verdict
  return [...found, ...(await verdict)]
}

const isJson = (text: string) => {
  try {
    return typeof JSON.parse(Buffer.from(text, 'latin1').toString()) === 'object'
  } catch {
    return false
  }
}

async function byOrthanc(path: string, dump: Dump): Promise<string[]> {
  if (!orthanc) return ['Orthanc does not run']
  try {
    const file = readFileSync(path)
    const { ID, Status } = await orthanc.rest<{ ID: string; Status: string }>('/instances', file)
    if (Status !== 'Success' && Status !== 'AlreadyStored') return [`Orthanc: ${Status}`]
    const copy = join(scratch.path, `${basename(path)}.orthanc`)
    const given = await orthanc.download(`/instances/${ID}/file`)
    writeFileSync(copy, given)
    const tags = await orthanc.rest<Record<string, string>>(`/instances/${ID}/tags?short`)
    // What Orthanc itself read, not the copy it keeps.
    const misread = ['0008,0016', '0008,0018', '0020,000d', '0020,000e'].filter(
      (tag) => (tags[tag] ?? '').trim() !== dump.value(tag),
    )
    return [
      ...(given.equals(file) || (await dumpOf(copy)).dump.lines === dump.lines
        ? []
        : ['Orthanc: gives another data set back']),
      ...misread.map((tag) => `Orthanc: reads (${tag}) as ${tags[tag]}`),
    ]
  } catch (error) {
    return [`Orthanc: ${(error as Error).message.split('\n')[0]?.slice(0, 200)}`]
  }
}

/** Verdicts by the names that `nameOf` gives the files; those without a complaint are left out. */
async function verdicts(
  paths: readonly string[],
  nameOf: (path: string) => string,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  await each(paths, async (path) => {
    const complaints = await judged(path)
    if (complaints.length > 0) found[nameOf(path)] = complaints.join('; ')
  })
  return found
}

/**
 * No two of one SOP Instance UID in a round: of the same content in two encodings the gateway keeps
 * the first.
 */
function rounds(all: readonly Sendable[]): Sendable[][] {
  const made: Sendable[][] = []
  for (const ofUid of Map.groupBy(all, ({ sopInstanceUid }) => sopInstanceUid).values())
    for (const [round, sample] of ofUid.entries()) {
      made[round] ??= []
      made[round].push(sample)
    }
  return made
}

describe('DCMTK and Orthanc read, decode and take', () => {
  it('every object that a device can send, in every transfer syntax and character set, or say what was wrong with it before', {
    timeout: 180_000,
  }, async (context) => {
    needs(context, ...ALL)
    const all = sendable(samplesByLack().get('') ?? [], scratch.path)
    const judgedNames = new Set<string>()
    const refused: string[] = []
    const found: Record<string, string> = {}
    for (const round of rounds(all)) {
      await using started = await startGateway({ partner: null })
      const names = new Map(round.map(({ name, dataSet }) => [dataSet.toString('latin1'), name]))
      for (const result of await sendAsItIs(started.dimsePort, round))
        if (outcomeOf(result) !== 'sent 0000') refused.push(result.instance.name)
      const files = storedIn(join(started.folder, 'images'))
      const nameOf = new Map(
        files.map(({ path, dataSet }) => [
          path,
          names.get(dataSet.toString('latin1')) ?? `unknown ${path}`,
        ]),
      )
      for (const name of nameOf.values()) judgedNames.add(name)
      Object.assign(found, await verdicts([...nameOf.keys()], (path) => nameOf.get(path) ?? path))
    }
    // It has no SOP Class UID in its data set.
    expect(refused).toEqual(['SC_rgb_jpeg.dcm'])
    expect(all.map(({ name }) => name).filter((name) => !judgedNames.has(name))).toEqual(refused)
    expect(judgedNames.size).toBeGreaterThan(150)
    expect(new Set(all.map(({ transferSyntaxUid }) => transferSyntaxUid)).size).toBeGreaterThan(10)
    expect(found).toEqual(RECEIVED_SO)
  })

  it('what the gateway makes itself, corrected copies with their rejection note, and versions that were restored, released, quarantined and imported again', async (context) => {
    needs(context, ...ALL)
    using temp = tempFolder()
    const { folder } = temp
    const older = `${folder}.older.sqlite`
    const pixels: Values = { Rows: 16, Columns: 16, PixelData: 'p'.repeat(512) }
    {
      await using _ = await openFurnished(folder)
    }
    copyFileSync(join(folder, 'gateway.sqlite'), older)
    {
      await using clinic = await openFurnished(folder)
      await sendImages(
        clinic,
        [1, 2].map((number) => imageOf(number, pixels)),
      )
    }
    for (const suffix of ['-wal', '-shm'])
      rmSync(join(folder, `gateway.sqlite${suffix}`), { force: true })
    copyFileSync(older, join(folder, 'gateway.sqlite'))
    rmSync(older)

    await using clinic = await openFurnished(folder)
    const { call } = clinic.gateway
    await vi.waitFor(
      async () =>
        expect((await call(dashboardImages.recoveredFiles, { query: {} })).files).toHaveLength(2),
      15_000,
    )
    // One is imported, the other one stays in the recovery folder.
    const [first] = (await call(dashboardImages.recoveredFiles, { query: {} })).files
    expect(
      await call(dashboardImages.importRecovered, { body: { file: first?.file ?? '' } }),
    ).toMatchObject({ imported: 1 })

    // It has the images that come from now on, so that it gets a rejection note of them.
    await using archive = await openArchive()
    const pacs = {
      name: 'PACS',
      aeTitle: 'PACS',
      host: '127.0.0.1',
      port: archive.port,
      isAutomatic: true,
    }
    await call(dashboardDestinations.add, { body: pacs })

    // A version that was replaced, and is shown again.
    await sendImages(clinic, [
      imageOf(3, pixels),
      imageOf(3, { ...pixels, PixelData: 'q'.repeat(512) }),
    ])
    const { versions } = await clinic.images()
    const earlier = versions.find(
      ({ sopInstanceUid, state }) => sopInstanceUid === sopUid(3) && state === 'superseded',
    )
    const restored = {
      params: { instanceId: earlier?.instanceId ?? 0 },
      body: { reason: 'It is the right one' },
    }
    expect(await call(dashboardImages.restoreVersion, restored)).toMatchObject({ success: true })

    // Other contents from another device: one is released, one stays in quarantine.
    await sendImages(clinic, [imageOf(4, pixels), imageOf(5, pixels)])
    await sendImages(
      clinic,
      [4, 5].map((number) => imageOf(number, { ...pixels, StudyDescription: 'Changed' })),
      'CT2',
    )
    const { instances } = await call(dashboardImages.quarantine, { query: {} })
    expect(instances).toHaveLength(2)
    await call(dashboardImages.releaseInstance, {
      params: { instanceId: instances[0]?.instanceId ?? 0 },
      body: { reason: 'Looked at' },
    })

    await captured(clinic, sopUid(3))
    await signed(clinic)
    using store = openContext({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })
    const own = () =>
      listStudyInstances(store.database, UID).filter(
        ({ callingAeTitle }) => callingAeTitle === 'ISTHMUS',
      )
    await vi.waitFor(
      () =>
        expect(
          own()
            .map(({ sopClassUid }) => sopClassUid)
            .sort(),
        ).toHaveLength(3),
      15_000,
    )

    await vi.waitFor(() => expect(archive.received).toContain(sopUid(5)), 15_000)
    expect(await corrected(clinic)).toBe(5)
    const noteOfCorrection = () =>
      archive.requests.some(({ sopClassUid }) => sopClassUid === KEY_OBJECT_SELECTION)
    await vi.waitFor(() => expect(noteOfCorrection()).toBe(true), 15_000)

    const files = [...filesBelow(join(folder, 'images')), ...filesBelow(join(folder, 'recovery'))]
    // Recovered 2, versions 2, two of each quarantined image 4, capture, PDF and SR; copies and
    // note.
    expect(files).toHaveLength(2 + 2 + 4 + 3 + 5 + 1)
    expect(await verdicts(files, (path) => path.slice(folder.length))).toEqual({})
  })
})

let key = ''
const openFurnished = (folder: string): Promise<ImagingClinic> =>
  openImagingClinic({
    folder,
    idleSeconds: 3600,
    async prepare(context) {
      const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
      const names = { firstName: 'Una', lastName: 'Reader' }
      await people.createUser(
        { ...RADIOLOGIST, ...names, level: 'member', clinicRole: 'Radiologist' },
        'command-line',
      )
      key = createApiKey(
        context,
        { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
        'command-line',
      ).key
    },
  })

/** A secondary capture of the image, as the viewer makes it. */
async function captured(
  { gateway: { http } }: ImagingClinic,
  sopInstanceUid: string,
): Promise<void> {
  const session = await sessionHeaders(http, OWNER)
  const opened = await httpCall(`${http}/dashboard/views`, {
    method: 'POST',
    headers: session,
    json: { studyInstanceUid: UID },
  })
  const { viewId } = View.parse(opened.json)
  const headers = { ...session, cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
  await httpCall(http + viewPaths.images(viewId), { headers })
  const capture = {
    sopInstanceUid,
    frame: 1,
    rows: 16,
    columns: 16,
    pixels: deflateSync(Buffer.alloc(768, 90)).toString('base64'),
  }
  const made = await httpCall(http + viewing.capture.path.replace(':viewId', viewId), {
    method: 'POST',
    headers,
    json: capture,
  })
  expect(made.status, made.text).toBe(201)
}

/** The images get another patient. How many there are. */
async function corrected({ gateway: { call } }: ImagingClinic): Promise<number> {
  const patient = {
    ...{ patientName: 'Canario^Carla', patientId: 'P-77', patientBirthDate: '19620214' },
    ...({ patientSex: 'F', accessionNumber: 'A-77' } as const),
  }
  const params = { studyInstanceUid: UID }
  const request = { kind: 'correct', target: { to: 'patient', patient } } as const
  const { digest, instances } = await call(dashboardCorrections.preview, { params, body: request })
  const order = { cause: 'patient-safety', reason: 'Wrong patient at the console', digest } as const
  await call(dashboardCorrections.apply, { params, body: { ...request, ...order } })
  return instances
}

/** A report of the study, whose copies the gateway makes. */
async function signed({ gateway: { http } }: ImagingClinic): Promise<void> {
  const { studyId } = await keyCall(http, key).call(scribe.byUid, {
    params: { studyInstanceUid: UID },
  })
  const radiologist = callerOf(http, await sessionHeaders(http, RADIOLOGIST))
  await readingWindow(radiologist, studyId).report(NORMAL, { acknowledged: [...REPORT_CHECKS] })
}
