import { homedir, hostname } from 'node:os'
import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { listEndpoints } from '#server/modules/partners/queries.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '#shared/contract/settings.ts'

/** Removes what identifies the clinic from texts that leave it. */
export interface Masking {
  /** Masks names, addresses, secrets and everything that looks like one of them. */
  text(text: string): string
  /** Returns the same alias for the same value, such as `device 2`; empty for an empty value. */
  alias(kind: 'device' | 'caller' | 'address' | 'endpoint', value: string): string
}

/**
 * Settings whose values do not identify a clinic. Hosts in them are masked like in any other text.
 */
const UNMASKED_SETTINGS: readonly SettingKey[] = [
  ...([
    'clinic.timeZone',
    'backup.dailyAt',
    'update.at',
    'http.host',
    'https.host',
    'dimse.host',
  ] as const),
]
/** Shorter values would match parts of words. */
const MIN_VALUE_LENGTH = 3

/** Ids and names of backups, which are meaningless outside the clinic. */
const MEANINGLESS_ID =
  /^(?:(?:cus|usr|stu|rep|inv|whe|org)_[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|isthmus-[\d-]{17}Z)$/
// UIDs under the DICOM root do not identify anything (PS3.5 §9).
const FOREIGN_UID = /(?<![\d.])(?!1\.2\.840\.10008\.)[0-2](?:\.\d+){4,}/g
const isOfThisPc = (address: string) => /^(?:127\.|0\.0\.0\.0$|::1$|::$)/.test(address)

const URL_PATTERN = /\b(?:https?|wss?):\/\/[^\s"'<>)]+/gi
// PS3.5 §6.2.1: the components of a person name are separated by carets.
const PERSON_NAMES = /[\p{L}\p{M}'’.-]+(?:\^[\p{L}\p{M}'’. -]*)+/gu

/** Applied in this order; each pattern sees the output of the previous ones. */
const MASKING_PATTERNS: readonly (readonly [
  form: RegExp,
  put: string | ((found: string) => string),
])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, '(PEM)'],
  [/\b(?:Bearer|Basic)\s+[\w.~+/=-]+/gi, '(credentials)'],
  [/\bwhsec_[\w+/=-]+/g, '(secret)'],
  // Up to the end of the line, because a password may contain spaces.
  [
    /\b(pass(?:word|phrase)?|secret|token|api[-_ ]?key|recovery[-_ ]?key|authorization|cookie)("?\s*[:=]\s*).+/gi,
    '(secret)',
  ],
  [/\b(?:[0-9A-Z]{4}-){7}[0-9A-Z]{4}\b/gi, '(recovery key)'],
  [/[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu, '(e-mail)'],
  [FOREIGN_UID, (uid) => (isOfThisPc(uid) ? uid : '(UID)')],
  [
    /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g,
    (address) => (isOfThisPc(address) ? address : '(address)'),
  ],
  [
    /(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f:]*[0-9a-f](?![\w:])|(?<![\w:])fe80::[0-9a-f:%\w]+/gi,
    '(address)',
  ],
  // Typical patient and accession numbers, and dates without hyphens (PS3.5 DA).
  [/\b(?!isthmus-\d)[A-Za-z]{1,10}[-_]?\d{4,}\b/g, '(number)'],
  [/\b(?:19|20)\d{6}\b/g, '(day)'],
  // Long strings with digits: keys, tokens, hashes.
  [/[\w+/=-]{20,}/g, (long) => (MEANINGLESS_ID.test(long) || !/\d/.test(long) ? long : '(masked)')],
]

/**
 * Returns a masking for the clinic of the context.
 * @param context the names of its devices, partners and users are masked in every text
 */
export function maskingOf(context: Context): Masking {
  const aliases = new Map<string, string>()
  const named = new Map<string, number>()
  const places: readonly (readonly [value: string, put: string])[] = [
    [context.folder, '(data folder)'],
    [context.settings.get('backup.folder') ?? '', '(backup folder)'],
    [homedir(), '(home)'],
    [hostname(), '(this PC)'],
  ]
  const written = enteredValues(context).filter((value) => value.length >= MIN_VALUE_LENGTH)
  const replacements = new Map([
    ...written.map((value) => [value, '(masked)'] as const),
    ...places.filter(([value]) => value.length > 1),
  ])
  // Longest first, because a value may contain another one.
  const values = [...replacements.keys()].sort((a, b) => b.length - a.length)
  const known = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${values.map(escapeRegExp).join('|')})(?![\\p{L}\\p{N}])`,
    'gu',
  )
  return {
    text(text) {
      // These match whole values, so they must run before a part of a value is masked.
      const maskedValues = text
        .replace(URL_PATTERN, maskUrl)
        .replace(PERSON_NAMES, '(name)')
        .replace(known, (found) => replacements.get(found) ?? '(masked)')
      return MASKING_PATTERNS.reduce(
        (so, [form, put]) =>
          so.replace(form, (found) => (typeof put === 'string' ? put : put(found))),
        maskedValues,
      )
    },
    alias(kind, value) {
      if (value === '') return ''
      const key = `${kind} ${value}`
      const found = aliases.get(key)
      if (found !== undefined) return found
      const number = (named.get(kind) ?? 0) + 1
      named.set(kind, number)
      aliases.set(key, `${kind} ${number}`)
      return `${kind} ${number}`
    },
  }
}

/**
 * Formats the value of a setting: numbers, booleans and choices unchanged, a text as its length,
 * unless it is the default.
 */
export function maskedSetting(key: SettingKey, value: unknown, masking: Masking): string {
  const { initial, schema } = SETTINGS[key]
  if (JSON.stringify(value) === JSON.stringify(initial))
    return `${JSON.stringify(value)} (first value)`
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || isChoice(schema))
    return JSON.stringify(value)
  if (UNMASKED_SETTINGS.includes(key)) return masking.text(JSON.stringify(value))
  if (Array.isArray(value)) return `(${value.length} ${value.length === 1 ? 'value' : 'values'})`
  return `(set, ${String(value).length} characters)`
}

const isChoice = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodEnum ||
  (schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum)

/** Values that users entered: names and addresses of devices, partners and users. */
function enteredValues(context: Context): string[] {
  const settingValues = SETTING_KEYS.filter(
    (key) => !UNMASKED_SETTINGS.includes(key) && !isChoice(SETTINGS[key].schema),
  ).flatMap((key) => {
    const value: unknown = context.settings.get(key)
    const isSet = JSON.stringify(value) !== JSON.stringify(SETTINGS[key].initial)
    return isSet ? [value].flat().filter((one) => typeof one === 'string') : []
  })
  return [
    ...settingValues.flatMap((text) => text.split('\n')),
    ...listDevices(context.database).flatMap(({ name, aeTitle, address }) => [
      name,
      aeTitle,
      address ?? '',
    ]),
    ...listUnknownCallers(context.database).flatMap(({ aeTitle, address }) => [aeTitle, address]),
    ...listDestinations(context.database).flatMap(({ name, aeTitle, host }) => [
      name,
      aeTitle,
      host,
    ]),
    ...listEndpoints(context.database).flatMap(({ name, url }) => [name, hostOf(url)]),
    ...allUsers(context.database).flatMap(({ email, firstName, lastName }) => [
      email,
      firstName,
      lastName,
    ]),
  ]
    .map((text) => text.trim())
    .filter((text) => text !== '' && !isOfThisPc(text))
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')
const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Keeps only whether the host is this PC, and in that case the port. */
function maskUrl(url: string): string {
  if (!URL.canParse(url)) return '(URL)'
  const { protocol, hostname: host, port } = new URL(url)
  return isOfThisPc(host.replace(/^\[|\]$/g, '')) || host === 'localhost'
    ? `${protocol}//${host}${port && `:${port}`}/`
    : `${protocol}//(elsewhere)/`
}
