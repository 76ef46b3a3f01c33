import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE, RESCUE_HINT_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { insertEndpointSecret, saveEndpoint } from '#server/modules/partners/queries.ts'
import { insertClosedStep } from '#server/modules/procedure-steps/closed-step-queries.ts'
import { insertInspection } from '#server/modules/worklist/inspection-queries.ts'
import { putDowntime, storeDocument } from '#server/modules/worklist/queries.ts'
import { inspectionRecord } from '../../support/inspection-record.ts'
import { needing } from '../../support/needs.ts'
import { removeDatabase, tempFolder, tempStore } from '../../support/temp-store.ts'

const open = (folder: string) => openContext({ folder, clock: Date.now, uuid: randomUUID })

describe('opening the store', () => {
  it('makes its folder and mints the clinic id once', () => {
    using temp = tempFolder()
    const folder = join(temp.folder, 'clinic', 'data')
    let clinicId: string | null
    {
      using store = open(folder)
      clinicId = store.settings.get('clinic.id')
      expect(clinicId).toMatch(/^[0-9a-f-]{36}$/)
    }
    using again = open(folder)
    expect(again.settings.get('clinic.id')).toBe(clinicId)
  })

  it(
    'keeps the folder it makes for its owner, and leaves the mode of one that others use',
    needing('posix'),
    () => {
      using temp = tempFolder()
      const [own, shared] = [join(temp.folder, 'own'), join(temp.folder, 'shared')]
      mkdirSync(shared, { mode: 0o755 })
      writeFileSync(join(shared, 'letter.txt'), '')
      open(own)[Symbol.dispose]()
      open(shared)[Symbol.dispose]()
      expect([statSync(own).mode & 0o777, statSync(shared).mode & 0o777]).toEqual([0o700, 0o755])
      expect(statSync(join(shared, DATABASE_FILE)).mode & 0o777).toBe(0o600)
    },
  )

  it('refuses a database whose key is missing, and makes no new key', () => {
    using temp = tempFolder()
    open(temp.folder)[Symbol.dispose]()
    rmSync(join(temp.folder, KEY_FILE))
    expect(() => open(temp.folder)).toThrow(
      /data\.key is missing\. The database beside it cannot be read without that key/,
    )
    expect(existsSync(join(temp.folder, KEY_FILE))).toBe(false)
  })

  it('goes on where the very first start was cut off', () => {
    using temp = tempFolder()
    writeFileSync(join(temp.folder, DATABASE_FILE), '')
    using store = open(temp.folder)
    expect(store.audit.verify()).toEqual({ isIntact: true, entries: 0 })
  })

  it.each([
    ['an image', (folder: string) => join(folder, 'images', 'ab', 'cd', '0.dcm')],
    ['the place of its backups', (folder: string) => join(folder, RESCUE_HINT_FILE)],
  ])(
    'makes no new database where the former one is missing and the folder holds %s',
    (_, pathIn) => {
      using temp = tempFolder()
      open(temp.folder)[Symbol.dispose]()
      removeDatabase(temp.folder)
      const left = pathIn(temp.folder)
      mkdirSync(dirname(left), { recursive: true })
      writeFileSync(left, '')
      expect(() => open(temp.folder)).toThrow(
        expect.objectContaining({ fault: 'database-missing' }),
      )
      expect(existsSync(join(temp.folder, DATABASE_FILE))).toBe(false)
      rmSync(left)
      open(temp.folder)[Symbol.dispose]()
    },
  )

  it('refuses a folder that is a file', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'file')
    writeFileSync(file, '')
    expect(() => open(file)).toThrow(/^The folder .*file cannot be used: /)
  })
})

describe('the files of the store', () => {
  it('hold no secret and no patient in the clear', () => {
    using temp = tempStore()
    const { store } = temp
    const at = '2026-03-10T09:00:00.000Z'
    const hidden = [
      'MEYER^ANNA',
      'PAT-4711',
      'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtMTIz',
      'reason names Frau Meyer',
      'detail names Frau Meyer',
    ]
    const answerHash = storeDocument(
      store,
      Buffer.from(JSON.stringify([{ PatientName: 'MEYER^ANNA', PatientID: 'PAT-4711' }])),
    )
    insertInspection(store.database, {
      ...inspectionRecord(at),
      answerHash,
      detail: Buffer.from('MEYER^ANNA PAT-4711'),
    })
    saveEndpoint(store.database, {
      endpointId: 'e1',
      url: 'https://ris.example/hook',
      events: [],
      apiKeyId: null,
      allowsPlaintext: false,
      createdAt: at,
      updatedAt: at,
      disabledAt: null,
      name: '',
      fileHosts: [],
      budgets: {},
      disabledReason: null,
    })
    insertEndpointSecret(store.database, 'e1', hidden[2] ?? '', at)
    insertClosedStep(store.database, {
      studyInstanceUid: '1.2.3',
      scheduledProcedureStepId: 'S1',
      closedAt: at,
      reason: 'reason names Frau Meyer',
    })
    putDowntime(store.database, {
      since: at,
      until: at,
      userId: 'usr_1',
      userName: 'Eva Kern',
      reason: 'reason names Frau Meyer',
    })
    store.audit.append({
      actor: 'gateway',
      action: 'step.close',
      target: '1.2.3 S1',
      detail: { reason: 'detail names Frau Meyer' },
    })

    const files = () =>
      readdirSync(temp.folder).map((name) => [name, readFileSync(join(temp.folder, name))] as const)
    const found = () =>
      files().flatMap(([name, bytes]) =>
        hidden.filter((text) => bytes.includes(text)).map((text) => `${text} in ${name}`),
      )
    expect(files().map(([name]) => name)).toContain(`${DATABASE_FILE}-wal`)
    expect(found()).toEqual([])
    store[Symbol.dispose]()
    expect(found()).toEqual([])
    // What may be read is there: the scan does look at the bytes.
    expect(files().some(([, bytes]) => bytes.includes('https://ris.example/hook'))).toBe(true)
  })
})
