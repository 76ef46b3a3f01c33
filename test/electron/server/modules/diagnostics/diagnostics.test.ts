import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { storeSecret } from '#server/configuration/secret-queries.ts'
import { type Context, openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { putAssociation } from '#server/modules/devices/association-queries.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import {
  diagnosticsOf,
  diagnosticsZip,
  LOG_LINES,
  previewsOf,
} from '#server/modules/diagnostics/diagnostics.ts'
import { maskedLine } from '#server/modules/diagnostics/diagnostics-log.ts'
import { maskedSetting, maskingOf } from '#server/modules/diagnostics/diagnostics-masking.ts'
import { recordEvent } from '#server/modules/events/queries.ts'
import { addEndpoint } from '#server/modules/partners/service.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { SETTING_KEYS } from '#shared/contract/settings.ts'
import { verbatim } from '#shared/messages/message.ts'
import { DEVICE } from '../../../../support/device.ts'
import { attempt, newEvent } from '../../../../support/events.ts'
import { tempDataFolder, tempFolder } from '../../../../support/temp-store.ts'

const ACTOR = 'command-line'
const VERSION = '9.9.9'
const LISTENERS = [
  {
    name: 'http' as const,
    address: 'http://127.0.0.1:8042',
    aeTitle: null,
    isUp: true,
    detail: null,
  },
]
const READINESS = async () => [
  {
    check: 'partner' as const,
    verdict: 'ok' as const,
    sentence: verbatim('Partner address: https://ris.ravenmoor.example/hook/zx81.'),
    remedy: null,
  },
  {
    check: 'folder' as const,
    verdict: 'ok' as const,
    sentence: verbatim(`The data folder is ${homedir()}/isthmus on ${hostname()}.`),
    remedy: null,
  },
]

/** Invented things of a clinic; none of them may be in the bundle. */
const CANARIES = [
  ...[
    'Ravenmoor',
    'Quillfeather',
    'Ottilie',
    'MRN-40017',
    '19710503',
    'haemorrhage',
    'nightjar@ravenmoor.example',
    'ris.ravenmoor.example',
  ],
  ...[
    'smtp.ravenmoor.example',
    '10.77.3.9',
    '192.0.2.44',
    'RAVENCT7',
    'QUILL^OTTI',
    '1.2.826.0.1.3680043.8.498.90001',
    'zx81',
  ],
  ...[
    'seven calm otters',
    'whsec_',
    'sw0rdf1sh',
    'A1B2-C3D4',
    'eyJhbGciOi',
    'BEGIN CERTIFICATE',
    'Harbour',
  ],
]

function openRavenmoor(folder: string): Context {
  const context = openContext({ folder })
  context.settings.change(
    {
      'clinic.name': 'Ravenmoor Imaging',
      'reports.letterhead': 'Ravenmoor Imaging\nHarbour Road 4',
      'mail.host': 'smtp.ravenmoor.example',
      'mail.user': 'nightjar@ravenmoor.example',
      'mail.from': 'nightjar@ravenmoor.example',
      'http.publicUrl': 'https://ris.ravenmoor.example',
      'http.allowedHosts': ['ris.ravenmoor.example'],
      'worklist.maxRows': 4321,
      'clinic.timeZone': 'Europe/Berlin',
    },
    ACTOR,
  )
  addDevice(
    context,
    { ...DEVICE, aeTitle: 'RAVENCT7', name: 'CT Quillfeather', address: '10.77.3.9' },
    ACTOR,
  )
  addEndpoint(
    context,
    {
      ...{
        url: 'https://ris.ravenmoor.example/hook/zx81',
        name: 'Ravenmoor RIS',
        events: ['report.delivered'],
        allowPlaintext: false,
      },
      ...{
        fileHosts: [],
        budgets: {},
        apiKeyId: null,
        secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      },
    },
    ACTOR,
  )
  storeSecret(context, 'mail.password', 'sw0rdf1sh')
  createApiKey(
    context,
    { description: 'Ravenmoor RIS', isViewerEnabled: false, scope: 'all' },
    ACTOR,
  )
  addAssociations(context)
  addFailedEvent(context)
  return context
}

/** Of a device that is known, and of a stranger. */
function addAssociations(context: Context): void {
  const nothing = {
    echoes: 0,
    queries: 0,
    exams: 0,
    instances: 0,
    bytes: 0,
    steps: 0,
    commitments: 0,
    failures: 0,
  }
  const common = {
    calledAeTitle: 'QUILL^OTTI',
    tls: '',
    openedAt: '2026-11-20T09:00:00.000Z',
    endedAt: '2026-11-20T09:00:01.500Z',
    omitted: 0,
  }
  putAssociation(context.database, {
    ...common,
    ...{
      associationId: 'a1',
      deviceId: listDevices(context.database)[0]?.deviceId ?? null,
      deviceName: 'CT Quillfeather',
      aeTitle: 'RAVENCT7',
    },
    ...{
      address: '10.77.3.9',
      how: 'released',
      detail: null,
      tone: 'plain',
      times: 1,
      counts: { ...nothing, queries: 3, exams: 41 },
    },
  })
  putAssociation(context.database, {
    ...common,
    ...{
      associationId: 'a2',
      deviceId: null,
      deviceName: '',
      aeTitle: 'QUILL^OTTI',
      address: '192.0.2.44',
      how: 'rejected',
      tone: 'danger',
    },
    ...{
      detail: verbatim('QUILL^OTTI at 192.0.2.44 is not in the device list'),
      times: 4,
      counts: nothing,
    },
  })
}

function addFailedEvent(context: Context): void {
  const event = newEvent({
    type: 'report.delivered',
    subject: 'MRN-40017',
    studyInstanceUid: '1.2.826.0.1.3680043.8.498.90001',
  })
  const { request, response, ...facts } = attempt({
    ...{
      outcome: 'status',
      httpStatus: 500,
      detail: verbatim('Ottilie Quillfeather is not known'),
    },
    ...{
      request: '{"patientName":"Quillfeather^Ottilie"}',
      response: Buffer.from('{"error":"MRN-40017 haemorrhage"}'),
    },
  })
  const { apiKeyId, ...row } = event
  recordEvent(
    context.database,
    { ...row, owner: apiKeyId ?? 'clinic', isTest: false, createdAt: facts.at },
    {
      ...facts,
      response,
      isCut: false,
      notes: [
        { path: 'items.0.PatientName.Quillfeather', sentence: verbatim('Ottilie is no name.') },
      ],
    },
    { state: 'failed', request, effect: verbatim('Ottilie Quillfeather was not told.') },
  )
}

const LOG = [
  {
    level: 'info',
    time: '2026-11-20T09:00:00.000Z',
    http: 'http://127.0.0.1:8042',
    dimse: 'RAVENCT7@10.77.3.9:11112',
    msg: 'ready',
  },
  {
    level: 'error',
    time: '2026-11-20T09:00:01.000Z',
    requestId: randomUUID(),
    route: '/v1/studies/:id',
    status: 500,
    msg: 'a call failed',
  },
  {
    level: 'warn',
    time: '2026-11-20T09:00:02.000Z',
    patientName: 'Quillfeather^Ottilie',
    birth: '19710503',
    msg: 'MRN-40017 of Quillfeather^Ottilie',
  },
  {
    level: 'error',
    time: '2026-11-20T09:00:03.000Z',
    err: {
      error: 'Error password: seven calm otters',
      at: `open (${homedir()}/x.ts:1)`,
      deep: { a: 'zx81' },
    },
  },
  {
    level: 'error',
    time: '2026-11-20T09:00:04.000Z',
    msg: 'Bearer eyJhbGciOiJIUzI1NiJ9 from nightjar@ravenmoor.example',
  },
  {
    level: 'error',
    time: '2026-11-20T09:00:05.000Z',
    msg: 'key A1B2-C3D4-E5F6-G7H8-J9K0-M1N2-P3Q4-R5S6 whsec_c2V2ZW4gY2FsbSBvdHRlcnM=',
  },
]

function writeLog(folder: string): void {
  mkdirSync(join(folder, 'logs'))
  const file = join(folder, 'logs', 'gateway.1.log')
  writeFileSync(
    file,
    `${LOG.map((line) => JSON.stringify({ ...line, msg: line.msg ?? '' })).join('\n')}\nnot JSON: Ottilie Quillfeather\n`,
  )
}

describe('the bundle for support', () => {
  it('has nothing of patients, secrets, passwords, people and addresses in it', async () => {
    using temp = tempFolder()
    writeLog(temp.folder)
    using context = openRavenmoor(temp.folder)
    await openAccounts(context).createUser(
      {
        ...{
          email: 'nightjar@ravenmoor.example',
          firstName: 'Ottilie',
          lastName: 'Quillfeather',
          level: 'owner',
          clinicRole: 'Other',
        },
        password: 'seven calm otters',
      },
      ACTOR,
    )
    const texts = await diagnosticsOf(context, VERSION, LISTENERS, READINESS)
    const archive = unzipSync(diagnosticsZip(texts, Date.UTC(2026, 10, 20)))
    const all = Object.entries(archive).map(([name, bytes]) => `${name}\n${strFromU8(bytes)}`)
    const found = CANARIES.flatMap((canary) =>
      all
        .filter((text) => text.toLowerCase().includes(canary.toLowerCase()))
        .map((text) => `${canary} in ${text.slice(0, text.indexOf('\n'))}`),
    )
    expect(found).toEqual([])
    for (const text of all) expect(text).not.toContain(temp.folder)
    for (const text of all) expect(text).not.toContain('This page could not be made')
  })

  it('has what support needs: versions, settings, counts, how connections and events ended', async () => {
    using temp = tempFolder()
    writeLog(temp.folder)
    using context = openRavenmoor(temp.folder)
    const texts = new Map(
      (await diagnosticsOf(context, VERSION, LISTENERS, READINESS)).map(({ name, text }) => [
        name,
        text,
      ]),
    )
    expect([...texts.keys()]).toEqual([
      ...[
        'about.txt',
        'versions.txt',
        'readiness.txt',
        'settings.txt',
        'listeners.txt',
        'storage.txt',
        'associations.txt',
      ],
      ...['events.txt', 'log.txt'],
    ])
    expect(texts.get('versions.txt')).toMatch(/Isthmus: +9\.9\.9\nNode\.js: +24\./)
    expect(texts.get('settings.txt')).toMatch(/clinic\.name +\(set, 17 characters\)/)
    expect(texts.get('settings.txt')).toMatch(/clinic\.timeZone +"Europe\/Berlin"/)
    expect(texts.get('settings.txt')).toMatch(/worklist\.maxRows +4321\n/)
    expect(texts.get('settings.txt')).toMatch(/dimse\.port +11112 \(first value\)/)
    expect(texts.get('settings.txt')).toMatch(/http\.allowedHosts +\(1 value\)/)
    expect(texts.get('listeners.txt')).toMatch(/^http +up +http:\/\/127\.0\.0\.1:8042\//)
    expect(texts.get('readiness.txt')).toMatch(
      /ok +partner +Partner address: https:\/\/\(elsewhere\)\//,
    )
    expect(texts.get('readiness.txt')).toContain('(home)/isthmus on (this PC)')
    expect(texts.get('storage.txt')).toMatch(/Schema: +\d+\n/)
    expect(texts.get('storage.txt')).toMatch(/ 1 {2}devices\n/)
    expect(texts.get('associations.txt')).toMatch(
      /rejected, 1500 ms {2}caller 1 at address 1 {2}TCP {2}4 connections {2}\(/,
    )
    expect(texts.get('associations.txt')).toMatch(
      /released, 1500 ms {2}device 1 at address 2 {2}TCP {2}3 queries {2}41 exams/,
    )
    expect(texts.get('events.txt')).toMatch(
      /report\.delivered +failed +status +1 attempts, 1 notes, 12 ms, endpoint 1/,
    )
    expect(texts.get('log.txt')?.split('\n')[1]).toMatch(
      /"requestId":"[0-9a-f-]{36}","route":"\/v1\/studies\/:id","status":500/,
    )
    expect(texts.get('log.txt')).toContain('characters that are no entry of the log)')
  })

  it('is read before it is saved, the beginning of each page', () => {
    const [short, long] = previewsOf([
      { name: 'a.txt', text: 'Größe\n' },
      { name: 'b.txt', text: 'x'.repeat(20_001) },
    ])
    expect(short).toEqual({ name: 'a.txt', bytes: 8, text: 'Größe\n', isCut: false })
    expect(long).toMatchObject({ bytes: 20_001, isCut: true })
    expect(long?.text).toHaveLength(20_000)
  })

  it('says so where no log is kept in a file', async () => {
    using temp = tempDataFolder()
    using context = openContext({ folder: temp.folder })
    const log = (await diagnosticsOf(context, VERSION, LISTENERS, READINESS)).find(
      ({ name }) => name === 'log.txt',
    )
    expect(log?.text).toContain('No log is kept in a file')
  })

  it('has the last lines of the log, over files that were put away', async () => {
    using temp = tempDataFolder()
    using context = openContext({ folder: temp.folder })
    const folder = join(temp.folder, 'logs')
    mkdirSync(folder)
    const write = (name: string, from: number, to: number) => {
      const lines = Array.from({ length: to - from }, (_, at) =>
        JSON.stringify({ level: 'info', entries: from + at }),
      )
      writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    }
    write('gateway.9.log', 0, 1500)
    write('gateway.10.log', 1500, 3000)
    write('gateway.11.log', 3000, 3100)
    writeFileSync(join(folder, 'other.log'), '{"level":"info","entries":9999}\n')
    const log = (
      await diagnosticsOf(context, VERSION, LISTENERS, READINESS, join(folder, 'gateway.log'))
    ).find(({ name }) => name === 'log.txt')
    const entries = (log?.text ?? '')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { entries: number }).entries)
    expect(entries).toEqual(Array.from({ length: LOG_LINES }, (_, at) => 3100 - LOG_LINES + at))
  })

  it('tells what could not be made of it, and gives the rest', async () => {
    using temp = tempDataFolder()
    using context = openContext({ folder: temp.folder })
    const texts = await diagnosticsOf(context, VERSION, LISTENERS, () =>
      Promise.reject(new TypeError('Ottilie')),
    )
    expect(texts.find(({ name }) => name === 'readiness.txt')?.text).toBe(
      'This page could not be made: TypeError.\n',
    )
    expect(texts).toHaveLength(9)
  })
})

describe('masking', () => {
  it('tells no text of a setting that somebody wrote, whatever settings there will be', () => {
    using temp = tempDataFolder()
    using context = openContext({ folder: temp.folder })
    const masking = maskingOf(context)
    const plain = new Set([
      'clinic.timeZone',
      'backup.dailyAt',
      'update.at',
      'http.host',
      'https.host',
      'dimse.host',
    ])
    for (const key of SETTING_KEYS) {
      const shown = maskedSetting(key, 'Ottilie Quillfeather', masking)
      if (!plain.has(key) && !shown.startsWith('"')) expect(shown, key).toBe('(set, 20 characters)')
    }
  })

  it.each([
    ['refused by quentin.marsh@hillside-imaging.example', 'refused by (e-mail)'],
    ['http://127.0.0.1:8042/#/x?token=abc', 'http://127.0.0.1:8042/'],
    [
      'C-STORE from 10.1.2.3 with 1.2.840.10008.1.2.1',
      'C-STORE from (address) with 1.2.840.10008.1.2.1',
    ],
    ['of 1.2.826.0.1.3680043.8.498.4711', 'of (UID)'],
    ['fe80::1c2d:3e4f%eth0 called', '(address) called'],
    ['Ängström^Åsa^^Dr. is here', '(name)'],
    ['"password": "two words" and more', '"(secret)'],
    [
      'the newest backup is isthmus-2026-11-20-090000Z',
      'the newest backup is isthmus-2026-11-20-090000Z',
    ],
    ['stu_0123456789abcdef0123456789abcdef', 'stu_0123456789abcdef0123456789abcdef'],
    ['hash 0123456789abcdef0123456789abcdef', 'hash (masked)'],
    ['MRN-40017 born 19710503, 3 objects', '(number) born (day), 3 objects'],
  ])('masks %s', (text, masked) => {
    using temp = tempDataFolder()
    using context = openContext({ folder: temp.folder })
    expect(maskingOf(context).text(text)).toBe(masked)
  })

  it('leaves numbers, and texts the program wrote, of an entry of the log', () => {
    using temp = tempDataFolder()
    using context = openContext({ folder: temp.folder })
    const masking = maskingOf(context)
    expect(
      JSON.parse(
        maskedLine(
          '{"level":"warn","attempts":3,"isUp":true,"who":"Ottilie","list":["Ottilie"],"msg":"association rejected"}',
          masking,
        ),
      ),
    ).toEqual({
      ...{
        level: 'warn',
        attempts: 3,
        isUp: true,
        who: '(masked)',
        list: '(masked)',
        msg: 'association rejected',
      },
    })
    expect(maskedLine('["Ottilie"]', masking)).toBe('(11 characters that are no entry of the log)')
  })
})
