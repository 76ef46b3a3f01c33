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
import { readPartner } from '#server/modules/partners/service.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import {
  type Interfaces,
  isLoopback,
  isWildcardAddress,
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
  const gatewayAddresses = placeOf(context, listening, interfaces)
  const sections = [
    `# Connection sheet of ${escapeMarkdown(context.settings.get('dimse.aeTitle'))}`,
    `Made on ${day} at ${time.slice(0, 5)}${version ? ` by Isthmus ${version}` : ''}${listening ? '' : ', while the gateway was not running'}. It contains no patient data and no secret.`,
    `## Settings of the device\n\n${table(['field', 'value'], gatewayRows(context, gatewayAddresses))}`,
    `## Services\n\n${table(['service', 'SOP class', 'state'], serviceRows(context))}`,
    `A presentation context for any other SOP class is rejected. Transfer syntaxes, in order of preference: ${SHEET_TRANSFER_SYNTAXES.map(nameOfUid).join(', ')}; for images, also ${describeImageSyntaxes()}.`,
    `## Device list\n\n${devicesOf(context)}`,
    `## Destinations\n\n${destinationsOf(context)}`,
    `## Test with DCMTK\n\n${dcmtkExamples(context, gatewayAddresses)}`,
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
  virtual: ', virtual network of a program on this PC',
  'self-given': ', self-assigned because the network provided none',
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
  const boundAddresses = isWildcardAddress(host)
    ? []
    : [{ address: host, words: isLoopback(host) ? `${host}: reachable from this PC only` : host }]
  // If the gateway is running but its TLS listener is not, there is no TLS port.
  const tls = listening ? portOf(listening.dimseTls) : context.settings.get('dimse.tlsPort')
  return {
    addresses: found.length > 0 ? found : boundAddresses,
    port: portOf(listening?.dimse) ?? context.settings.get('dimse.port'),
    tlsPort: tls ?? undefined,
  }
}

const portOf = (address: string | undefined): number | undefined =>
  address === undefined ? undefined : Number(address.slice(address.lastIndexOf(':') + 1))

function gatewayRows(context: Context, { addresses, port, tlsPort }: GatewayAddresses): Row[] {
  const wrongTitlePolicy =
    context.settings.get('dimse.calledAePolicy') === 'strict'
      ? 'associations with another called AE title are rejected'
      : 'associations with another called AE title are accepted, and a warning is shown'
  return [
    ['Clinic', context.settings.get('clinic.name') || 'not set'],
    [
      'Called AE title (this gateway)',
      `${context.settings.get('dimse.aeTitle')} (${wrongTitlePolicy})`,
    ],
    ['Address', addresses.map(({ words }) => words).join('; ') || 'this PC has no network address'],
    ['Port', String(port)],
    [
      'Port for DICOM TLS',
      tlsPort === undefined ? 'off' : `${tlsPort} (TLS 1.2 and 1.3, PS3.15 B.12)`,
    ],
    ...(tlsPort === undefined
      ? []
      : [['Certificate of this gateway', describeCertificate(context.folder, context.clock())]]),
    [
      'Calling AE title (the device)',
      'as in the device list below; a device that is not in the list can only use C-ECHO until a user approves it under Devices',
    ],
    [
      'Maximum PDU length',
      `${DEFAULT_LIMITS.maxPduLength}; the maximum of the device is respected`,
    ],
    [
      'Simultaneous associations',
      `${context.settings.get('dimse.maxAssociations')}; per device ${context.settings.get('dimse.maxAssociationsPerDevice')}`,
    ],
    ['Inactivity timeout', `${context.settings.get('dimse.idleSeconds')} s`],
    ['Implementation', `${IMPLEMENTATION.classUid} / ${IMPLEMENTATION.versionName}`],
  ]
}

/** Describes the certificate file if it exists; none is generated here. */
function describeCertificate(folder: string, nowMs: number): string {
  const file = certificateFile(folder, 'dicom-tls')
  if (!existsSync(file)) return 'created at the first start'
  try {
    const { fingerprint256, notAfter, subject } = certificateFacts(
      readFileSync(file, 'utf8'),
      nowMs,
    )
    return `${subject}, valid until ${notAfter.slice(0, 10)}, SHA-256 ${fingerprint256}; file tls/dicom-cert.pem in the data folder`
  } catch {
    return 'the file tls/dicom-cert.pem in the data folder cannot be read'
  }
}

function serviceRows(context: Context): Row[] {
  const isCommitmentOn = context.settings.get('commitment.isOn')
  return [
    ['Echo (C-ECHO)', SOP_CLASS.verification, 'on, for all callers'],
    [
      'Worklist (C-FIND)',
      SOP_CLASS.modalityWorklistFind,
      readPartner(context).url
        ? 'on'
        : 'on, but no partner is configured: queries fail with status A700',
    ],
    ['Performed steps (MPPS)', SOP_CLASS.modalityPerformedProcedureStep, 'on'],
    [
      'Images and documents (C-STORE)',
      'every storage class of DICOM',
      describeUnknownClasses(context.settings.get('intake.acceptUnknownClasses')),
    ],
    [
      'Storage commitment',
      SOP_CLASS.storageCommitmentPushModel,
      isCommitmentOn ? 'on; results are sent to the listening port in the device list' : 'off',
    ],
  ]
}

const describeUnknownClasses = (isOn: boolean): string =>
  isOn ? 'on, including private SOP classes' : 'on; private SOP classes are rejected'

/** Lists the well-known transfer syntaxes; the conformance statement has all of them. */
function describeImageSyntaxes(): string {
  const others = STORAGE_TRANSFER_SYNTAXES.filter((uid) => !SHEET_TRANSFER_SYNTAXES.includes(uid))
  const named = others.map(nameOfUid).filter((name) => !/^[\d.]+$/.test(name))
  return `${named.join(', ')}, and ${others.length - named.length} less common ones (see the DICOM Conformance Statement, “Storage”)`
}

const TLS_LABELS = {
  optional: 'optional',
  required: 'required',
  mutual: 'required, with client certificate',
}

function devicesOf(context: Context): string {
  const unknown = context.settings.get('dimse.allowUnknownDevices')
    ? '\n\nDevices that are not in the list are also served (dimse.allowUnknownDevices).'
    : ''
  const known = listDevices(context.database)
  if (known.length === 0) return `None yet.${unknown}`
  const rows = known.map((device) => [
    device.aeTitle,
    device.name,
    device.address ?? 'any',
    device.modality ?? '',
    device.port === null ? '' : String(device.port),
    TLS_LABELS[device.tls],
    device.isEnabled ? 'enabled' : 'disabled',
    device.lastSeenAt?.slice(0, 10) ?? 'never',
  ])
  return (
    table(
      [
        'AE title',
        'name',
        'address',
        'modality',
        'listening port',
        'TLS',
        'state',
        'last connection',
      ],
      rows,
    ) + unknown
  )
}

function destinationsOf(context: Context): string {
  const known = listDestinations(context.database)
  if (known.length === 0) return 'No destination is set up.'
  const rows = known.map(({ name, aeTitle, host, port, isTls, isEnabled }) => [
    ...[
      name,
      aeTitle,
      host,
      String(port),
      isTls ? 'yes' : 'no',
      isEnabled ? 'enabled' : 'disabled',
    ],
  ])
  const callingAeTitleNote = `The calling AE title of the gateway is ${escapeMarkdown(context.settings.get('dimse.aeTitle'))}. Retrieval of studies (C-MOVE) requires this gateway, with the address and port above, in the configuration of the destination.`
  return `${table(['name', 'AE title', 'host', 'port', 'TLS', 'state'], rows)}\n\n${callingAeTitleNote}`
}

function dcmtkExamples(context: Context, { addresses, port }: GatewayAddresses): string {
  const callingAeTitle =
    listDevices(context.database).find(({ isEnabled }) => isEnabled)?.aeTitle ?? 'DEVICE'
  const node = `-aet ${quoteForShell(callingAeTitle)} -aec ${quoteForShell(context.settings.get('dimse.aeTitle'))} ${addresses[0]?.address ?? 'ADDRESS'} ${port}`
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
const quoteForShell = (text: string): string =>
  /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Escapes user input so that it is one table cell and not markup. */
const escapeMarkdown = (text: string): string =>
  text.replace(/\p{C}+/gu, ' ').replace(/[|\\`*<[\]]/g, '\\$&')
