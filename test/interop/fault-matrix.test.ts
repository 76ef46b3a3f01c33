import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { encoded } from '../electron/server/modules/images/intake-fixture.ts'
import { EXAMS, imageOf, movableClock, sopUid } from '../support/imaging-clinic.ts'
import { openModality } from '../support/modality.ts'
import { failingDisk, smallDisk } from '../support/mount.ts'
import { needs } from '../support/needs.ts'
import { removeDatabase, tempFolder } from '../support/temp-store.ts'
import {
  type Cell,
  type FaultClinic,
  type FaultClinicOptions,
  type Observed,
  openFaultClinic,
  SERVICES,
  type Subject,
} from './fault-clinic.ts'

// docs/FAULTS.md is read as a table: each cell is compared with what the gateway does. With
// ISTHMUS_WRITE_FAULTS=1 the tables are written from it instead.

const DOCUMENT = join(import.meta.dirname, '../../docs/FAULTS.md')
const TEXT = readFileSync(DOCUMENT, 'utf8')
const isWriting = process.env.ISTHMUS_WRITE_FAULTS === '1'
const HOUR_MS = 3_600_000
/** All faults happen at the same time; one of them alone takes about 20 s. */
const TIMEOUT_MS = 180_000

interface Fault {
  readonly options?: Partial<FaultClinicOptions>
  /** A disk of its own: one of 100 MB, or one that can fail under open files. */
  readonly disk?: 'small' | 'failing'
  readonly happen: (
    clinic: FaultClinic,
    on: { readonly folder: string; readonly disk: ReturnType<typeof failingDisk> },
  ) => unknown
}

const clock = { back: movableClock(), forward: movableClock() }
const contradiction = { isOn: false }

/** Image 1 as an archive sends it back that converts to implicit VR. */
const RECODED: Subject = {
  ...{
    number: 1,
    from: 'PACS',
    dataSet: encoded(imageOf(1), TRANSFER_SYNTAX.implicitLittleEndian),
  },
  store: (archive) => archive.storeImplicit(imageOf(1)),
}
/** An image whose last four bytes are missing. */
const HALF: Subject = {
  ...{ number: 901, from: 'CT1', dataSet: encoded(imageOf(901)).subarray(0, -4) },
  store: (modality) => modality.storeBytes(sopUid(901), HALF.dataSet),
}
/** The fault: it is sent once before the services are asked, and again by the row `store`. */
const sendFirst =
  (subject: Subject): Fault['happen'] =>
  async ({ gateway }) => {
    await using modality = await openModality(gateway.dimsePort, { callingAeTitle: subject.from })
    expect(await subject.store(modality)).toMatchObject({ status: '0000' })
    await modality.release()
  }

const FAULTS: Readonly<Record<string, Fault>> = {
  'Disk full': {
    disk: 'small',
    happen(_, { folder }) {
      const ballast = join(folder, '..', 'ballast')
      for (let size = 1 << 20; size > 0; size >>= 2) {
        const { bavail, bsize } = statfsSync(folder)
        try {
          writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - size)), { flag: 'a' })
        } catch {
          // Full is what it is to be.
        }
      }
    },
  },
  'Disk read-only': { disk: 'failing', happen: (_, { disk }) => disk.fail() },
  'Database older than the images': {
    async happen(clinic, { folder }) {
      const older = join(folder, '..', 'older.sqlite')
      await clinic.restart(() => copyFileSync(join(folder, DATABASE_FILE), older))
      await using modality = await openModality(clinic.gateway.dimsePort, { callingAeTitle: 'CT1' })
      await modality.store(imageOf(900))
      await modality.release()
      await clinic.restart(() => {
        removeDatabase(folder)
        copyFileSync(older, join(folder, DATABASE_FILE))
      })
    },
  },
  'Database missing': { happen: (clinic) => clinic.restart(removeDatabase) },
  'Data key missing': {
    happen: (clinic) => clinic.restart((folder) => rmSync(join(folder, KEY_FILE))),
  },
  'Clock set back by three hours': {
    options: { clock: clock.back },
    happen() {
      clock.back.ahead = -3 * HOUR_MS
    },
  },
  'Clock set forward by a year': {
    options: { clock: clock.forward },
    happen() {
      clock.forward.ahead = 365 * 24 * HOUR_MS
    },
  },
  'Partner malformed': {
    happen({ gateway }) {
      gateway.partner.setScenario('garbage')
    },
  },
  'Partner slow': {
    options: { partner: { slowMs: 60_000 } },
    happen({ gateway }) {
      gateway.partner.setScenario('slow')
    },
  },
  'Partner down': {
    happen({ gateway }) {
      gateway.partner.setScenario('down')
    },
  },
  'Partner contradictory': {
    options: {
      partner: {
        answers: {
          // Two patients of one study.
          'modality_worklist.requested': () => ({
            authorized: true,
            items: contradiction.isOn
              ? EXAMS.slice(4, 6).map((exam) => ({
                  ...exam,
                  StudyInstanceUID: String(EXAMS[4]?.StudyInstanceUID),
                }))
              : EXAMS,
          }),
        },
      },
    },
    happen() {
      contradiction.isOn = true
    },
  },
  'Archive sends images back in another encoding': {
    options: { subject: RECODED },
    happen: sendFirst(RECODED),
  },
  'Device sends half an image': { options: { subject: HALF }, happen: sendFirst(HALF) },
  'Power failure': {
    disk: 'failing',
    async happen(clinic, { folder, disk }) {
      // Nothing but what is synced has reached the disk: what is acknowledged below, and not this.
      const unsynced = join(folder, 'unsynced')
      writeFileSync(unsynced, 'x'.repeat(10_000))
      await using modality = await openModality(clinic.gateway.dimsePort, { callingAeTitle: 'CT1' })
      const image = encoded(imageOf(902))
      const { status } = await modality.storeBytes(sopUid(902), image)
      expect(status).toBe('0000')
      const goOn = disk.cutPower()
      modality.vanish()
      await clinic.restart(() => {
        goOn()
        expect(existsSync(unsynced) && readFileSync(unsynced).length > 0).toBe(false)
        const kept = readdirSync(join(folder, 'images'), {
          recursive: true,
          withFileTypes: true,
        }).filter((entry) => entry.isFile())
        expect(
          kept
            .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
            .some((file) => file.includes(image)),
        ).toBe(true)
      })
    },
  },
}

const sectionOf = (name: string) =>
  TEXT.split('\n## ').find((one) => one.startsWith(`${name}\n`)) ?? ''

const HEAD = '| service | answer | kept | staff see |\n|---|---|---|---|\n'
const TABLE = /^\| service \|.*\n(?:\|.*\n)*/m
const tableOf = (observed: Observed): string =>
  HEAD +
  SERVICES.map((service) => `| ${[service, ...cellsOf(observed[service])].join(' | ')} |\n`).join(
    '',
  )
const cellsOf = ({ answer, kept, seen }: Cell) => [`\`${answer}\``, kept, `“${seen}”`]

/** The sentences of the whole window that staff see beside the cells. */
const sentencesOf = (section: string) =>
  [...(/^Staff see: (.*)$/m.exec(section)?.[1] ?? '').matchAll(/“(.+?)”/g)].map(
    ([, text = '']) => text,
  )

const written = new Map<string, string>()
afterAll(() => {
  const sections = TEXT.split('\n## ').map((section) => {
    const table = written.get(section.split('\n')[0] ?? '')
    return table === undefined ? section : section.replace(TABLE, () => table)
  })
  if (isWriting) writeFileSync(DOCUMENT, sections.join('\n## '))
})

describe('the fault matrix', () => {
  it.concurrent.for(Object.entries(FAULTS))(
    '%s: every service answers as the table says',
    { timeout: TIMEOUT_MS },
    async ([name, fault], context) => {
      const { expect } = context
      if (fault.disk) needs(context, fault.disk === 'small' ? 'mounts' : 'loops')
      using small = fault.disk === 'small' ? smallDisk(100) : undefined
      using failing = fault.disk === 'failing' ? failingDisk(96) : undefined
      using temp = tempFolder()
      const folder = join((small ?? failing)?.path ?? temp.folder, 'data')
      await using clinic = await openFaultClinic({ folder, ...fault.options })
      await fault.happen(clinic, { folder, disk: failing as NonNullable<typeof failing> })
      const section = sectionOf(name)
      const table = tableOf(await clinic.observe())
      if (isWriting) written.set(name, table)
      else expect(TABLE.exec(section)?.[0]).toBe(table)
      const seen = sentencesOf(section)
      expect(seen.length).toBeGreaterThan(0)
      expect(await clinic.seen()).toEqual(
        expect.arrayContaining(seen.map((text) => expect.stringContaining(text))),
      )
    },
  )

  it('has a section for each fault that is tested', () => {
    const sections = [...TEXT.matchAll(/^## (.+)$/gm)].map(([, name]) => name)
    expect(sections).toEqual(Object.keys(FAULTS))
  })
})
