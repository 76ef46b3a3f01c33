import { existsSync, readFileSync } from 'node:fs'
import type { Context } from '#server/context.ts'
import { STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import {
  IMPLEMENTATION,
  nameOfUid,
  SOP_CLASS,
  TRANSFER_SYNTAX,
} from '#server/dicom/data-set/uids.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import { certificateFacts, certificateFile } from '#server/http/certificate.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import type { ListenerAddresses } from '#server/modules/devices/listeners.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import {
  type Interfaces,
  isEverywhere,
  isLoopback,
  lanAddresses,
} from '#server/platform/network-interfaces.ts'

/** Transfer syntaxes of every service except storage, in order of preference. */
export const SHEET_TRANSFER_SYNTAXES: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
]

type Row = readonly string[]

/**
 * The connection sheet: what an engineer needs to connect a device to this installation, as
 * Markdown. If the gateway is running, it contains the actual listener addresses. It contains no
 * patient data, keys or passwords. The function changes nothing.
 */
export function connectionSheet(
  context: Context,
  listening: ListenerAddresses | undefined,
  version: string | undefined,
  interfaces?: Interfaces,
): string {
  const { day, time } = wallClock(
    context.clock(),
    timeZoneOf(context.settings.get('clinic.timeZone')),
  )
  const place = placeOf(context, listening, interfaces)
  const sections = [
    `# Connection sheet of ${escapeMarkdown(context.settings.get('dimse.aeTitle'))}`,
    `Made on ${day} at ${time.slice(0, 5)}${version ? ` by Isthmus ${version}` : ''}${listening ? '' : ', while the gateway did not run'}. It names no patient and holds no secret.`,
    `## What to type into the device\n\n${table(['field', 'value'], nodeRows(context, place))}`,
    `## Services\n\n${table(['service', 'SOP class', 'now'], serviceRows(context))}`,
    `Any other SOP class is refused in its presentation context. Transfer syntaxes, in the order of preference: ${SHEET_TRANSFER_SYNTAXES.map(nameOfUid).join(', ')}; for images also ${imageSyntaxes()}.`,
    `## Devices that are known\n\n${devicesOf(context)}`,
    `## Where this gateway calls\n\n${destinationsOf(context)}`,
    `## Try it with DCMTK\n\n${dcmtkExamples(context, place)}`,
  ]
  return sections.join('\n\n')
}

interface GatewayAddresses {
  /**
   * Addresses at which devices may reach the gateway, with a description; the most likely first.
   */
  readonly addresses: readonly { readonly address: string; readonly words: string }[]
  readonly port: number
  readonly tlsPort: number | undefined
}

const KINDS = {
  network: '',
  virtual: ', of a program on this PC',
  'self-given': ', which the PC gave itself: it got none from its network',
}

function placeOf(
  context: Context,
  listening: ListenerAddresses | undefined,
  interfaces?: Interfaces,
): GatewayAddresses {
  const host = context.settings.get('dimse.host')
  const found = lanAddresses(host, interfaces).map(({ address, card, kind }) => ({
    address,
    words: `${address} (${card}${KINDS[kind]})`,
  }))
  const bound = isEverywhere(host)
    ? []
    : [{ address: host, words: isLoopback(host) ? `${host}: calls of this PC only` : host }]
  // If the gateway is running but its TLS listener is not, there is no TLS port.
  const tls = listening ? portOf(listening.dimseTls) : context.settings.get('dimse.tlsPort')
  return {
    addresses: found.length > 0 ? found : bound,
    port: portOf(listening?.dimse) ?? context.settings.get('dimse.port'),
    tlsPort: tls ?? undefined,
  }
}

const portOf = (address: string | undefined): number | undefined =>
  address === undefined ? undefined : Number(address.slice(address.lastIndexOf(':') + 1))

function nodeRows(context: Context, { addresses, port, tlsPort }: GatewayAddresses): Row[] {
  const wrongTitle =
    context.settings.get('dimse.calledAePolicy') === 'strict'
      ? 'another one is rejected'
      : 'another one is noted, and served'
  return [
    ['Clinic', context.settings.get('clinic.name') || 'not set'],
    ['Called AE title (this gateway)', `${context.settings.get('dimse.aeTitle')} (${wrongTitle})`],
    [
      'Address',
      addresses.map(({ words }) => words).join('; ') || 'this PC has no address on a network',
    ],
    ['Port', String(port)],
    [
      'Port for DICOM TLS',
      tlsPort === undefined ? 'off' : `${tlsPort} (TLS 1.2 and 1.3, PS3.15 B.12)`,
    ],
    ...(tlsPort === undefined
      ? []
      : [['Certificate of this gateway', certificateOf(context.folder, context.clock())]]),
    [
      'Calling AE title (the device)',
      'the one in the list below; a device that is not in it may do C-ECHO, and is then approved under Devices',
    ],
    ['Maximum PDU length', `${DEFAULT_LIMITS.maxPduLength}; the device’s own is obeyed`],
    [
      'Associations at once',
      `${context.settings.get('dimse.maxAssociations')}, of one device ${context.settings.get('dimse.maxAssociationsPerDevice')}`,
    ],
    ['Silence that ends an association', `${context.settings.get('dimse.idleSeconds')} s`],
    ['Implementation', `${IMPLEMENTATION.classUid} / ${IMPLEMENTATION.versionName}`],
  ]
}

/** Describes the certificate file if it exists; none is generated here. */
function certificateOf(folder: string, nowMs: number): string {
  const file = certificateFile(folder, 'dicom-tls')
  if (!existsSync(file)) return 'made at the first start'
  try {
    const { fingerprint256, notAfter, subject } = certificateFacts(
      readFileSync(file, 'utf8'),
      nowMs,
    )
    return `${subject}, until ${notAfter.slice(0, 10)}, SHA-256 ${fingerprint256}; the file tls/dicom-cert.pem of the data folder`
  } catch {
    return 'the file tls/dicom-cert.pem of the data folder cannot be read'
  }
}

function serviceRows(context: Context): Row[] {
  const commitment = context.settings.get('commitment.isOn')
  return [
    ['Echo (C-ECHO)', SOP_CLASS.verification, 'on, for every caller'],
    ['Worklist (C-FIND)', SOP_CLASS.modalityWorklistFind, 'on'],
    ['Performed steps (MPPS)', SOP_CLASS.modalityPerformedProcedureStep, 'on'],
    [
      'Images and documents (C-STORE)',
      'every storage class of DICOM',
      unknownClasses(context.settings.get('intake.acceptUnknownClasses')),
    ],
    [
      'Storage commitment',
      SOP_CLASS.storageCommitmentPushModel,
      commitment ? 'on; results go to the port of the device in the list' : 'off',
    ],
  ]
}

const unknownClasses = (isOn: boolean): string =>
  isOn ? 'on, those of vendors too' : 'on; those of vendors are refused'

/** Lists the well-known transfer syntaxes; the conformance statement has all of them. */
function imageSyntaxes(): string {
  const others = STORAGE_TRANSFER_SYNTAXES.filter((uid) => !SHEET_TRANSFER_SYNTAXES.includes(uid))
  const named = others.map(nameOfUid).filter((name) => !/^[\d.]+$/.test(name))
  return `${named.join(', ')}, and ${others.length - named.length} rarer ones (docs/CONFORMANCE.md, section 5.2.3)`
}

const TLS_RULES = {
  optional: 'as it likes',
  required: 'only by TLS',
  mutual: 'only by TLS, with its certificate',
}

function devicesOf(context: Context): string {
  const unknown = context.settings.get('dimse.allowUnknownDevices')
    ? '\n\nCallers that are not in this list are served too (dimse.allowUnknownDevices).'
    : ''
  const known = listDevices(context.database)
  if (known.length === 0) return `None yet.${unknown}`
  const rows = known.map((device) => [
    device.aeTitle,
    device.name,
    device.address ?? 'any',
    device.modality ?? '',
    device.port === null ? '' : String(device.port),
    TLS_RULES[device.tls],
    device.isEnabled ? 'on' : 'switched off',
    device.lastSeenAt?.slice(0, 10) ?? 'never',
  ])
  return (
    table(
      ['AE title', 'name', 'calls from', 'modality', 'listens at', 'TLS', 'state', 'last called'],
      rows,
    ) + unknown
  )
}

function destinationsOf(context: Context): string {
  const known = listDestinations(context.database)
  if (known.length === 0) return 'No destination is set up.'
  const rows = known.map(({ name, aeTitle, host, port, isTls, isEnabled }) => [
    ...[name, aeTitle, host, String(port), isTls ? 'yes' : 'no', isEnabled ? 'on' : 'switched off'],
  ])
  const called = `It calls them as ${escapeMarkdown(context.settings.get('dimse.aeTitle'))}. To send a study back (C-MOVE) they need this gateway in their own list, with the address and port above.`
  return `${table(['name', 'AE title', 'host', 'port', 'TLS', 'state'], rows)}\n\n${called}`
}

function dcmtkExamples(context: Context, { addresses, port }: GatewayAddresses): string {
  const calling =
    listDevices(context.database).find(({ isEnabled }) => isEnabled)?.aeTitle ?? 'DEVICE'
  const node = `-aet ${shellQuoted(calling)} -aec ${shellQuoted(context.settings.get('dimse.aeTitle'))} ${addresses[0]?.address ?? 'ADDRESS'} ${port}`
  const keys = [
    'PatientName',
    'PatientID',
    'AccessionNumber',
    '"ScheduledProcedureStepSequence[0].Modality"',
  ]
  return [
    '```sh',
    `echoscu -v ${node}`,
    `findscu -v -W ${node} ${keys.map((key) => `-k ${key}`).join(' ')}`,
    `storescu -v ${node} image.dcm`,
    '```',
  ].join('\n')
}

/** Quotes text as one word for the shell. */
const shellQuoted = (text: string): string =>
  /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Escapes user input so that it is one table cell and not markup. */
const escapeMarkdown = (text: string): string =>
  text.replace(/\p{C}+/gu, ' ').replace(/[|\\`*<[\]]/g, '\\$&')
