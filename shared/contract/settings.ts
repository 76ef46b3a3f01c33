import { z } from 'zod'
import { AeTitle } from '../dicom-values.ts'
import { Email } from './people.ts'
import { Pem } from './values.ts'

const Port = z.int().min(0).max(65_535)
const HostName = z
  .string()
  .regex(/^[A-Za-z0-9.:_[\]-]{1,253}$/, 'must be a host name or an address')
const Minutes = (most: number) => z.number().min(0).max(most)

/** The two areas of the interface that have studies. */
export const STUDY_AREAS = ['scribe', 'viewer'] as const
export type StudyArea = (typeof STUDY_AREAS)[number]

export interface Setting<T extends z.ZodType = z.ZodType> {
  readonly schema: T
  readonly initial: z.output<T>
  /** One sentence for the window and `config` on the command line; units named. */
  readonly about: string
  /** Takes effect at the next start. */
  readonly restart?: true
}
const setting = <T extends z.ZodType>(
  schema: T,
  initial: z.output<T>,
  about: string,
  restart?: true,
): Setting<T> => ({
  schema,
  initial,
  about,
  ...(restart && { restart }),
})

/**
 * Every setting of the gateway: its form, its first value, what it does. `config get|set` and the
 * window read this table.
 */
export const SETTINGS = {
  'clinic.id': setting(
    z.uuid().nullable(),
    null,
    'The clinicId sent to the partner; minted at the first start.',
  ),
  'clinic.name': setting(
    z.string().max(64),
    '',
    'Name of the clinic, shown in the window and returned as InstitutionName.',
  ),
  'clinic.timeZone': setting(
    z
      .string()
      .refine(
        (zone) => zone === 'local' || isTimeZone(zone),
        'must be an IANA time zone such as Europe/Berlin, or local',
      ),
    'local',
    'Time zone of the clinic day; local is that of this PC.',
  ),
  'dimse.host': setting(HostName, '0.0.0.0', 'Address the DIMSE listener binds to.', true),
  'dimse.port': setting(Port, 11_112, 'TCP port of the DIMSE listener.', true),
  'dimse.aeTitle': setting(AeTitle, 'ISTHMUS', 'Application Entity title of the gateway.'),
  'dimse.calledAePolicy': setting(
    z.enum(['warn', 'strict']),
    'warn',
    'A wrong called AE title is noted (warn) or rejected (strict).',
  ),
  'dimse.allowUnknownDevices': setting(
    z.boolean(),
    false,
    'Serve callers that are not in the device list.',
  ),
  'dimse.maxAssociations': setting(
    z.int().min(1).max(1000),
    100,
    'Associations open at once, of all devices.',
  ),
  'dimse.maxAssociationsPerDevice': setting(
    z.int().min(1).max(1000),
    50,
    'Associations open at once, of one device.',
  ),
  'dimse.artimSeconds': setting(
    z.number().min(1).max(600),
    30,
    'Seconds a connection may take to ask for an association (ARTIM).',
  ),
  'dimse.idleSeconds': setting(
    z.number().min(5).max(86_400),
    120,
    'Seconds of silence after which an association is aborted.',
  ),
  'dimse.tlsPort': setting(
    Port.nullable(),
    2762,
    'TCP port of the DICOM TLS listener, beside the plain one; without one it is off.',
    true,
  ),
  'dimse.tlsAuthorities': setting(
    Pem.nullable(),
    null,
    'Certificates (PEM) of the authorities that issue the certificates of devices, for devices that must show one.',
    true,
  ),
  'http.host': setting(HostName, '127.0.0.1', 'Address the HTTP listener binds to.', true),
  'http.port': setting(Port, 8042, 'TCP port of the HTTP listener.', true),
  'http.publicUrl': setting(
    z.url({ protocol: /^https?$/ }).nullable(),
    null,
    'Base of every URL given out (report PDF, viewer, invitation). Until it is set they use the loopback address.',
  ),
  'http.allowedHosts': setting(
    z.array(HostName).max(50),
    [],
    'Further host names under which the window and the interface answer.',
  ),
  'https.isOn': setting(
    z.boolean(),
    false,
    'Open the window and the interface to the network of the clinic, by HTTPS under the gateway’s own certificate.',
  ),
  'https.host': setting(HostName, '0.0.0.0', 'Address the HTTPS listener binds to.'),
  'https.port': setting(Port.min(1), 8443, 'TCP port of the HTTPS listener.'),
  'window.lockMinutes': setting(
    Minutes(60).min(1),
    10,
    'Minutes without use after which a window is locked; its person unlocks it with the password.',
  ),
  'window.sessionHours': setting(
    z.number().min(1).max(72),
    12,
    'Hours after which a person signs in anew, however the window is used.',
  ),
  'setup.isDone': setting(
    z.boolean(),
    false,
    'The first-run wizard was gone through, or was put aside for good.',
  ),
  'backup.folder': setting(
    z.string().max(1000).nullable(),
    null,
    'Folder that back-ups are written to; best on another disk.',
  ),
  'backup.dailyAt': setting(
    z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 02:30')
      .nullable(),
    '02:30',
    'Time of the clinic’s day at which a back-up is made; without one none is made by itself.',
  ),
  'backup.everyMinutes': setting(
    z.int().min(5).max(1440).nullable(),
    null,
    'Minutes between back-ups for a standby, beside the daily one; what was written since the last is what a loss of this PC loses.',
  ),
  'backup.keepDaily': setting(z.int().min(1).max(90), 7, 'Days of which the last back-up is kept.'),
  'backup.keepWeekly': setting(
    z.int().min(0).max(52),
    4,
    'Weeks of which the last back-up is kept.',
  ),
  'backup.keepMonthly': setting(
    z.int().min(0).max(60),
    6,
    'Months of which the last back-up is kept.',
  ),
  'update.isAutomatic': setting(
    z.boolean(),
    false,
    'Install an update that was downloaded by itself, in the hour of maintenance.',
  ),
  'update.at': setting(
    z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 03:30'),
    '03:30',
    'Time of the clinic’s day at which the hour of maintenance begins, in which updates may be installed.',
  ),
  'activity.retentionDays': setting(
    z.int().min(1).max(3650),
    30,
    'Days the connections of devices are kept, with what happened on them.',
  ),
  'audit.collectorHost': setting(
    HostName.nullable(),
    null,
    'Host of the clinic’s audit collector (syslog over TLS), which gets each entry of the audit trail; without one nothing is sent.',
  ),
  'audit.collectorPort': setting(
    z.int().min(1).max(65_535),
    6514,
    'TCP port of the audit collector.',
  ),
  'audit.collectorAuthorities': setting(
    Pem.nullable(),
    null,
    'Certificates (PEM) of the authorities that issued the certificate of the audit collector, where that is not a public one.',
  ),
  'audit.collectorIdentity': setting(
    z.boolean(),
    false,
    'Show the audit collector the certificate of the gateway for DICOM by TLS, where it asks for one.',
  ),
  'mail.host': setting(
    HostName.nullable(),
    null,
    'Host of the SMTP server that sends invitations. Until it is set, the inviter hands the link over.',
  ),
  'mail.port': setting(
    z.int().min(1).max(65_535),
    587,
    'TCP port of the SMTP server: 587 with starttls, 465 with tls.',
  ),
  'mail.security': setting(
    z.enum(['starttls', 'tls', 'none']),
    'starttls',
    'The connection must be upgraded to TLS (starttls), begins with TLS (tls), or is in plain text (none), for a relay on this network only.',
  ),
  'mail.user': setting(
    z.string().max(254).nullable(),
    null,
    'User name at the SMTP server; without one it is not asked to sign in.',
  ),
  'mail.certificate': setting(
    Pem.nullable(),
    null,
    'Certificate (PEM) of the SMTP server or of its issuer, where that is not a public one.',
  ),
  'mail.from': setting(Email.nullable(), null, 'Address that invitations are sent from.'),
  'http.ratePerSecond': setting(
    z.number().min(1).max(1_000_000),
    100,
    'Calls a second that one API key may make in the long run; without a valid key, one address.',
  ),
  'http.rateBurst': setting(
    z.int().min(1).max(1_000_000),
    500,
    'Calls that one API key may make at once after a pause; without a valid key, one address.',
  ),
  'viewer.linkMinutes': setting(
    z.number().min(1).max(1440),
    15,
    'Minutes within which a link to the viewer may be followed, once.',
  ),
  'viewer.sessionHours': setting(
    z.number().min(0.25).max(72),
    12,
    'Hours after which a view of a study ends, however it is used.',
  ),
  'viewer.idleMinutes': setting(
    Minutes(1440).min(1),
    60,
    'Minutes without a sign of life after which a view of a study ends.',
  ),
  'viewer.cacheGigabytes': setting(
    z.number().min(1).max(10_000),
    20,
    'Disk space in GB for images fetched from the partner; those not looked at for longest make room.',
  ),
  'partner.plaintextHosts': setting(
    z.array(z.string().regex(/^[^/\s]+:\d{1,5}$/, 'must be host:port')).max(50),
    [],
    'Hosts (host:port) that may be called by plain http or at a private address.',
  ),
  'worklist.freshSeconds': setting(
    z.number().min(0).max(300),
    15,
    'Seconds an answer of the partner is used again without asking; 0 asks every time.',
  ),
  'worklist.budgetSeconds': setting(
    z.number().min(1).max(60),
    8,
    'Seconds the whole call to the partner may take.',
  ),
  'worklist.storedMinutes': setting(
    Minutes(1440),
    15,
    'Minutes the last good answer is served by itself when the partner cannot be asked.',
  ),
  'worklist.downtimeHours': setting(
    z.number().min(0).max(24),
    12,
    'Hours the last good answer may be served in downtime mode, on the same day only.',
  ),
  'worklist.daysBack': setting(
    z.int().min(0).max(31),
    1,
    'Days before today that a query without a date asks for.',
  ),
  'worklist.daysForward': setting(
    z.int().min(0).max(31),
    1,
    'Days after today that a query without a date asks for.',
  ),
  'worklist.maxRows': setting(
    z.int().min(1).max(50_000),
    10_000,
    'Rows sent to one query; more are cut and the query ends with A700.',
  ),
  'worklist.closeOnImages': setting(
    z.boolean(),
    true,
    'A step whose images have arrived is taken off the worklist, for devices that report no performed steps (MPPS).',
  ),
  'intake.areas': setting(
    z
      .array(z.enum(STUDY_AREAS))
      .max(2)
      .refine((areas) => new Set(areas).size === areas.length, 'must name an area once'),
    ['scribe'],
    'Areas in which a study appears by itself once its images are here: scribe, viewer, both, or none.',
  ),
  'intake.idleSeconds': setting(
    z.number().min(1).max(3600),
    60,
    'Seconds without an image after which a study is taken for complete.',
  ),
  'intake.capMinutes': setting(
    Minutes(1440),
    10,
    'Minutes after its first image in which a study appears at the latest.',
  ),
  'intake.acceptUnknownClasses': setting(
    z.boolean(),
    false,
    'Keep objects of storage classes that DICOM does not define, such as those of one vendor.',
  ),
  'intake.stepsOfOthers': setting(
    z.boolean(),
    false,
    'Let a device change and end the performed steps (MPPS) of another: for consoles that begin a step under one AE title and end it under another.',
  ),
  'intake.warnGigabytes': setting(
    z.number().min(0).max(100_000),
    20,
    'Free disk space in GB below which the window warns.',
  ),
  'intake.stopGigabytes': setting(
    z.number().min(0).max(100_000),
    5,
    'Free disk space in GB below which no more images are taken.',
  ),
  'commitment.isOn': setting(
    z.boolean(),
    false,
    'Confirm storage to devices that ask (storage commitment): they may then delete their images, so have a back-up first.',
  ),
  'forwarding.giveUpHours': setting(
    z.number().min(1).max(8760),
    72,
    'Hours for which an instance is tried again at a destination that does not take it.',
  ),
  'reports.paper': setting(z.enum(['A4', 'Letter']), 'A4', 'Paper of the PDF of a report.'),
  'reports.letterhead': setting(
    z.string().max(500),
    '',
    'Lines at the head of the PDF of a report, below the name of the clinic.',
  ),
  'reports.archiveCopies': setting(
    z.boolean(),
    true,
    'Keep a signed report as DICOM objects (Encapsulated PDF and Basic Text SR) beside the images of its study.',
  ),
  'reports.destinationId': setting(
    z.uuid().nullable(),
    null,
    'Destination that signed reports are sent to as DICOM objects; without one they are sent only when asked.',
  ),
  'reports.lockSeconds': setting(
    z.int().min(15).max(600),
    60,
    'Seconds for which a report stays taken after the last sign of life of the window that writes it.',
  ),
  'partner.secretOverlapHours': setting(
    z.number().min(0).max(720),
    24,
    'Hours for which a signing secret that was replaced goes on signing beside the new one.',
  ),
  'events.retentionDays': setting(
    z.int().min(1).max(3650),
    30,
    'Days an event and the answers to it are kept; one that waits is kept longer.',
  ),
  'inspector.retentionHours': setting(
    z.number().min(1).max(720),
    24,
    'Hours a worklist query and the answers it used are kept.',
  ),
} as const satisfies Record<string, Setting>

export type SettingKey = keyof typeof SETTINGS
export type SettingValue<K extends SettingKey> = z.output<(typeof SETTINGS)[K]['schema']>
export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[]

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone.length > 0
  } catch {
    return false
  }
}
