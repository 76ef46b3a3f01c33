import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { ITEMS } from './targets/worklist-rows.ts'

/** Inputs of one target by name. */
export type Made = Readonly<Record<string, Buffer>>

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

const STUDY = '1.2.826.0.1.3680043.8.498.1'
const URLS = [1, 2, 3].map((n) => `https://files.example/${STUDY}.1.${n}.dcm?signature=s${n}`)
const sop = (n: number) => ({
  ...{
    sopClassUID: '1.2.840.10008.5.1.4.1.1.2',
    sopInstanceUID: `${STUDY}.1.${n}`,
    instanceNumber: n,
    rows: 512,
    columns: 512,
    bitsAllocated: 16,
  },
  ...{
    photometricInterpretation: 'MONOCHROME2',
    samplesPerPixel: 1,
    bitsStored: 12,
    highBit: 11,
    numberOfFrames: 1,
    pixelRepresentation: 1,
  },
  ...{
    rescaleIntercept: -1024,
    rescaleSlope: 1,
    isFloatPixelData: false,
    isDoubleFloatPixelData: false,
  },
})
const MANIFEST = {
  studyInstanceUID: STUDY,
  series: [
    {
      modality: 'CT',
      seriesDescription: 'Axial',
      seriesInstanceUID: `${STUDY}.1`,
      seriesNumber: 1,
      sops: [sop(1), sop(2)],
    },
    {
      modality: 'SR',
      seriesDescription: 'Dose',
      seriesInstanceUID: `${STUDY}.2`,
      seriesNumber: '2',
      sops: [{ ...sop(3), sopClassUID: '1.2.840.10008.5.1.4.1.1.88.67' }],
    },
  ],
}
export const MANIFESTS: Made = {
  full: json({ studyInstanceUid: STUDY, manifest: MANIFEST, urls: URLS }),
  'any-study': json({ manifest: MANIFEST, urls: URLS.slice(0, 1) }),
  enhanced: json({
    manifest: {
      ...MANIFEST,
      series: [{ ...MANIFEST.series[0], sops: [{ ...sop(1), numberOfFrames: 200_000 }] }],
    },
    urls: [],
  }),
  bare: json(MANIFEST),
  // Once more than a view's list may say.
  large: json({
    manifest: {
      ...MANIFEST,
      series: [
        { ...MANIFEST.series[0], seriesNumber: 1e300, sops: [{ ...sop(1), columns: 2 ** 60 }] },
      ],
    },
    urls: [],
  }),
  empty: json({}),
}

const ANSWERS: Readonly<Record<string, readonly [EventType, unknown]>> = {
  access: [
    'study.access_requested',
    {
      authorized: true,
      urls: URLS,
      manifest: MANIFEST,
      mediaUrls: [{ mimeType: 'application/pdf', url: URLS[0], fileName: 'a.pdf' }],
    },
  ],
  refused: ['study.access_requested', { authorized: false, error: 'No such study.' }],
  ephemeral: [
    'ephemeral.access_requested',
    { authorized: true, urls: URLS, manifests: [MANIFEST, null, 7] },
  ],
  upload: [
    'secondary_capture.access_requested',
    { authorized: true, uploadUrls: [...URLS, 'http://127.0.0.1:9000/put'] },
  ],
  worklist: ['modality_worklist.requested', { authorized: true, items: ITEMS.slice(0, 12) }],
  'worklist-empty': ['modality_worklist.requested', { authorized: true, items: [] }],
  enrichment: [
    'patient_study.enrichment_requested',
    {
      ...{
        dateOfBirth: '1970-01-02',
        externalPatientId: 'E1',
        facilityName: 'Clinic',
        height: { unit: 'in', value: 70 },
        mrn: 'P001',
      },
      ...{
        patientName: 'TESTER^NUMBER001',
        procedure: 'CT',
        referringPhysicianName: 'DOC^TOR',
        severity: 'stat',
        sex: 'female',
        studyDate: '2026-11-20',
      },
      ...{
        studyDescription: 'CT Chest',
        studyTime: '10:15:00.5',
        weight: { unit: 'lbs', value: 150 },
      },
    },
  ],
  context: [
    'clinical_context.enrichment_requested',
    {
      ...{
        clinicalIndication: 'Cough',
        technologistTechnique: 'Standard',
        technologistNotes: ['a', 'b'],
      },
      documents: [{ fileName: 'a.txt', content: ['Zm9v', 'YmFy'] }],
      documentUrls: [{ url: 'https://files.example/a.pdf', fileName: 'a.pdf' }],
      priorReports: [
        {
          reportText: 'No findings.',
          modality: 'CT',
          studyDate: '2025-01-31',
          studyDescription: 'CT',
          externalStudyId: 'X1',
        },
      ],
    },
  ],
  delivered: ['report.delivered', { success: true }],
  'not-delivered': ['report.delivered', { success: false, message: 'Unknown study' }],
}
export const ANSWER_BYTES: Made = Object.fromEntries(
  Object.entries(ANSWERS).map(([name, [type, answer]]) => [
    name,
    Buffer.concat([Buffer.from([chosen(type)]), json(answer)]),
  ]),
)

/** The digit that chooses the event. */
function chosen(type: EventType): number {
  const digit = Array.from({ length: 10 }, (_, n) => 0x30 + n).find(
    (code) => EVENT_TYPES[code % EVENT_TYPES.length] === type,
  )
  if (digit === undefined) throw new RangeError(`no digit for ${type}`)
  return digit
}

export const CURSORS: Made = {
  literal: json({ list: 0, literal: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }),
  number: json({ list: 3, literal: Buffer.from('9007199254740993').toString('base64url') }),
  'number-text': json({ list: 4, literal: Buffer.from('"1"').toString('base64url') }),
  'no-base64': json({ list: 1, literal: '%00../..' }),
  empty: json({ list: 2, literal: '' }),
  long: json({ list: 5, literal: 'A'.repeat(3000) }),
  'of-another': json({ list: 0, of: 1, change: 'none', at: 0, with: '' }),
  ...Object.fromEntries(
    ['put', 'over', 'cut', 'drop', 'twice', 'padded', 'case', 'inside'].map((change, n) => [
      change,
      json({ list: n, of: n, change, at: 3, with: 'A' }),
    ]),
  ),
}

const call = (head: object, body: string): Buffer => Buffer.from(`${JSON.stringify(head)}\n${body}`)
export const CALLS: Made = {
  strict: call(
    { operation: 'POST /v1/express', headers: { prefer: 'handling=strict' } },
    '{"expressCustomerName":"a","unknown":1}',
  ),
  again: call(
    { operation: 'POST /v1/express', headers: { 'idempotency-key': 'k1' } },
    '{"expressCustomerName":"a"}',
  ),
  prototype: call(
    { operation: 'POST /v1/express' },
    '{"expressCustomerName":"a","__proto__":{"x":1}}',
  ),
  'no-json': call({ operation: 'POST /v1/viewer/studies' }, '{"a":'),
  'not-utf8': Buffer.concat([
    call({ operation: 'POST /v1/express' }, '{"expressCustomerName":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]),
  deep: call(
    { operation: 'POST /v1/viewer/ephemeral-sessions' },
    `{"retrievalId":"x","options":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`,
  ),
  search: call(
    { operation: 'GET /dashboard/studies', query: { search: '" OR NEAR(a b) -* ^' } },
    '',
  ),
}
