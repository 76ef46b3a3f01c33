import type { z } from 'zod'

const ID = '8f14e45fceea467f9b0c1d2e3f405162'
const UUID = '0b8f6f0e-52c1-4f5e-9a53-6f0f4f2f6a11'

/**
 * Example values by field name: ids in the format of the interface, and invented people. A value
 * that does not match the schema is ignored.
 */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  expressCustomerId: `cus_${ID}`,
  orgId: `org_${ID}`,
  userId: `usr_${ID}`,
  assignedTo: `usr_${ID}`,
  assignedToUserId: `usr_${ID}`,
  createdByUserId: `usr_${ID}`,
  inviterId: `usr_${ID}`,
  studyId: `stu_${ID}`,
  priorStudyIds: [`stu_${ID}`],
  reportId: `rep_${ID}`,
  invitationId: `inv_${ID}`,
  id: `whe_${ID}`,
  eventId: `whe_${ID}`,
  endpointId: '3c0a52a4-0f55-4d3c-8d5a-6d1f9a1f7c11',
  type: 'report.delivered',
  kind: 'asynchronous',
  subject: `rep_${ID}`,
  state: 'done',
  outcome: 'accepted',
  attempts: 1,
  attempt: 1,
  httpStatus: 200,
  tookMs: 84.2,
  bytes: 16,
  remarkCount: 0,
  nextAttemptAt: null,
  at: '2026-11-20T09:10:02.000Z',
  endsAt: null,
  detail: null,
  whyNot: null,
  path: 'manifest.series.0',
  sentence: 'must have an instance; it is left out',
  request: '{"id":"whe_…","type":"report.delivered","data":{}}',
  response: '{"success":true}',
  disabledReason: null,
  name: 'Reports',
  fileHosts: ['files.partner.example'],
  host: 'images.partner.example',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  apiKeyId: UUID,
  createdByApiKeyId: UUID,
  invitedByApiKeyId: null,
  clinicId: '6f2a0d3c-9a54-4b1f-8f0e-0c5d1f7e2b90',
  studyInstanceUid: '1.2.826.0.1.3680043.10.999.1',
  StudyInstanceUID: '1.2.826.0.1.3680043.10.999.1',
  seriesInstanceUid: '1.2.826.0.1.3680043.10.999.1.1',
  sopInstanceUid: '1.2.826.0.1.3680043.10.999.1.1.1',
  expressCustomerName: 'North Street Imaging',
  orgName: 'North Street Imaging',
  facilityName: 'North Street Imaging',
  description: 'Cloud RIS',
  email: 'nora.stein@clinic.example',
  firstName: 'Nora',
  lastName: 'Stein',
  middleName: 'K.',
  suffix1: 'MD',
  suffix2: 'FRCR',
  phoneNumber: '4930123456',
  npiNumber: '1234567893',
  metadata: { site: 'north' },
  createdAt: '2026-11-20T08:30:00.000Z',
  updatedAt: '2026-11-20T08:35:00.000Z',
  lastLoginAt: '2026-11-20T08:31:00.000Z',
  signedAt: '2026-11-20T09:10:00.000Z',
  expiry: '2026-12-20T08:30:00.000Z',
  cancelledAt: null,
  isCancelled: false,
  isCritical: false,
  hasMore: true,
  cursor: 'q0Zx0r9V4w3cJcF0m2l1dDE3NjM2Mjk4MDA=',
  message: 'Nothing was changed.',
  studyDescription: 'CT chest',
  age: '54 years',
  dateOfBirth: '1972-03-14',
  scanDate: '2026-11-20',
  studyDate: '2026-11-20',
  studyTime: '08:30',
  startDate: '2026-11-01',
  endDate: '2026-11-30',
  dateStart: '2026-11-20',
  dateEnd: '2026-11-20',
  scanTime: '08:30',
  scanType: 'CT',
  modality: 'CT',
  Modality: 'CT',
  mrn: 'MRN-1042',
  patientId: 'MRN-1042',
  PatientID: 'MRN-1042',
  externalPatientId: 'EHR-77',
  patientName: 'Ada Beispiel',
  PatientName: 'BEISPIEL^ADA',
  PatientBirthDate: '19720314',
  PatientSex: 'F',
  PatientSize: '1.70',
  PatientWeight: '68',
  AccessionNumber: 'A-1042',
  accessionNumber: 'A-1042',
  ProtocolName: 'Chest routine',
  RequestedProcedureDescription: 'CT chest',
  StudyDescription: 'CT chest',
  ScheduledProcedureStepDescription: 'CT chest',
  ScheduledProcedureStepID: 'S-1042',
  ScheduledProcedureStepStartDate: '20261120',
  ScheduledProcedureStepStartTime: '083000',
  procedure: 'CT chest',
  referringPhysicianName: 'Dr. Otto Muster',
  clinicalHistory: 'Smoker until 2010.',
  clinicalIndication: 'Cough for six weeks.',
  technologistTechnique: 'Helical, 1 mm.',
  technologistNotes: ['Held breath well.'],
  priorReportTexts: ['CT chest 2024: no nodule.'],
  reportText: 'CT chest 2024: no nodule.',
  reportPlainText: 'No acute finding.',
  plainText: 'No acute finding.',
  externalStudyId: 'EXT-9',
  content: ['Referral letter, page 1.'],
  fileName: 'referral.txt',
  mimeType: 'video/mp4',
  url: 'https://partner.example/object?signature=abc',
  urls: ['https://partner.example/object?signature=abc'],
  uploadUrls: ['https://partner.example/upload?signature=abc'],
  presignedUrl: 'https://gateway.clinic.example/report.pdf?signature=abc',
  fault: null,
  headers: { 'webhook-id': `whe_${ID}` },
  body: '{"success":true}',
  verdict: 'The report would count as delivered.',
  isDryRun: false,
  data: { studyInstanceUid: '1.2.826.0.1.3680043.10.999.1' },
  retrievalId: 'session-2026-1042',
  options: { source: 'portal' },
  layout: '1x2',
  viewportAssignments: ['CT chest', null],
  callingAe: 'CT01',
  sourceIp: '192.0.2.20',
  authorized: true,
  error: '',
  height: { unit: 'cm', value: 170 },
  weight: { unit: 'kg', value: 68 },
}

/**
 * A value that is valid for the schema, including every optional field. Values of a query are
 * texts.
 */
export function exampleOf(schema: z.core.$ZodType, name = ''): unknown {
  const known = EXAMPLES[name]
  for (const value of [known, ...(typeof known === 'boolean' ? [String(known)] : [])])
    if (value !== undefined && fits(schema, value)) return value
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([field, inner]) => {
          // Another name of a field that is there already.
          if ((inner as z.ZodType).meta()?.deprecated) return []
          const value = exampleOf(inner, field)
          return value === undefined ? [] : [[field, value]]
        }),
      )
    case 'array':
      return [exampleOf(def.element, name)]
    case 'record':
      return {}
    case 'union':
      return def.options[0] && exampleOf(def.options[0], name)
    case 'pipe':
      return exampleOf(def.in._zod.def.type === 'transform' ? def.out : def.in, name)
    case 'default':
      return def.defaultValue
    case 'optional':
    case 'nullable':
      return exampleOf(def.innerType, name)
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    case 'boolean':
      return true
    case 'number':
      return 1
    case 'string':
      return 'format' in def && def.format === 'uuid' ? UUID : 'text'
    default:
      return undefined
  }
}

const fits = (schema: z.core.$ZodType, value: unknown) =>
  (schema as z.ZodType).safeParse(value).success
