import { z } from 'zod'
import { SETTINGS, type Setting } from '#shared/contract/settings.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import type { Message } from '#shared/messages/message.ts'
import type { FieldFault } from '../../api/client.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { GROUPS, settingName } from './setting-names.ts'

export type JsonValue = z.infer<ReturnType<typeof z.json>>

/** A setting as the gateway gives it. */
export interface SettingRow {
  readonly key: string
  readonly value: JsonValue
  readonly initial: JsonValue
  readonly about: Message
  readonly needsRestart: boolean
}

export type FieldKind =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | {
      readonly kind: 'number'
      readonly min: number | null
      readonly max: number | null
      readonly isWhole: boolean
    }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'list' }
  | { readonly kind: 'zone' }
  | { readonly kind: 'id' }
  | { readonly kind: 'destination' }
  /** Several lines of text. */
  | { readonly kind: 'lines' }
  | { readonly kind: 'text'; readonly isNullable: boolean }
  /** Several lines, such as a certificate. */
  | { readonly kind: 'block' }

export interface SettingGroup {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly rows: readonly SettingRow[]
}

/** A text that may be this long is not of one line. */
const MIN_MULTILINE_CHARACTERS = 10_000

const byKey: Record<string, Setting | undefined> = SETTINGS

/**
 * Settings by the first part of their key, groups in the order of `GROUPS`, unknown groups last.
 */
export function groupsOf(rows: readonly SettingRow[]): SettingGroup[] {
  const names = [...new Set([...Object.keys(GROUPS), ...rows.map(groupNameOf)])]
  return names
    .map((name) => ({
      name,
      title: GROUPS[name]?.title ?? humanizedName(name),
      about: GROUPS[name]?.about ?? '',
      rows: rows.filter((row) => groupNameOf(row) === name),
    }))
    .filter((group) => group.rows.length > 0)
}

/** Settings that a clinic usually looks at; the others are advanced. */
const BASIC_SETTINGS: ReadonlySet<string> = new Set([
  ...['clinic.id', 'clinic.name', 'clinic.timeZone'],
  ...['worklist.storedMinutes', 'worklist.daysBack', 'worklist.daysForward'],
  ...['dimse.aeTitle', 'dimse.port', 'dimse.tlsPort', 'dimse.allowUnknownDevices'],
  ...['intake.areas', 'intake.warnGigabytes', 'intake.stopGigabytes'],
  ...['commitment.isOn', 'https.isOn', 'https.port', 'window.lockMinutes'],
  ...['reports.paper', 'reports.letterhead', 'reports.archiveCopies', 'reports.destinationId'],
  ...['dictation.isOn', 'dictation.url', 'dictation.model'],
  ...['criticals.communicateMinutes', 'criticals.escalationAddresses'],
  ...['oidc.isOn', 'oidc.name', 'oidc.issuer', 'oidc.clientId', 'oidc.accounts'],
  ...['oidc.groupsClaim', 'oidc.windowGroups', 'oidc.studyGroups'],
  ...['oidc.reportGroups', 'oidc.adminGroups'],
  ...['otlp.isOn', 'otlp.url', 'otlp.logLevel'],
  ...['mail.host', 'mail.port', 'mail.security', 'mail.user', 'mail.from'],
  ...['dicomweb.isOn', 'dicomweb.origins'],
  ...['viewer.linkMinutes', 'viewer.sessionHours', 'update.isAutomatic', 'update.at'],
  ...['audit.collectorHost', 'audit.collectorPort'],
  ...['backup.folder', 'backup.dailyAt', 'backup.everyMinutes', 'backup.isContinuous'],
])

/**
 * The settings to show. What is searched for is found among all of them, by name, description and
 * key, whatever the case and the accents; without a search advanced settings are left out unless
 * they are wanted or differ from their initial value.
 */
export function filterSettings(
  rows: readonly SettingRow[],
  { search, isAdvanced }: { readonly search: string; readonly isAdvanced: boolean },
): readonly SettingRow[] {
  const words = foldText(search).split(/\s+/).filter(Boolean)
  if (words.length > 0)
    return rows.filter((row) => {
      const text = foldText(`${labelOf(row.key)} ${translateMessage(row.about)} ${row.key}`)
      return words.every((word) => text.includes(word))
    })
  const isShownByDefault = ({ key, value, initial }: SettingRow) =>
    BASIC_SETTINGS.has(key) || JSON.stringify(value) !== JSON.stringify(initial)
  return isAdvanced ? rows : rows.filter(isShownByDefault)
}

const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

/** The name of a setting: from the table, else its key as words. */
export const labelOf = (key: string): string =>
  settingName(key) ?? humanizedName(key.slice(key.indexOf('.') + 1))

/**
 * How a setting is edited: read off its schema, or off its value where this window does not know
 * the key.
 */
export function kindOf(row: SettingRow): FieldKind {
  if (row.key === 'clinic.timeZone') return { kind: 'zone' }
  if (row.key === 'clinic.id') return { kind: 'id' }
  if (row.key === 'reports.destinationId') return { kind: 'destination' }
  if (row.key === 'reports.letterhead') return { kind: 'lines' }
  const schema = byKey[row.key]?.schema
  const isNullable = schema instanceof z.ZodNullable
  const inner = isNullable ? schema.unwrap() : schema
  if (inner instanceof z.ZodBoolean || (inner === undefined && typeof row.value === 'boolean'))
    return { kind: 'switch' }
  if (inner instanceof z.ZodEnum) return { kind: 'choice', options: inner.options.map(String) }
  if (inner instanceof z.ZodArray && inner.element instanceof z.ZodEnum)
    return { kind: 'choices', options: inner.element.options.map(String) }
  if (inner instanceof z.ZodArray || (inner === undefined && Array.isArray(row.value)))
    return { kind: 'list' }
  if (inner instanceof z.ZodNumber)
    return { kind: 'number', min: inner.minValue, max: inner.maxValue, isWhole: inner.isInt }
  if (inner === undefined && typeof row.value === 'number')
    return { kind: 'number', min: null, max: null, isWhole: false }
  if (inner instanceof z.ZodString && (inner.maxLength ?? 0) >= MIN_MULTILINE_CHARACTERS)
    return { kind: 'block' }
  return { kind: 'text', isNullable: isNullable || row.value === null }
}

/**
 * Fault of a value in words, or undefined. A key this window does not know is left to the gateway
 * to judge.
 */
export function faultOf(key: string, value: JsonValue): string | undefined {
  const parsed = byKey[key]?.schema.safeParse(value)
  const [issue] = parsed?.error?.issues ?? []
  return issue && translateMessage(issueMessage(issue))
}

/** The settings whose value is not the gateway's any more. */
export function changesOf(
  rows: readonly SettingRow[],
  edited: Readonly<Record<string, JsonValue>>,
): Record<string, JsonValue> {
  return Object.fromEntries(
    rows
      .filter(
        (row) => row.key in edited && JSON.stringify(edited[row.key]) !== JSON.stringify(row.value),
      )
      .map((row) => [row.key, edited[row.key] ?? null]),
  )
}

/** Faults of a refused change by setting: `body.settings.dimse.port` is that of `dimse.port`. */
export function faultsBySetting(errors: readonly FieldFault[]): Record<string, string> {
  const faults: Record<string, string> = {}
  for (const { path, explanation } of errors) {
    const settingPath = path.replace(/^(body\.)?(settings\.)?/, '')
    const key =
      Object.keys(SETTINGS).find(
        (one) => settingPath === one || settingPath.startsWith(`${one}.`),
      ) ?? settingPath
    faults[key] ??= translateMessage(explanation)
  }
  return faults
}

const groupNameOf = (row: SettingRow) => row.key.split('.')[0] ?? ''

function humanizedName(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Whether a change lets other PCs reach the listener without TLS, which is meant for this PC alone.
 */
export function opensPlainListener(changes: Readonly<Record<string, JsonValue>>): boolean {
  const host = changes['http.host']
  return typeof host === 'string' && !/^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host.trim())
}
