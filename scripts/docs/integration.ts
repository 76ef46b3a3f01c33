import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { keywordOf } from '../../electron/server/dicom/data-set/data-set.ts'
import { TAG as STORED } from '../../electron/server/modules/images/header.ts'
import type { EnrichmentAnswer } from '../../electron/server/modules/images/study-values.ts'
import { mergedValues } from '../../electron/server/modules/images/study-values.ts'
import { table } from './markdown.ts'

/** The IHE transactions that correspond to each event; the compiler requires all events. */
const IN_PLACE_OF: Readonly<Record<EventType, readonly [what: string, transactions: string]>> = {
  'modality_worklist.requested': [
    'requests the exams in a date range when a device queries the worklist',
    'RAD-2, RAD-4, RAD-13 (HL7 orders to a scheduler), but by request',
  ],
  'patient_study.enrichment_requested': [
    'requests details of the patient and the study for received images',
    'RAD-1, RAD-12 (HL7 ADT), but by request',
  ],
  'clinical_context.enrichment_requested': [
    'requests the indication, notes and prior reports when a radiologist opens a study',
    'RAD-2 (order), and the queries of XDS.b for prior reports',
  ],
  'report.delivered': [
    'delivers a signed report',
    'RAD-28 Structured Report Export (HL7 ORU), or RAD-128 Send Imaging Result',
  ],
  'study.access_requested': [
    'requests the URLs of a study’s images when a user opens the study',
    'RAD-107 WADO-RS, RAD-69 Retrieve Imaging Document Set',
  ],
  'ephemeral.access_requested': [
    'requests the URLs of images that are shown but not stored',
    'RAD-107 WADO-RS',
  ],
  'secondary_capture.access_requested': [
    'requests URLs to which a capture is uploaded',
    'RAD-18 Creator Images Stored, RAD-108 STOW-RS',
  ],
}

const KINDS = {
  synchronous: 'the user or the device gets an error',
  soft: 'the gateway continues without a response',
  asynchronous: 'the gateway retries until the event is accepted',
} as const

export const eventTable = (): string =>
  table(
    ['event', 'what it does', 'if it fails', 'corresponding IHE transactions'],
    EVENT_TYPES.map((type) => [
      `\`${type}\``,
      IN_PLACE_OF[type][0],
      KINDS[EVENTS[type].kind],
      IN_PLACE_OF[type][1],
    ]),
  )

const NOTHING = Object.fromEntries(
  [...Object.keys(STORED), 'patientAge', 'requestStudyInstanceUid', 'characterSetRule'].map(
    (key) => [key, ''],
  ),
) as unknown as ImageHeader

/** A value of each attribute in the form that it has. */
const OF_HEADER: Partial<Record<keyof ImageHeader & keyof typeof STORED, string>> = {
  ...{
    patientName: 'SAMPLE^SAM',
    patientId: 'P',
    patientBirthDate: '19800511',
    patientSex: 'F',
    patientSize: '1.70',
    patientWeight: '70',
  },
  ...{
    patientAge: '040Y',
    accessionNumber: 'A',
    studyDescription: 'S',
    requestedProcedureDescription: 'R',
    studyDate: '20260310',
  },
  ...{
    studyTime: '084500',
    referringPhysicianName: 'DOE^JO',
    institutionName: 'I',
    studyId: 'ID',
    requestedProcedureId: 'RP',
  },
}
const OF_PARTNER: Readonly<Record<keyof EnrichmentAnswer, unknown>> = {
  ...{
    dateOfBirth: '1980-05-11',
    expressCustomerId: 'cus_00000000000040008000000000000000',
    externalPatientId: 'E',
    facilityName: 'F',
  },
  ...{
    height: { unit: 'cm', value: 170 },
    mrn: 'M',
    patientName: 'Sam Sample',
    procedure: 'CT head',
    referringPhysicianName: 'Jo Doe',
  },
  ...{
    severity: 'stat',
    sex: 'female',
    studyDate: '2026-03-10',
    studyDescription: 'D',
    studyTime: '08:45',
    weight: { unit: 'kg', value: 70 },
  },
}

type Flat = Readonly<Record<string, unknown>>
function flat(header: ImageHeader, modality: string, answer: EnrichmentAnswer): Flat {
  const { reportMetadata, ...values } = mergedValues(header, modality, answer).values
  return { ...values, ...reportMetadata }
}
const changed = (before: Flat, after: Flat): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )

/** What a study of the interface is made of, found by giving one value at a time. */
export function enrichmentTable(): string {
  const base = flat(NOTHING, '', {})
  const partner = new Map<string, string[]>()
  const images = new Map<string, string[]>()
  const add = (map: Map<string, string[]>, fields: readonly string[], name: string) => {
    for (const field of fields) map.set(field, [...(map.get(field) ?? []), name])
  }
  for (const [name, value] of Object.entries(OF_PARTNER))
    add(partner, changed(base, flat(NOTHING, '', { [name]: value })), `\`${name}\``)
  for (const [name, value] of Object.entries(OF_HEADER))
    add(
      images,
      changed(base, flat({ ...NOTHING, [name]: value }, '', {})),
      keywordOf(STORED[name as keyof typeof STORED]),
    )
  add(images, changed(base, flat(NOTHING, 'CT', {})), 'Modality')
  const fields = [...new Set([...partner.keys(), ...images.keys()])].sort()
  return table(
    [
      'field of the study',
      'field of the partner’s response, used first',
      'attribute of the images, used otherwise',
    ],
    fields.map((field) => [
      `\`${field}\``,
      partner.get(field)?.join(', ') ?? '',
      images.get(field)?.join(', or else ') ?? '',
    ]),
  )
}
