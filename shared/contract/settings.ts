import { z } from 'zod'
import { AeTitle } from '../dicom-values.ts'
import { fault } from '../messages/issues.ts'
import { type Message, type MessageCode, message } from '../messages/message.ts'
import { Email } from './people.ts'
import { Pem } from './values.ts'

const Port = z.int().min(0).max(65_535)
const HostName = z.string().regex(/^[A-Za-z0-9.:_[\]-]{1,253}$/, fault('values.host'))
const Minutes = (most: number) => z.number().min(0).max(most)
/** Names or ids of groups, as the identity provider writes them. */
const Groups = z.array(z.string().trim().min(1).max(200)).max(50)

/** The two areas of the interface that have studies. */
export const STUDY_AREAS = ['scribe', 'viewer'] as const
export type StudyArea = (typeof STUDY_AREAS)[number]

export interface Setting<T extends z.ZodType = z.ZodType> {
  readonly schema: T
  readonly initial: z.output<T>
  /**
   * A description in one sentence, with units, for the window and for `config` on the command line.
   */
  readonly about: Message
  /** Whether a change takes effect only after a restart. */
  readonly restart?: true
}
const setting = <T extends z.ZodType>(
  schema: T,
  initial: z.output<T>,
  about: MessageCode,
  restart?: true,
): Setting<T> => ({
  schema,
  initial,
  about: message(about),
  ...(restart && { restart }),
})

/**
 * Every setting of the gateway, with its schema, initial value and description. `config get|set`
 * and the window read this table.
 */
export const SETTINGS = {
  'clinic.id': setting(z.uuid().nullable(), null, 'settings.clinic-id'),
  'clinic.name': setting(z.string().max(64), '', 'settings.clinic-name'),
  'clinic.timeZone': setting(
    z
      .string()
      .refine((zone) => zone === 'local' || isTimeZone(zone), fault('settings.not-a-time-zone')),
    'local',
    'settings.clinic-time-zone',
  ),
  'dimse.host': setting(HostName, '0.0.0.0', 'settings.dimse-host', true),
  'dimse.port': setting(Port, 11_112, 'settings.dimse-port', true),
  'dimse.aeTitle': setting(AeTitle, 'ISTHMUS', 'settings.dimse-ae-title'),
  'dimse.calledAePolicy': setting(
    z.enum(['warn', 'strict']),
    'warn',
    'settings.dimse-called-ae-policy',
  ),
  'dimse.allowUnknownDevices': setting(z.boolean(), false, 'settings.dimse-allow-unknown-devices'),
  'dimse.acceptLossyForGet': setting(z.boolean(), false, 'settings.dimse-accept-lossy-for-get'),
  'dimse.maxAssociations': setting(
    z.int().min(1).max(1000),
    100,
    'settings.dimse-max-associations',
  ),
  'dimse.maxAssociationsPerDevice': setting(
    z.int().min(1).max(1000),
    50,
    'settings.dimse-max-associations-per-device',
  ),
  'dimse.artimSeconds': setting(z.number().min(1).max(600), 30, 'settings.dimse-artim-seconds'),
  'dimse.idleSeconds': setting(z.number().min(5).max(86_400), 120, 'settings.dimse-idle-seconds'),
  'dimse.tlsPort': setting(Port.nullable(), 2762, 'settings.dimse-tls-port', true),
  'dimse.tlsAuthorities': setting(Pem.nullable(), null, 'settings.dimse-tls-authorities', true),
  'http.host': setting(HostName, '127.0.0.1', 'settings.http-host', true),
  'http.port': setting(Port, 8042, 'settings.http-port', true),
  'http.publicUrl': setting(
    z.url({ protocol: /^https?$/ }).nullable(),
    null,
    'settings.http-public-url',
  ),
  'http.allowedHosts': setting(z.array(HostName).max(50), [], 'settings.http-allowed-hosts'),
  'https.isOn': setting(z.boolean(), false, 'settings.https-is-on'),
  'https.host': setting(HostName, '0.0.0.0', 'settings.https-host'),
  'https.port': setting(Port.min(1), 8443, 'settings.https-port'),
  'window.lockMinutes': setting(Minutes(60).min(1), 10, 'settings.window-lock-minutes'),
  'window.sessionHours': setting(z.number().min(1).max(72), 12, 'settings.window-session-hours'),
  'oidc.isOn': setting(z.boolean(), false, 'settings.oidc-is-on'),
  'oidc.name': setting(z.string().trim().max(40), '', 'settings.oidc-name'),
  'oidc.issuer': setting(
    z
      .url({ protocol: /^https?$/ })
      .max(500)
      .nullable(),
    null,
    'settings.oidc-issuer',
  ),
  'oidc.clientId': setting(
    z.string().trim().min(1).max(200).nullable(),
    null,
    'settings.oidc-client-id',
  ),
  'oidc.scopes': setting(
    z
      .string()
      .regex(/^openid( [\x21\x23-\x5B\x5D-\x7E]+)*$/, fault('settings.not-scopes'))
      .max(200),
    'openid profile email',
    'settings.oidc-scopes',
  ),
  'oidc.accounts': setting(z.enum(['link', 'create']), 'link', 'settings.oidc-accounts'),
  'oidc.trustsEmail': setting(z.boolean(), false, 'settings.oidc-trusts-email'),
  'oidc.groupsClaim': setting(
    z.string().trim().min(1).max(200),
    'groups',
    'settings.oidc-groups-claim',
  ),
  'oidc.windowGroups': setting(Groups, [], 'settings.oidc-window-groups'),
  'oidc.studyGroups': setting(Groups, [], 'settings.oidc-study-groups'),
  'oidc.reportGroups': setting(Groups, [], 'settings.oidc-report-groups'),
  'oidc.adminGroups': setting(Groups, [], 'settings.oidc-admin-groups'),
  'oidc.endsProviderSession': setting(z.boolean(), true, 'settings.oidc-ends-provider-session'),
  'oidc.authorities': setting(Pem.nullable(), null, 'settings.oidc-authorities'),
  'otlp.isOn': setting(z.boolean(), false, 'settings.otlp-is-on'),
  'otlp.url': setting(
    z
      .url({ protocol: /^https?$/ })
      .max(500)
      .nullable(),
    null,
    'settings.otlp-url',
  ),
  'otlp.seconds': setting(z.int().min(1).max(3600), 60, 'settings.otlp-seconds'),
  'otlp.logLevel': setting(
    z.enum(['off', 'errors', 'warnings', 'all']),
    'warnings',
    'settings.otlp-log-level',
  ),
  'otlp.authorities': setting(Pem.nullable(), null, 'settings.otlp-authorities'),
  'setup.isDone': setting(z.boolean(), false, 'settings.setup-is-done'),
  'setup.offersTour': setting(z.boolean(), false, 'settings.setup-offers-tour'),
  'setup.simulatorPort': setting(z.int().min(1).max(65_535), 9090, 'settings.setup-simulator-port'),
  'backup.folder': setting(z.string().max(1000).nullable(), null, 'settings.backup-folder'),
  'backup.dailyAt': setting(
    z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, fault('settings.not-a-time'))
      .nullable(),
    '02:30',
    'settings.backup-daily-at',
  ),
  'backup.everyMinutes': setting(
    z.int().min(5).max(1440).nullable(),
    null,
    'settings.backup-every-minutes',
  ),
  'backup.isContinuous': setting(z.boolean(), false, 'settings.backup-is-continuous'),
  'backup.keepDaily': setting(z.int().min(1).max(90), 7, 'settings.backup-keep-daily'),
  'backup.keepWeekly': setting(z.int().min(0).max(52), 4, 'settings.backup-keep-weekly'),
  'backup.keepMonthly': setting(z.int().min(0).max(60), 6, 'settings.backup-keep-monthly'),
  'update.isAutomatic': setting(z.boolean(), false, 'settings.update-is-automatic'),
  'update.at': setting(
    z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, fault('settings.not-a-time')),
    '03:30',
    'settings.update-at',
  ),
  'activity.retentionDays': setting(
    z.int().min(1).max(3650),
    30,
    'settings.activity-retention-days',
  ),
  'audit.collectorHost': setting(HostName.nullable(), null, 'settings.audit-collector-host'),
  'audit.collectorPort': setting(z.int().min(1).max(65_535), 6514, 'settings.audit-collector-port'),
  'audit.collectorAuthorities': setting(
    Pem.nullable(),
    null,
    'settings.audit-collector-authorities',
  ),
  'audit.collectorIdentity': setting(z.boolean(), false, 'settings.audit-collector-identity'),
  'mail.host': setting(HostName.nullable(), null, 'settings.mail-host'),
  'mail.port': setting(z.int().min(1).max(65_535), 587, 'settings.mail-port'),
  'mail.security': setting(
    z.enum(['starttls', 'tls', 'none']),
    'starttls',
    'settings.mail-security',
  ),
  'mail.user': setting(z.string().max(254).nullable(), null, 'settings.mail-user'),
  'mail.certificate': setting(Pem.nullable(), null, 'settings.mail-certificate'),
  'mail.from': setting(Email.nullable(), null, 'settings.mail-from'),
  'http.ratePerSecond': setting(
    z.number().min(1).max(1_000_000),
    100,
    'settings.http-rate-per-second',
  ),
  'http.rateBurst': setting(z.int().min(1).max(1_000_000), 500, 'settings.http-rate-burst'),
  'viewer.linkMinutes': setting(z.number().min(1).max(1440), 15, 'settings.viewer-link-minutes'),
  'viewer.sessionHours': setting(z.number().min(0.25).max(72), 12, 'settings.viewer-session-hours'),
  'viewer.idleMinutes': setting(Minutes(1440).min(1), 60, 'settings.viewer-idle-minutes'),
  'viewer.cacheGigabytes': setting(
    z.number().min(1).max(10_000),
    20,
    'settings.viewer-cache-gigabytes',
  ),
  'sandbox.isOn': setting(z.boolean(), false, 'settings.sandbox-is-on'),
  'dicomweb.isOn': setting(z.boolean(), false, 'settings.dicomweb-is-on'),
  'dicomweb.origins': setting(
    z
      .array(
        z.string().regex(/^https?:\/\/[A-Za-z0-9.:_[\]-]{1,253}$/, fault('settings.not-an-origin')),
      )
      .max(20),
    [],
    'settings.dicomweb-origins',
  ),
  'dicomweb.ratePerSecond': setting(
    z.number().min(1).max(1_000_000),
    1000,
    'settings.dicomweb-rate-per-second',
  ),
  'dicomweb.rateBurst': setting(
    z.int().min(1).max(1_000_000),
    10_000,
    'settings.dicomweb-rate-burst',
  ),
  'dicomweb.maxParallel': setting(z.int().min(1).max(1000), 50, 'settings.dicomweb-max-parallel'),
  'partner.plaintextHosts': setting(
    z.array(z.string().regex(/^[^/\s]+:\d{1,5}$/, fault('settings.not-host-and-port'))).max(50),
    [],
    'settings.partner-plaintext-hosts',
  ),
  'worklist.freshSeconds': setting(
    z.number().min(0).max(300),
    15,
    'settings.worklist-fresh-seconds',
  ),
  'worklist.budgetSeconds': setting(
    z.number().min(1).max(60),
    8,
    'settings.worklist-budget-seconds',
  ),
  'worklist.storedMinutes': setting(Minutes(1440), 15, 'settings.worklist-stored-minutes'),
  'worklist.downtimeHours': setting(
    z.number().min(0).max(24),
    12,
    'settings.worklist-downtime-hours',
  ),
  'worklist.daysBack': setting(z.int().min(0).max(31), 1, 'settings.worklist-days-back'),
  'worklist.daysForward': setting(z.int().min(0).max(31), 1, 'settings.worklist-days-forward'),
  'worklist.maxRows': setting(z.int().min(1).max(50_000), 10_000, 'settings.worklist-max-rows'),
  'worklist.closeOnImages': setting(z.boolean(), true, 'settings.worklist-close-on-images'),
  'intake.areas': setting(
    z
      .array(z.enum(STUDY_AREAS))
      .max(2)
      .refine((areas) => new Set(areas).size === areas.length, fault('settings.area-repeated')),
    ['scribe'],
    'settings.intake-areas',
  ),
  'intake.idleSeconds': setting(z.number().min(1).max(3600), 60, 'settings.intake-idle-seconds'),
  'intake.capMinutes': setting(Minutes(1440), 10, 'settings.intake-cap-minutes'),
  'intake.acceptUnknownClasses': setting(
    z.boolean(),
    false,
    'settings.intake-accept-unknown-classes',
  ),
  'intake.stepsOfOthers': setting(z.boolean(), false, 'settings.intake-steps-of-others'),
  'intake.warnGigabytes': setting(
    z.number().min(0).max(100_000),
    20,
    'settings.intake-warn-gigabytes',
  ),
  'intake.stopGigabytes': setting(
    z.number().min(0).max(100_000),
    5,
    'settings.intake-stop-gigabytes',
  ),
  'tiers.cacheGigabytes': setting(
    z.number().min(1).max(1_000_000),
    50,
    'settings.tiers-cache-gigabytes',
  ),
  'lifecycle.readBackPerHour': setting(
    z.int().min(1).max(1000),
    20,
    'settings.lifecycle-read-back-per-hour',
  ),
  'commitment.isOn': setting(z.boolean(), false, 'settings.commitment-is-on'),
  'forwarding.giveUpHours': setting(
    z.number().min(1).max(8760),
    72,
    'settings.forwarding-give-up-hours',
  ),
  'reports.paper': setting(z.enum(['A4', 'Letter']), 'A4', 'settings.reports-paper'),
  'reports.letterhead': setting(z.string().max(500), '', 'settings.reports-letterhead'),
  'reports.archiveCopies': setting(z.boolean(), true, 'settings.reports-archive-copies'),
  'reports.destinationId': setting(z.uuid().nullable(), null, 'settings.reports-destination-id'),
  'reports.lockSeconds': setting(z.int().min(15).max(600), 60, 'settings.reports-lock-seconds'),
  'criticals.communicateMinutes': setting(
    z.int().min(5).max(1440),
    60,
    'settings.criticals-communicate-minutes',
  ),
  'criticals.secondEscalationMinutes': setting(
    z.int().min(5).max(1440),
    30,
    'settings.criticals-second-escalation-minutes',
  ),
  'criticals.escalationAddresses': setting(
    z.array(Email).max(20),
    [],
    'settings.criticals-escalation-addresses',
  ),
  'dictation.isOn': setting(z.boolean(), false, 'settings.dictation-is-on'),
  'dictation.url': setting(
    z
      .url({ protocol: /^https?$/ })
      .max(500)
      .nullable(),
    null,
    'settings.dictation-url',
  ),
  'dictation.model': setting(
    z.string().trim().max(200).nullable(),
    null,
    'settings.dictation-model',
  ),
  'dictation.timeoutSeconds': setting(
    z.int().min(5).max(300),
    120,
    'settings.dictation-timeout-seconds',
  ),
  'partner.secretOverlapHours': setting(
    z.number().min(0).max(720),
    24,
    'settings.partner-secret-overlap-hours',
  ),
  'events.retentionDays': setting(z.int().min(1).max(3650), 30, 'settings.events-retention-days'),
  'inspector.retentionHours': setting(
    z.number().min(1).max(720),
    24,
    'settings.inspector-retention-hours',
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
