import { homedir, hostname } from 'node:os'
import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { listEndpoints } from '#server/modules/partners/queries.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '#shared/contract/settings.ts'

/** Takes out of texts that leave the clinic what says where they are from. */
export interface Masking {
  /** A text with names, addresses, secrets and what looks like one of them masked. */
  text(text: string): string
  /** The same name for the same value, such as `device 2`; nothing for nothing. */
  alias(kind: 'device' | 'caller' | 'address' | 'endpoint', value: string): string
}

/** Values of settings that say nothing about a clinic; hosts are masked as every text is. */
const PLAIN: readonly SettingKey[] = [
  ...([
    'clinic.timeZone',
    'backup.dailyAt',
    'update.at',
    'http.host',
    'https.host',
    'dimse.host',
  ] as const),
]
/** Shorter values are parts of words. */
const LEAST = 3

/** Ids and names of backups, which say nothing outside. */
const OWN_ID =
  /^(?:(?:cus|usr|stu|rep|inv|whe|org)_[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|isthmus-[\d-]{17}Z)$/
// UIDs that DICOM itself gave say nothing about anybody (PS3.5 §9).
const FOREIGN_UID = /(?<![\d.])(?!1\.2\.840\.10008\.)[0-2](?:\.\d+){4,}/g
const isOfThisPc = (address: string) => /^(?:127\.|0\.0\.0\.0$|::1$|::$)/.test(address)

const URLS = /\b(?:https?|wss?):\/\/[^\s"'<>)]+/gi
// PS3.5 §6.2.1: a person's name has carets.
const NAMES = /[\p{L}\p{M}'’.-]+(?:\^[\p{L}\p{M}'’. -]*)+/gu

/** In this order: what a later one takes for its own is gone. */
const FORMS: readonly (readonly [form: RegExp, put: string | ((found: string) => string)])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, '(PEM)'],
  [/\b(?:Bearer|Basic)\s+[\w.~+/=-]+/gi, '(credentials)'],
  [/\bwhsec_[\w+/=-]+/g, '(secret)'],
  // Up to the end of what was said with it: a password may have spaces.
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
  // As a clinic numbers patients and exams, and a day without hyphens (PS3.5 DA).
  [/\b(?!isthmus-\d)[A-Za-z]{1,10}[-_]?\d{4,}\b/g, '(number)'],
  [/\b(?:19|20)\d{6}\b/g, '(day)'],
  // Long and with digits: a key, a token, a hash.
  [/[\w+/=-]{20,}/g, (long) => (OWN_ID.test(long) || !/\d/.test(long) ? long : '(masked)')],
]

/** @param context names of the clinic's own things are looked for in every text */
export function maskingOf(context: Context): Masking {
  const aliases = new Map<string, string>()
  const named = new Map<string, number>()
  const places: readonly (readonly [value: string, put: string])[] = [
    [context.folder, '(data folder)'],
    [context.settings.get('backup.folder') ?? '', '(backup folder)'],
    [homedir(), '(home)'],
    [hostname(), '(this PC)'],
  ]
  const written = knownValues(context).filter((value) => value.length >= LEAST)
  const puts = new Map([
    ...written.map((value) => [value, '(masked)'] as const),
    ...places.filter(([value]) => value.length > 1),
  ])
  // The longest first: it may have another in it.
  const values = [...puts.keys()].sort((a, b) => b.length - a.length)
  const known = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${values.map(escaped).join('|')})(?![\\p{L}\\p{N}])`,
    'gu',
  )
  return {
    text(text) {
      // Whole, before a part of it is masked and it is none any more.
      const without = text
        .replace(URLS, urlOf)
        .replace(NAMES, '(name)')
        .replace(known, (found) => puts.get(found) ?? '(masked)')
      return FORMS.reduce(
        (so, [form, put]) =>
          so.replace(form, (found) => (typeof put === 'string' ? put : put(found))),
        without,
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
 * How a setting is told: numbers, switches and choices as they are, a text by its length, unless
 * nobody set it.
 */
export function maskedSetting(key: SettingKey, value: unknown, masking: Masking): string {
  const { initial, schema } = SETTINGS[key]
  if (JSON.stringify(value) === JSON.stringify(initial))
    return `${JSON.stringify(value)} (first value)`
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || isChosen(schema))
    return JSON.stringify(value)
  if (PLAIN.includes(key)) return masking.text(JSON.stringify(value))
  if (Array.isArray(value)) return `(${value.length} ${value.length === 1 ? 'value' : 'values'})`
  return `(set, ${String(value).length} characters)`
}

const isChosen = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodEnum ||
  (schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum)

/**
 * What people of the clinic have written: names and addresses of their things and of themselves.
 */
function knownValues(context: Context): string[] {
  const ofSettings = SETTING_KEYS.filter(
    (key) => !PLAIN.includes(key) && !isChosen(SETTINGS[key].schema),
  ).flatMap((key) => {
    const value: unknown = context.settings.get(key)
    const isSet = JSON.stringify(value) !== JSON.stringify(SETTINGS[key].initial)
    return isSet ? [value].flat().filter((one) => typeof one === 'string') : []
  })
  return [
    ...ofSettings.flatMap((text) => text.split('\n')),
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
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Of an address, whether it is of this PC, and its port. */
function urlOf(url: string): string {
  if (!URL.canParse(url)) return '(URL)'
  const { protocol, hostname: host, port } = new URL(url)
  return isOfThisPc(host.replace(/^\[|\]$/g, '')) || host === 'localhost'
    ? `${protocol}//${host}${port && `:${port}`}/`
    : `${protocol}//(elsewhere)/`
}
