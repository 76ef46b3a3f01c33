import { auditFaultSentence } from '#server/modules/audit/audit-trail.ts'
import { clinicDay, wallClock } from '#server/platform/clinic-day.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { AuditCheck, PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import type { Downtime, PartnerFault } from '#shared/contract/worklist.ts'
import type { UndeliveredReports } from './ports.ts'

export interface Situation {
  /** `serve --safe-mode`. */
  readonly isSafe?: boolean | undefined
  readonly listeners: Status['listeners']
  readonly partner: PartnerStatus
  readonly downtime: Downtime
  readonly storage: Status['storage']
  readonly records?: Status['records']
  /** What the last whole look at the audit trail found. */
  readonly audit?: Pick<AuditCheck, 'finding' | 'firstBadSeq' | 'missing'> | undefined
  readonly undelivered?: UndeliveredReports | undefined
  /** How the data key is kept, where the desktop app said so. */
  readonly keyStore?: KeyStoreState | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  /** IANA name of the clinic's time zone. */
  readonly timeZone: string
  /** `worklist.storedMinutes`: how old a stored answer may be outside downtime. */
  readonly storedMinutes: number
  /** `worklist.downtimeHours`: how old it may be in downtime. */
  readonly downtimeHours: number
}

// What is wrong with the partner, as the beginning of a sentence that goes on "since 10:42".
const FAULT_WORDS: Record<PartnerFault, string> = {
  'no-endpoint': 'No partner is set',
  unreachable: 'Partner unreachable',
  timeout: 'Partner does not answer in time',
  status: 'Partner answers with an error',
  oversize: 'Partner sends answers that are too large',
  invalid: 'Partner sends answers that cannot be read',
  refused: 'Partner refuses worklist queries',
  'circuit-open': 'Partner unreachable',
  'forbidden-address': 'Partner has an address that is not allowed',
}

type Banner = NonNullable<Status['banner']>

/**
 * The line across the window: the gravest thing that is wrong, in one or two sentences; null when
 * all is well.
 */
export const bannerOf = (situation: Situation): Status['banner'] => bannersOf(situation)[0] ?? null

/** Everything that is wrong, the gravest first. */
export function bannersOf(situation: Situation): Banner[] {
  return [
    safeModeBanner(situation),
    listenerBanner(situation),
    recordsBanner(situation),
    storageBanner(situation, ['full', 'read-only']),
    auditBanner(situation),
    switchedOffBanner(situation),
    partnerBanner(situation),
    undeliveredBanner(situation),
    storageBanner(situation, ['low']),
    downtimeBanner(situation),
    keyStoreBanner(situation),
  ].filter((banner) => banner !== null)
}

function safeModeBanner({ isSafe }: Situation): Status['banner'] {
  if (!isSafe) return null
  return {
    tone: 'danger',
    text: 'The gateway is in safe mode: devices are not served and nothing is sent. Start it again when the cause is found.',
  }
}

// Gravest first: of several listeners that are down, the first of these is named.
const LISTENERS = {
  dimse: 'No device can reach the gateway: its DICOM listener is down',
  'dimse-tls': 'No device can reach the gateway by TLS: its DICOM TLS listener is down',
  http: 'The HTTP listener is down',
  https: 'Other PCs cannot open the window: its HTTPS listener is down',
} as const satisfies Record<Status['listeners'][number]['name'], string>

function listenerBanner({ listeners }: Situation): Status['banner'] {
  const order = Object.keys(LISTENERS)
  const [down] = listeners
    .filter((listener) => !listener.isUp)
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  if (!down) return null
  const what = LISTENERS[down.name]
  return { tone: 'danger', text: down.detail ? `${what} (${down.detail}).` : `${what}.` }
}

function storageBanner(
  { storage }: Situation,
  states: readonly Status['storage']['state'][],
): Status['banner'] {
  if (!states.includes(storage.state)) return null
  if (storage.state === 'low') return { tone: 'warning', text: storage.detail }
  // What a device could not send is on that device alone.
  return { tone: 'danger', text: `${storage.detail} Devices keep theirs until this is mended.` }
}

function recordsBanner({ records }: Situation): Status['banner'] {
  return records && records.state !== 'ok' ? { tone: 'danger', text: records.detail } : null
}

function auditBanner({ audit }: Situation): Status['banner'] {
  const text = audit && auditFaultSentence(audit)
  return text === undefined
    ? null
    : { tone: 'danger', text: `${text} Keep a copy of the data folder and tell the vendor.` }
}

function partnerBanner(situation: Situation): Status['banner'] {
  const { partner, downtime, timeZone, now } = situation
  if (partner.state !== 'down' && partner.state !== 'refusing') return null
  const fault =
    FAULT_WORDS[partner.fault ?? (partner.state === 'refusing' ? 'refused' : 'unreachable')]
  const since = partner.downSince ? ` since ${timeText(partner.downSince, timeZone, now)}` : ''
  // A refusal is an answer; what was stored before it is not served.
  if (partner.state === 'refusing')
    return { tone: 'danger', text: `${fault}${since}. Devices get no worklist.` }
  if (!partner.lastOkAt)
    return {
      tone: 'danger',
      text: `${fault}${since}. There is no earlier answer: devices get no worklist.`,
    }

  const ageMs = Math.max(0, now - Date.parse(partner.lastOkAt))
  const age = `${timeText(partner.lastOkAt, timeZone, now)} (${ageText(ageMs)} old)`
  // By age: minutes by itself, hours in downtime mode, an answer of another
  // day never.
  const isYoung = ageMs <= situation.storedMinutes * 60_000
  const isForDowntime =
    ageMs <= situation.downtimeHours * 3_600_000 && isSameDay(partner.lastOkAt, now, timeZone)
  if (isYoung || (isForDowntime && downtime.isOn)) {
    const mode = downtime.isOn ? ` ${downtimeText(situation)}` : ''
    return { tone: 'warning', text: `${fault}${since}. Worklists come from ${age}.${mode}` }
  }
  const remedy = isForDowntime ? ' Downtime mode serves it for longer.' : ''
  return {
    tone: 'danger',
    text: `${fault}${since}. The last answer is from ${age}, too old to serve: devices get no worklist.${remedy}`,
  }
}

function switchedOffBanner({ undelivered }: Situation): Status['banner'] {
  const [off] = undelivered?.switchedOff ?? []
  if (!off) return null
  return {
    tone: 'danger',
    text: `Reports for ${off.name} wait. ${off.reason} Switch it on again, or enter its new address, under Partner.`,
  }
}

function undeliveredBanner({ undelivered, timeZone, now }: Situation): Status['banner'] {
  if (!undelivered?.since) return null
  const { count, since, fault } = undelivered
  const what =
    count === 1 ? 'A signed report has not reached' : `${count} signed reports have not reached`
  const why = fault === null ? '' : ` (${fault})`
  return {
    tone: 'danger',
    text: `${what} the partner since ${timeText(since, timeZone, now)}${why}. ${count === 1 ? 'It is' : 'They are'} tried again by ${count === 1 ? 'itself' : 'themselves'}; tell the partner by phone what cannot wait.`,
  }
}

function downtimeBanner(situation: Situation): Status['banner'] {
  return situation.downtime.isOn
    ? { tone: 'warning', text: `${downtimeText(situation)} It ends with the next live answer.` }
    : null
}

// Electron falls back to a fixed password where Linux has no key ring (safeStorage, `basic_text`):
// that is no protection.
const KEY_STORES: Partial<Record<KeyStoreState, string>> = {
  basic:
    'This account has no key ring that protects anything: the data key stays in a plain file. Settings, Readiness says what to do.',
  none: 'This account has no key store: the data key stays in a plain file. Settings, Readiness says what to do.',
}

function keyStoreBanner({ keyStore }: Situation): Status['banner'] {
  const text = keyStore && KEY_STORES[keyStore]
  return text === undefined ? null : { tone: 'warning', text }
}

function downtimeText({ downtime, timeZone, now }: Situation): string {
  const since = downtime.since ? ` since ${timeText(downtime.since, timeZone, now)}` : ''
  const until = downtime.until
    ? `, until ${timeText(downtime.until, timeZone, now)} at the latest`
    : ''
  return `Downtime mode is on${since}${downtime.userName && ` (${downtime.userName})`}${until}.`
}

/** `10:42` today, `19 Nov 10:42` on another day, in the clinic's time zone. */
export function timeText(instant: Instant, timeZone: string, now: number): string {
  const at = Date.parse(instant)
  const time = wallClock(at, timeZone).time.slice(0, 5)
  if (isSameDay(instant, now, timeZone)) return time
  return `${new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short' }).format(at)} ${time}`
}

const isSameDay = (instant: Instant, now: number, timeZone: string): boolean =>
  clinicDay(Date.parse(instant), timeZone) === clinicDay(now, timeZone)

function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'under a minute'
  if (minutes < 120) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h`
}
