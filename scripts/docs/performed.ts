import { CHARACTER_SETS, type CharacterSet } from '#shared/contract/devices.ts'
import { specificCharacterSetFor } from '../../electron/server/dicom/character-sets/character-set.ts'
import { formatTag, keywordOf, vrOf } from '../../electron/server/dicom/data-set/data-set.ts'
import { identifierOf } from '../../electron/server/dicom/scu/query.ts'
import { TAG as STORED } from '../../electron/server/modules/images/header.ts'
import { TAG } from '../../electron/server/modules/procedure-steps/performed-data.ts'
import { table } from './markdown.ts'

/**
 * What is read of a performed step or of a commitment request, and what for; the compiler sees to
 * it that none is left out.
 */
const USES: Readonly<Record<keyof typeof TAG, readonly [message: string, use: string]>> = {
  specificCharacterSet: ['N-CREATE, N-SET', 'how the text is read'],
  accessionNumber: [
    'N-CREATE',
    'within Scheduled Step Attributes Sequence: the worklist row, with Patient ID',
  ],
  modality: ['N-CREATE', 'shown to the staff'],
  codeValue: ['N-SET', '110514 (DCM): the wrong worklist entry was selected'],
  codeMeaning: ['N-SET', 'shown to the staff'],
  referencedImageSequence: ['N-SET', 'instances of the step'],
  referencedSopClassUid: ['N-ACTION', 'class of each instance'],
  referencedSopInstanceUid: ['N-SET', 'each instance'],
  transactionUid: ['N-ACTION', 'identifies the request; returned with the result'],
  referencedSopSequence: ['N-ACTION', 'the instances; at least one'],
  patientId: ['N-CREATE', 'the worklist row, with Accession Number'],
  studyInstanceUid: [
    'N-CREATE',
    'within Scheduled Step Attributes Sequence: the worklist row, and the study of the images',
  ],
  seriesInstanceUid: ['N-SET', 'series of the instances'],
  scheduledProcedureStepId: [
    'N-CREATE',
    'within Scheduled Step Attributes Sequence: the worklist row',
  ],
  referencedNonImageSequence: ['N-SET', 'instances of the step that are not images'],
  status: ['N-CREATE, N-SET', 'IN PROGRESS, COMPLETED or DISCONTINUED'],
  scheduledStepAttributesSequence: [
    'N-CREATE',
    'the scheduled steps that are performed; no item, or absent: an exam that was not scheduled',
  ],
  discontinuationReasonSequence: ['N-SET', 'why a step was discontinued'],
  performedSeriesSequence: ['N-SET', 'must have an item if the status is COMPLETED'],
  requestedProcedureId: ['N-CREATE', 'within Scheduled Step Attributes Sequence: the worklist row'],
}

/** The messages of Modality Performed Procedure Step; the rest belongs to storage commitment. */
const isOfStep = (key: keyof typeof TAG): boolean => USES[key][0] !== 'N-ACTION'

const attributesOf = (keys: readonly (keyof typeof TAG)[]) =>
  keys.map((key) => [TAG[key], key] as const).sort(([a], [b]) => a - b)

const KEYS = Object.keys(USES) as (keyof typeof TAG)[]

export const performedTable = (): string =>
  table(
    ['attribute', 'tag', 'VR', 'message', 'use'],
    attributesOf(KEYS.filter(isOfStep)).map(([tag, key]) => [
      ...[keywordOf(tag), formatTag(tag), vrOf(tag)],
      ...USES[key],
    ]),
  )

/** What is read of a storage commitment request (PS3.4 Table J.3-1). */
export const commitmentAttributeTable = (): string =>
  table(
    ['attribute', 'tag', 'VR', 'use'],
    attributesOf([
      ...KEYS.filter((key) => !isOfStep(key)),
      'referencedSopInstanceUid' as const,
    ]).map(([tag, key]) => [keywordOf(tag), formatTag(tag), vrOf(tag), USES[key][1]]),
  )

/** What is read of an image that is received. Nothing of it is changed. */
export const headerTable = (): string =>
  table(
    ['attribute', 'tag', 'VR'],
    Object.values(STORED)
      .toSorted((a, b) => a - b)
      .map((tag) => [keywordOf(tag), formatTag(tag), vrOf(tag)]),
  )

/** Keys of the C-FIND for prior studies. */
export function priorKeyTable(): string {
  const asked = identifierOf({
    patientId: 'P',
    patientName: 'N',
    accessionNumber: 'A',
    startDate: '2026-01-01',
    endDate: '2026-01-31',
  })
  const plain = identifierOf({
    patientId: '',
    patientName: '',
    accessionNumber: '',
    startDate: null,
    endDate: null,
  })
  const words = new Map([
    ['PatientID', 'as typed'],
    ['PatientName', 'as typed, followed by `*` if it contains no wild card'],
    ['AccessionNumber', 'as typed'],
    ['StudyDate', 'a range, open at either end'],
  ])
  return table(
    ['attribute', 'tag', 'VR', 'value'],
    asked.map(({ tag, vr, value }, at) => {
      const text = String(value)
      const keyword = keywordOf(tag)
      const isFixed = String(plain[at]?.value) === text
      return [
        keyword,
        formatTag(tag),
        vr,
        text === ''
          ? 'returned'
          : isFixed
            ? `\`${text}\``
            : `${words.get(keyword) ?? '?'}; returned`,
      ]
    }),
  )
}

const SETS: Readonly<Record<CharacterSet, string>> = {
  'ISO_IR 6': 'ASCII, the default repertoire',
  'ISO_IR 100': 'Latin alphabet No. 1, Western Europe',
  'ISO_IR 101': 'Latin alphabet No. 2, Central Europe',
  'ISO_IR 109': 'Latin alphabet No. 3, South Europe',
  'ISO_IR 110': 'Latin alphabet No. 4, North Europe',
  'ISO_IR 126': 'Greek',
  'ISO_IR 127': 'Arabic',
  'ISO_IR 138': 'Hebrew',
  'ISO_IR 144': 'Cyrillic',
  'ISO_IR 148': 'Latin alphabet No. 5, Turkish',
  'ISO_IR 166': 'Thai',
  'ISO_IR 203': 'Latin alphabet No. 9',
  'ISO_IR 13': 'Japanese, JIS X 0201: katakana and Latin letters',
  'ISO 2022 IR 87': 'Japanese, JIS X 0208: kanji, by code extension',
  'ISO 2022 IR 149': 'Korean, KS X 1001, by code extension',
  'ISO 2022 IR 58': 'Chinese, GB 2312-80, by code extension',
  GB18030: 'Chinese, GB 18030',
  GBK: 'Chinese, GBK',
  'ISO_IR 192': 'Unicode in UTF-8',
}

export const characterSetTable = (): string =>
  table(
    [
      'character set of the device',
      'Specific Character Set (0008,0005) of its responses',
      'repertoire',
    ],
    CHARACTER_SETS.map((set) => {
      const terms = specificCharacterSetFor(set)
      return [set, terms.length === 0 ? 'absent' : `\`${terms.join('\\')}\``, SETS[set]]
    }),
  )
