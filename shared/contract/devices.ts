import { z } from 'zod'
import { AeTitle } from '../dicom-values.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { Instant } from './conventions.ts'
import { ModalityCode, Pem } from './values.ts'

// The character sets that a device can be configured for (PS3.3 C.12.1.1.2).
export const CHARACTER_SETS = [
  'ISO_IR 6',
  'ISO_IR 100',
  'ISO_IR 101',
  'ISO_IR 109',
  'ISO_IR 110',
  'ISO_IR 126',
  'ISO_IR 127',
  'ISO_IR 138',
  'ISO_IR 144',
  'ISO_IR 148',
  'ISO_IR 166',
  'ISO_IR 203',
  'ISO_IR 13',
  'ISO 2022 IR 87',
  'ISO 2022 IR 149',
  'ISO 2022 IR 58',
  'GB18030',
  'GBK',
  'ISO_IR 192',
] as const
export const CharacterSet = z.enum(CHARACTER_SETS)
export type CharacterSet = z.infer<typeof CharacterSet>

/** An IP address or a CIDR range; null for any address. */
const DeviceAddress = z
  .string()
  .regex(/^[0-9A-Fa-f.:]+(\/\d{1,3})?$/, fault('devices.not-an-address'))
  .nullable()

/** Models with published rules about the rows they accept. */
export const DEVICE_PROFILES = ['standard', 'ge', 'philips'] as const
export type DeviceProfile = (typeof DEVICE_PROFILES)[number]

/**
 * What a device may do with the studies of the gateway (decision 0057): nothing, search them
 * (C-FIND), or also retrieve their images (C-MOVE and C-GET).
 */
export const RETRIEVAL_RIGHTS = ['none', 'query', 'retrieve'] as const
export type RetrievalRight = (typeof RETRIEVAL_RIGHTS)[number]

// The descriptions are shown as help for the options of `device add` and `device update`.
const editableFields = {
  aeTitle: AeTitle.describe('Calling AE title of the device'),
  address: DeviceAddress.describe(
    'IP address or CIDR range that the device connects from; none: any address',
  ),
  name: z.string().trim().max(64).describe('Name by which staff know the device'),
  modality: ModalityCode.nullable().describe(
    'Modality (0008,0060) of the device, used for rows that specify none',
  ),
  isEnabled: z.boolean().describe('Whether the device may connect'),
  characterSet: CharacterSet.nullable().describe(
    'Character set of the responses; none: chosen for each row',
  ),
  stationMode: z
    .enum(['echo', 'strict'])
    .describe(
      'How a requested station AE title is treated; echo: as this device’s own; strict: an AE title other than its own matches nothing',
    ),
  alwaysSendCharacterSet: z
    .boolean()
    .describe('Whether Specific Character Set is sent with ASCII rows too'),
  daysBack: z
    .int()
    .min(0)
    .max(31)
    .nullable()
    .describe('Days in the past that a query without a date covers; none: the clinic’s setting'),
  daysForward: z
    .int()
    .min(0)
    .max(31)
    .nullable()
    .describe('Days in the future that a query without a date covers; none: the clinic’s setting'),
  maxRows: z
    .int()
    .min(1)
    .max(50_000)
    .nullable()
    .describe('Maximum number of rows per query; none: the clinic’s setting'),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .nullable()
    .describe(
      'TCP port of the device, for C-ECHO and storage commitment results; none: it does not listen',
    ),
  profile: z
    .enum(DEVICE_PROFILES)
    .describe('Model whose published rules its rows are checked against'),
  hideStarted: z.boolean().describe('Whether steps in progress (MPPS) are hidden'),
  countsBytes: z
    .boolean()
    .describe(
      'Whether the device applies the maximum lengths of PS3.5 Table 6.2-1 to bytes instead of characters',
    ),
  tls: z
    .enum(['optional', 'required', 'mutual'])
    .describe(
      'How the device has to connect; optional: with or without TLS; required: only with TLS; mutual: only with TLS and a certificate that is known here',
    ),
  certificate: Pem.nullable().meta({
    contentMediaType: 'application/x-pem-file',
    description:
      'Certificate of the device; none: any that was issued by an authority of `dimse.tlsAuthorities`',
  }),
  retrieval: z
    .enum(RETRIEVAL_RIGHTS)
    .describe(
      'What the device may do with the studies of the gateway; query: search them (C-FIND); retrieve: also retrieve their images (C-MOVE, C-GET)',
    ),
}

/** A known DICOM device of the clinic. */
export const Device = z.object({
  deviceId: z.uuid(),
  ...editableFields,
  createdAt: Instant,
  updatedAt: Instant,
  lastSeenAt: Instant.nullable(),
  lastAddress: z.string().nullable(),
})
export type Device = z.infer<typeof Device>

export const NewDevice = z.object({
  aeTitle: editableFields.aeTitle,
  address: editableFields.address.default(null),
  name: editableFields.name.default(''),
  modality: editableFields.modality.default(null),
  isEnabled: editableFields.isEnabled.default(true),
  characterSet: editableFields.characterSet.default(null),
  stationMode: editableFields.stationMode.default('echo'),
  alwaysSendCharacterSet: editableFields.alwaysSendCharacterSet.default(false),
  daysBack: editableFields.daysBack.default(null),
  daysForward: editableFields.daysForward.default(null),
  maxRows: editableFields.maxRows.default(null),
  port: editableFields.port.default(null),
  profile: editableFields.profile.default('standard'),
  hideStarted: editableFields.hideStarted.default(false),
  countsBytes: editableFields.countsBytes.default(false),
  tls: editableFields.tls.default('optional'),
  certificate: editableFields.certificate.default(null),
  retrieval: editableFields.retrieval.default('none'),
})
export type NewDevice = z.output<typeof NewDevice>
export const DevicePatch = z.object(editableFields).partial()
export type DevicePatch = z.output<typeof DevicePatch>

/** A caller that is not in the device list, to be approved or dismissed. */
export const UnknownCaller = z.object({
  aeTitle: z.string(),
  address: z.string(),
  calledAeTitle: z.string(),
  attempts: z.int(),
  firstAt: Instant,
  lastAt: Instant,
  /** Names of the services it proposed, such as Verification, Modality Worklist. */
  services: z.array(z.string()),
})
export type UnknownCaller = z.infer<typeof UnknownCaller>

/** A value that this device would reject or display differently. */
export const LintFinding = z.object({
  /**
   * refused: the device discards the row, or the whole list; altered: it displays a different
   * value.
   */
  severity: z.enum(['refused', 'altered']),
  patientName: z.string(),
  scheduledProcedureStepId: z.string(),
  /** `(0040,0003)` */
  tag: z.string(),
  keyword: z.string(),
  /** What is wrong with the value and how to correct it. */
  text: Message,
})
export type LintFinding = z.infer<typeof LintFinding>

/** The rows that this device would be sent now, checked against the rules of its profile. */
export const LintReport = z.object({
  profile: z.enum(DEVICE_PROFILES),
  /** The document in which the rules are published. */
  source: z.string(),
  inspectionId: z.int(),
  rows: z.int(),
  refused: z.int(),
  findings: z.array(LintFinding),
})
export type LintReport = z.infer<typeof LintReport>
