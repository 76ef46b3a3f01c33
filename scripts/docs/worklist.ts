import { MAX_RANGE_DAYS, ORDER_WINDOW_DAYS } from '#server/modules/worklist/dates.ts'
import { DEVICE_PROFILES } from '#shared/contract/devices.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { WorklistItem, WorklistStep } from '#shared/contract/webhooks.ts'
import { englishText } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'
import { formatTag, writeDataSet } from '../../electron/server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '../../electron/server/dicom/data-set/uids.ts'
import { WILD_CARD_VRS } from '../../electron/server/dicom/matching/wild-card.ts'
import {
  type Attribute,
  ROOT_ATTRIBUTES,
  ROW_KEYWORDS,
  type RowKeyword,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  STEP_ATTRIBUTES,
} from '../../electron/server/modules/worklist/attributes.ts'
import { CONSOLE_PROFILES } from '../../electron/server/modules/worklist/console-rules.ts'
import { rowsOfItem } from '../../electron/server/modules/worklist/item.ts'
import { readQuery } from '../../electron/server/modules/worklist/query.ts'
import { table } from './markdown.ts'

// ---- Where a row's values come from

/** A value of each field of the interface that no other field has, in the form the field has. */
const MARKERS: Readonly<Record<string, string>> = {
  'item.AccessionNumber': 'ACC',
  'item.Modality': 'CT',
  'item.PatientBirthDate': '19640229',
  'item.PatientID': 'PID',
  'item.PatientName': 'NAME^ONE',
  'item.PatientSex': 'F',
  'item.PatientSize': '1.75',
  'item.PatientWeight': '70.5',
  'item.ProtocolName': 'PROTOCOL',
  'item.RequestedProcedureDescription': 'REQUESTED',
  'item.StudyDescription': 'STUDY',
  'item.StudyInstanceUID': '1.2.3',
  'item.AdmissionID': 'VISIT',
  'item.OtherPatientIDs': 'OTHER',
  'item.ReferringPhysicianName': 'NAME^TWO',
  'step.Modality': 'MR',
  'step.ScheduledProcedureStepDescription': 'STEP',
  'step.ScheduledProcedureStepID': 'SID',
  'step.ScheduledProcedureStepStartDate': '20260304',
  'step.ScheduledProcedureStepStartTime': '101112',
  'step.ScheduledProcedureStepLocation': 'ROOM',
}

/** Fields of the interface that carry a value. */
export const FIELDS: readonly string[] = [
  ...Object.keys(WorklistItem.shape)
    .filter((name) => name !== 'ScheduledProcedureStepSequence')
    .map((name) => `item.${name}`),
  ...Object.keys(WorklistStep.shape).map((name) => `step.${name}`),
]

// Two days, and no modality asked for: neither stands in for what an item lacks.
const CONTEXT = { dateStart: '2026-03-03', dateEnd: '2026-03-05', modality: '' }

function rowOf(without: ReadonlySet<string>) {
  const part = (prefix: string) =>
    Object.fromEntries(
      FIELDS.filter((field) => field.startsWith(prefix) && !without.has(field)).map((field) => [
        field.slice(5),
        markerOf(field),
      ]),
    )
  const [row] = rowsOfItem(
    { ...part('item.'), ScheduledProcedureStepSequence: [part('step.')] },
    CONTEXT,
  )
  if (!row) throw new RangeError('an item without a row')
  return row
}

function markerOf(field: string): string {
  const marker = MARKERS[field]
  if (marker === undefined) throw new RangeError(`no value is known for ${field}`)
  return marker
}

/**
 * Fields that a value is taken from, the first that has one wins; then what stands where none has.
 * Found by taking them away one by one.
 */
export function suppliersOf(keyword: RowKeyword): {
  readonly fields: readonly string[]
  readonly otherwise: string
} {
  const without = new Set<string>()
  for (;;) {
    const { values, withheld } = rowOf(without)
    const value = values[keyword]
    const field = FIELDS.find((one) => !without.has(one) && markerOf(one) === value)
    if (field === undefined)
      return { fields: [...without], otherwise: otherwiseOf(value, withheld) }
    without.add(field)
  }
}

function otherwiseOf(value: string, withheld: Message | null): string {
  if (withheld) return `the row is withheld: ${englishText(withheld)}`
  if (value === '') return 'zero length'
  return /^[SP][A-Z2-7]{15}$/.test(value)
    ? 'derived from the Study Instance UID, always the same'
    : value
}

/** What stands in where the item has nothing, before the row is withheld. */
const STANDS_IN: Partial<Record<RowKeyword, string>> = {
  Modality: 'the requested modality',
  ScheduledProcedureStepStartDate: 'the requested date, if it is a single day',
}
const STATUS = 'SCHEDULED; STARTED once a device has reported the step in progress'

export function sourceOf({ keyword, source }: Attribute): string {
  switch (source) {
    case 'station':
      return 'the requested AE title, if it is a value without a wild card; otherwise the calling AE title'
    case 'age':
      return 'calculated from Patient’s Birth Date for the start date'
    case 'clinic':
      return 'setting `clinic.name`'
    case 'nothing':
      return 'zero length'
    case 'omitted':
      return 'not returned'
    case 'row': {
      if (keyword === 'ScheduledProcedureStepStatus') return STATUS
      const { fields, otherwise } = suppliersOf(keyword as RowKeyword)
      return [...fields.map((field) => `\`${field}\``), STANDS_IN[keyword as RowKeyword], otherwise]
        .filter(Boolean)
        .join(', else ')
    }
  }
}

// ---- What a key of the query does

const SAMPLES: Readonly<Record<string, string>> = {
  DA: '20260101-',
  TM: '0800-',
  UI: '1.2\\1.3',
  DS: '70',
  AS: '030Y',
  AE: 'CT1',
}
const QUERY = {
  callingAeTitle: 'CT1',
  device: undefined,
  today: '2026-03-04',
  daysBack: 1,
  daysForward: 1,
}

/** How the acceptor says a key with a value was taken. */
function matchingOf({ tag, vr, matching, source }: Attribute, isInStep: boolean): string {
  if (vr === 'SQ' || vr === 'US') return 'not matched'
  const text = SAMPLES[vr] ?? (WILD_CARD_VRS.has(vr) ? 'A*' : '1')
  const key = { tag, vr, value: Buffer.from(text) }
  const identifier = writeDataSet(
    isInStep ? [{ tag: SCHEDULED_PROCEDURE_STEP_SEQUENCE, vr: 'SQ', value: [[key]] }] : [key],
    TRANSFER_SYNTAX.explicitLittleEndian,
  )
  const { received } = readQuery(identifier, TRANSFER_SYNTAX.explicitLittleEndian, QUERY)
  const taken = received.find((one) => one.matching !== 'sequence')?.matching
  if (taken === 'ignored') return 'not matched'
  if (source === 'nothing' && matching === 'R') return 'a value matches nothing'
  if (source === 'station')
    return 'with `stationMode` `echo`, any value matches; with `strict`, a value or wild card that matches the calling AE title'
  const words = {
    wildCard: 'single value, wild card',
    range: 'single value, range',
    listOfUid: 'single value, list of UID',
  } as const
  return vr === 'PN'
    ? 'single value, wild card, as described above'
    : (words[taken as keyof typeof words] ?? 'single value')
}

const HEAD = [
  'attribute',
  'tag',
  'VR',
  'PS3.4 K.6-1: matching, return',
  'matching',
  'returned value',
]

const rows = (attributes: Iterable<Attribute>, isInStep: boolean): string[][] =>
  [...attributes]
    .sort((a, b) => a.tag - b.tag)
    .map((attribute) => [
      attribute.keyword,
      formatTag(attribute.tag),
      attribute.vr,
      `${attribute.matching}, ${attribute.type}`,
      matchingOf(attribute, isInStep),
      sourceOf(attribute),
    ])

export const stepAttributeTable = (): string => table(HEAD, rows(STEP_ATTRIBUTES.values(), true))
export const rootAttributeTable = (): string => table(HEAD, rows(ROOT_ATTRIBUTES.values(), false))

/** The other way round, for a partner's developer: what becomes of each field. */
export function fieldTable(): string {
  const byField = Map.groupBy(
    ROW_KEYWORDS.flatMap((keyword) =>
      suppliersOf(keyword).fields.map((field, at) => ({ keyword, field, at })),
    ),
    ({ field }) => field,
  )
  const attributes = [...STEP_ATTRIBUTES.values(), ...ROOT_ATTRIBUTES.values()]
  return table(
    ['field of the response', 'DICOM attributes that it becomes'],
    FIELDS.map((field) => {
      const uses = (byField.get(field) ?? []).map(({ keyword, at }) => {
        const tag = attributes.find((attribute) => attribute.keyword === keyword)?.tag ?? 0
        return `${keyword} ${formatTag(tag)}${at === 0 ? '' : ` (choice ${at + 1})`}`
      })
      return [`\`${field}\``, uses.join('; ')]
    }),
  )
}

export const windowTable = (): string =>
  table(
    ['keys in the query', 'dates requested from the partner'],
    [
      [
        'dates',
        `those dates; if there are more than ${MAX_RANGE_DAYS}, the ${MAX_RANGE_DAYS} nearest to today`,
      ],
      [
        'no date, but a PatientID, AccessionNumber, RequestedProcedureID or StudyInstanceUID',
        `${ORDER_WINDOW_DAYS} days before today to ${ORDER_WINDOW_DAYS} days after`,
      ],
      [
        'neither',
        `${SETTINGS['worklist.daysBack'].initial} day before today to ${SETTINGS['worklist.daysForward'].initial} day after (\`worklist.daysBack\`, \`worklist.daysForward\`, or the device’s own)`,
      ],
    ],
  )

export const consoleTable = (): string =>
  table(
    ['profile', 'published rules', 'drops all rows after a row that it refuses'],
    DEVICE_PROFILES.map((profile) => {
      const { source, stopsAtRefusedRow } = CONSOLE_PROFILES[profile]
      return [`\`${profile}\``, source, stopsAtRefusedRow ? 'yes' : 'no']
    }),
  )
