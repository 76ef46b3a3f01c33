import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { CharacterSet } from '#shared/contract/devices.ts'
import type { Inspection } from '#shared/contract/worklist.ts'
import { findscu, type Response, readResponses, scratchFolder } from '../support/dcmtk.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { needs } from '../support/needs.ts'
import { exam } from '../support/wild-partner.ts'

// Invented people, whose names pydicom decodes, an implementation that is not ours. By PatientID.
const NAMES = {
  LATIN1: 'Müller^Jérôme',
  LATIN2: 'Kovářová^Božena',
  CYRILLIC: 'Люксембургова^Анна',
  GREEK: 'Παπαδόπουλος^Διονύσιος',
  JAPANESE: 'Yamada^Tarou=山田^太郎=やまだ^たろう',
  KOREAN: 'Hong^Gildong=洪^吉洞=홍^길동',
  CHINESE: 'Wang^XiaoDong=王^小东',
  ARABIC: 'قباني^لنزار',
  KANJI: '山田^太郎',
  ASCII: "O'Connor^Maire",
} as const
type Id = keyof typeof NAMES
const IDS = Object.keys(NAMES) as Id[]

/**
 * What a device set to this shows instead of a name; '' where the row is withheld, because no
 * letters of the set say the name.
 */
const SHOWN: readonly {
  readonly set: CharacterSet | null
  readonly instead: Partial<Record<Id, string>>
}[] = [
  { set: 'ISO_IR 192', instead: {} },
  { set: 'GB18030', instead: {} },
  // findscu declares no character set of its own accord.
  {
    set: null,
    instead: { LATIN2: 'Kovarova^Bozena', ...inLatin('CYRILLIC', 'GREEK'), ...inAlphabetic() },
  },
  {
    set: 'ISO_IR 100',
    instead: {
      LATIN2: 'Kovarova^Bozena',
      ...inLatin('CYRILLIC', 'GREEK'),
      ...inAlphabetic(),
      ARABIC: '',
      KANJI: '',
    },
  },
  {
    set: 'ISO_IR 101',
    instead: {
      LATIN1: 'Müller^Jérôme',
      ...inLatin('CYRILLIC', 'GREEK'),
      ...inAlphabetic(),
      ARABIC: '',
      KANJI: '',
    },
  },
  {
    set: 'ISO_IR 144',
    instead: {
      LATIN1: 'Muller^Jerome',
      LATIN2: 'Kovarova^Bozena',
      ...inLatin('GREEK'),
      ...inAlphabetic(),
      ARABIC: '',
      KANJI: '',
    },
  },
  {
    set: 'ISO_IR 126',
    instead: {
      LATIN1: 'Muller^Jerome',
      LATIN2: 'Kovarova^Bozena',
      ...inLatin('CYRILLIC'),
      ...inAlphabetic(),
      ARABIC: '',
      KANJI: '',
    },
  },
  {
    set: 'ISO 2022 IR 87',
    instead: {
      ...{
        LATIN1: 'Muller^Jerome',
        LATIN2: 'Kovarova^Bozena',
        KOREAN: 'Hong^Gildong',
        CHINESE: 'Wang^XiaoDong',
      },
      ...{ ...inLatin('CYRILLIC', 'GREEK'), ARABIC: '', KANJI: '' },
    },
  },
  // KS X 1001 has another form of the last character of 太郎.
  {
    set: 'ISO 2022 IR 149',
    instead: {
      ...{
        LATIN1: 'Muller^Jerome',
        LATIN2: 'Kovarova^Bozena',
        CHINESE: 'Wang^XiaoDong',
        JAPANESE: 'Yamada^Tarou',
      },
      ...{ ...inLatin('CYRILLIC', 'GREEK'), ARABIC: '', KANJI: '' },
    },
  },
  {
    set: 'ISO_IR 6',
    instead: {
      ...{ LATIN1: 'Muller^Jerome', LATIN2: 'Kovarova^Bozena' },
      ...{ ...inLatin('CYRILLIC', 'GREEK'), ...inAlphabetic(), ARABIC: '', KANJI: '' },
    },
  },
]

/** By ICAO Doc 9303 and ISO 843. */
function inLatin(...ids: ('CYRILLIC' | 'GREEK')[]): Partial<Record<Id, string>> {
  const said = { CYRILLIC: 'Liuksemburgova^Anna', GREEK: 'Papadopoulos^Dionysios' }
  return Object.fromEntries(ids.map((id) => [id, said[id]]))
}
function inAlphabetic(): Partial<Record<Id, string>> {
  return { JAPANESE: 'Yamada^Tarou', KOREAN: 'Hong^Gildong', CHINESE: 'Wang^XiaoDong' }
}

const UNSET = `CT${SHOWN.findIndex(({ set }) => set === null)}`

let started: StartedGateway
beforeAll(async () => {
  started = await startGateway({
    partner: {
      worklist: IDS.map((id, number) => exam(number, { PatientID: id, PatientName: NAMES[id] })),
    },
    devices: SHOWN.map(({ set }, number) => ({ aeTitle: `CT${number}`, characterSet: set })),
  })
})
afterAll(() => started[Symbol.asyncDispose]())

async function inspectionOf(aeTitle: string): Promise<Inspection> {
  const { inspections } = await started.call(dashboard.inspections, {
    query: { limit: 100 },
  } as never)
  const found = inspections.find(({ callingAeTitle }) => callingAeTitle === aeTitle)
  return await started.call(dashboard.inspection, {
    params: { inspectionId: found?.inspectionId },
  } as never)
}

it.for(
  SHOWN.map(({ set, instead }, number) => ({
    name: set ?? 'no set of its own',
    aeTitle: `CT${number}`,
    instead,
  })),
)(
  'shows every name right, or in letters it has, to a device set to $name',
  async ({ aeTitle, instead }, context) => {
    needs(context, 'dcmtk', 'pydicom')
    using scratch = scratchFolder()
    const keys = [
      '-k',
      'PatientName',
      '-k',
      'PatientID',
      '-k',
      'ScheduledProcedureStepSequence[0].Modality',
    ]
    const { final } = await findscu({
      port: started.dimsePort,
      calling: aeTitle,
      args: keys,
      keepIn: scratch.path,
    })
    expect(final).toBe('Success')
    const rows = await readResponses(scratch.path)
    const shown = Object.fromEntries(
      rows.map((row: Response) => [String(row.PatientID), String(row.PatientName)]),
    )
    const expected = IDS.map((id) => [id, instead[id] ?? NAMES[id]]).filter(
      ([, name]) => name !== '',
    )
    expect(shown).toEqual(Object.fromEntries(expected))
    expect(Object.values(shown).join('')).not.toMatch(/[?\ufffd]/)

    const { rows: verdicts } = await inspectionOf(aeTitle)
    for (const id of IDS) {
      const verdict = verdicts.find(({ patientId }) => patientId === id)
      const wanted = instead[id] ?? NAMES[id]
      expect([id, verdict?.verdict]).toEqual([id, wanted === '' ? 'withheld' : 'sent'])
      if (wanted === '')
        expect(verdict?.reason).toEqual(
          'its PatientName cannot be written in this device’s character set or in Latin letters',
        )
      else if (wanted !== NAMES[id])
        expect(verdict?.remarks).toContainEqual(
          'PatientName: sent in basic Latin letters, because the device’s character set does not contain all of the original characters',
        )
      else if (aeTitle === UNSET && ['ARABIC', 'KANJI'].includes(id))
        expect(verdict?.remarks).toEqual([
          'sent in UTF-8: the device declares no character set, and the text cannot be written in Latin letters',
        ])
      else expect(verdict?.remarks).toEqual([])
    }
  },
)
