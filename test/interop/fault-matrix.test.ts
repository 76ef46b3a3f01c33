import { copyFileSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#gateway/dimse/uids.ts'
import { KEY_FILE } from '#gateway/store/data-key.ts'
import { DATABASE_FILE } from '#gateway/store/store.ts'
import { CT, encoded } from '../electron/gateway/intake/intake-fixture.ts'
import { EXAMS, imageOf, movableClock, sopUid } from '../support/imaging-clinic.ts'
import { openModality } from '../support/modality.ts'
import { readOnly, smallDisk } from '../support/mount.ts'
import { needs } from '../support/needs.ts'
import { associated } from '../support/requestor.ts'
import { tempFolder } from '../support/temp-store.ts'
import { type FaultClinic, type FaultClinicOptions, openFaultClinic } from './fault-clinic.ts'
import { store, storeRq } from './refusal-fixture.ts'

// docs/FAULTS.md is read as a table: each cell is compared with what the gateway does.

const TEXT = readFileSync(join(import.meta.dirname, '../../docs/FAULTS.md'), 'utf8')
const HOUR_MS = 3_600_000

interface Fault {
  readonly needs?: 'mounts'
  readonly options?: Partial<FaultClinicOptions>
  /** Megabytes of a disk of its own. */
  readonly disk?: number
  /** Makes it happen; what is returned ends it. */
  readonly happen: (clinic: FaultClinic, folder: string) => Disposable | undefined | Promise<Disposable | undefined>
}

/** Nothing but `data.key` and images are left of a data folder, or an older database. */
const removeDatabase = (folder: string) => {
  for (const name of readdirSync(folder)) if (name.startsWith(DATABASE_FILE)) rmSync(join(folder, name))
}

const clock = { back: movableClock(), forward: movableClock() }
const contradiction = { isOn: false }

const FAULTS: Readonly<Record<string, Fault>> = {
  'Disk full': {
    needs: 'mounts',
    disk: 60,
    happen(_, folder) {
      const ballast = join(folder, '..', 'ballast')
      for (let size = 1 << 20; size > 0; size >>= 2) {
        const { bavail, bsize } = statfsSync(folder)
        try {
          writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - size)), { flag: 'a' })
        } catch {
          // Full is what it is to be.
        }
      }
      return undefined
    },
  },
  'Image folder read-only': { needs: 'mounts', happen: (_, folder) => readOnly(join(folder, 'images')) },
  'Database older than the images': {
    async happen(clinic, folder) {
      const older = join(folder, '..', 'older.sqlite')
      await clinic.restart(() => copyFileSync(join(folder, DATABASE_FILE), older))
      await using modality = await openModality(clinic.gateway.dimsePort, { callingAeTitle: 'CT1' })
      await modality.store(imageOf(900))
      await modality.release()
      await clinic.restart(() => {
        removeDatabase(folder)
        copyFileSync(older, join(folder, DATABASE_FILE))
      })
      return undefined
    },
  },
  'Database missing': { happen: (clinic) => clinic.restart(removeDatabase).then(() => undefined) },
  'Data key missing': { happen: (clinic) => clinic.restart((folder) => rmSync(join(folder, KEY_FILE))).then(() => undefined) },
  'Clock set back by three hours': {
    options: { clock: clock.back },
    happen() {
      clock.back.ahead = -3 * HOUR_MS
      return undefined
    },
  },
  'Clock set forward by a year': {
    options: { clock: clock.forward },
    happen() {
      clock.forward.ahead = 365 * 24 * HOUR_MS
      return undefined
    },
  },
  'Partner malformed': {
    happen({ gateway }) {
      gateway.partner.setScenario('garbage')
      return undefined
    },
  },
  'Partner slow': {
    options: { partner: { slowMs: 60_000 } },
    happen({ gateway }) {
      gateway.partner.setScenario('slow')
      return undefined
    },
  },
  'Partner down': {
    happen({ gateway }) {
      gateway.partner.setScenario('down')
      return undefined
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
              ? EXAMS.slice(4, 6).map((exam) => ({ ...exam, StudyInstanceUID: String(EXAMS[4]?.StudyInstanceUID) }))
              : EXAMS,
          }),
        },
      },
    },
    happen() {
      contradiction.isOn = true
      return undefined
    },
  },
  'Archive sends images back in another encoding': {
    async happen({ gateway }) {
      const contexts = [{ id: 5, abstractSyntax: CT, transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian] }]
      await using archive = await associated(gateway.dimsePort, { contexts, callingAeTitle: 'PACS' })
      const status = await store(archive, storeRq(sopUid(1)), encoded(imageOf(1), TRANSFER_SYNTAX.implicitLittleEndian))
      expect(status).toBe('0000')
      return undefined
    },
  },
  'Device sends half an image': {
    async happen({ gateway }) {
      await using modality = await openModality(gateway.dimsePort, { callingAeTitle: 'CT1' })
      await modality.storeBytes(sopUid(901), encoded(imageOf(901)).subarray(0, -4))
      await modality.release()
      return undefined
    },
  },
}

/** The table below a heading, by service, and the sentences that staff see. */
function expected(name: string) {
  const section = TEXT.split('\n## ').find((one) => one.startsWith(`${name}\n`)) ?? ''
  const rows = [...section.matchAll(/^\| ([a-z]+) \| `(.*)` \|/gm)].map(([, service = '', answer = '']) => [service, answer])
  const seen = [...(/^Staff see: (.*)$/m.exec(section)?.[1] ?? '').matchAll(/“(.+?)”/g)].map(([, text = '']) => text)
  return { services: Object.fromEntries(rows) as Record<string, string>, seen }
}

describe('the fault matrix', () => {
  it.for(Object.entries(FAULTS))('%s: every service answers as the table says', async ([name, fault], context) => {
    if (fault.needs) needs(context, fault.needs)
    using disk = fault.disk === undefined ? undefined : smallDisk(fault.disk)
    using temp = tempFolder()
    const folder = join(disk?.path ?? temp.folder, 'data')
    await using clinic = await openFaultClinic({ folder, ...fault.options })
    using _ = (await fault.happen(clinic, folder)) ?? { [Symbol.dispose]: () => {} }
    const { services, seen } = expected(name)
    const obs = await clinic.observe()
    ;(await import('node:fs')).appendFileSync(
      '/tmp/obs.txt',
      '\n## ' + name + '\n' + JSON.stringify(obs, null, 1) + '\n' + (await clinic.seen().catch((e) => [String(e)])).slice(0, 14).join('\n'),
    )
    expect(await clinic.observe()).toEqual(services)
    expect(await clinic.seen()).toEqual(expect.arrayContaining(seen))
    expect(seen.length).toBeGreaterThan(0)
  })

  it('has a section for each fault that is tested', () => {
    const sections = [...TEXT.matchAll(/^## (.+)$/gm)].map(([, name]) => name)
    expect(sections.filter((name) => name !== 'Power failure')).toEqual(Object.keys(FAULTS))
  })
})
