import { auditFaultSentence } from '#server/modules/audit/audit-trail.ts'
import type { UndeliveredReports } from '#server/modules/reports/report-delivery.ts'
import { clinicDay, wallClock } from '#server/platform/clinic-day.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { AuditCheck, PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import type { Downtime, PartnerFault } from '#shared/contract/worklist.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'

export interface BannerState {
  /** Started with `serve --safe-mode`. */
  readonly isSafe?: boolean | undefined
  readonly listeners: Status['listeners']
  readonly partner: PartnerStatus
  readonly downtime: Downtime
  readonly storage: Status['storage']
  readonly records?: Status['records']
  /** Result of the last complete verification of the audit trail. */
  readonly audit?: Pick<AuditCheck, 'finding' | 'firstBadSeq' | 'missing'> | undefined
  readonly undelivered?: UndeliveredReports | undefined
  /** How the data key is stored, if the desktop app has reported it. */
  readonly keyStore?: KeyStoreState | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  /** IANA name of the clinic's time zone. */
  readonly timeZone: string
  /** `worklist.storedMinutes`: maximum age of a stored worklist response outside downtime mode. */
  readonly storedMinutes: number
  /** `worklist.downtimeHours`: maximum age of a stored worklist response in downtime mode. */
  readonly downtimeHours: number
}

// Descriptions of the partner's faults. Each is the start of a sentence that continues with "since
// 10:42".
const PARTNER_FAULTS: Readonly<Record<PartnerFault, Message>> = {
  'no-endpoint': message('dashboard.partner-unset'),
  unreachable: message('dashboard.partner-unreachable'),
  timeout: message('dashboard.partner-late'),
  status: message('dashboard.partner-error'),
  oversize: message('dashboard.partner-answer-too-large'),
  invalid: message('dashboard.partner-answer-unreadable'),
  refused: message('dashboard.partner-refuses'),
  'circuit-open': message('dashboard.partner-unreachable'),
  'forbidden-address': message('dashboard.partner-address-forbidden'),
}

type Banner = NonNullable<Status['banner']>

/**
 * The banner of the window: the most severe problem in one or two sentences; `null` if there is
 * none.
 */
export const bannerOf = (situation: BannerState): Status['banner'] =>
  bannersOf(situation)[0] ?? null

/** All current problems, most severe first. */
export function bannersOf(situation: BannerState): Banner[] {
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

function safeModeBanner({ isSafe }: BannerState): Status['banner'] {
  return isSafe ? { tone: 'danger', text: message('dashboard.safe-mode') } : null
}

// Most severe first. Of several listeners that are down, the first of these is reported.
const LISTENER_LABELS: Readonly<Record<Status['listeners'][number]['name'], Message>> = {
  dimse: message('dashboard.dimse-down'),
  'dimse-tls': message('dashboard.dimse-tls-down'),
  http: message('dashboard.http-down'),
  https: message('dashboard.https-down'),
}

const PORT_USED: readonly string[] = ['http.port-used', 'http.port-used-by']

function listenerBanner({ listeners }: BannerState): Status['banner'] {
  const order = Object.keys(LISTENER_LABELS)
  const [down] = listeners
    .filter((listener) => !listener.isUp)
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  if (!down) return null
  const what = LISTENER_LABELS[down.name]
  // Everyone reads the banner. The reason names processes and options, and is for administrators.
  const isPortUsed = PORT_USED.includes(down.detail?.code ?? '')
  return {
    tone: 'danger',
    text: isPortUsed
      ? message('dashboard.listener-port-used', { what })
      : message('dashboard.listener-down', { what }),
  }
}

function storageBanner(
  { storage: { state, detail } }: BannerState,
  states: readonly Status['storage']['state'][],
): Status['banner'] {
  if (!states.includes(state) || !detail) return null
  if (state === 'low') return { tone: 'warning', text: detail }
  // Images that could not be received exist only on the device.
  return { tone: 'danger', text: message('dashboard.devices-keep-images', { why: detail }) }
}

function recordsBanner({ records }: BannerState): Status['banner'] {
  return records?.detail ? { tone: 'danger', text: records.detail } : null
}

function auditBanner({ audit }: BannerState): Status['banner'] {
  const what = audit && auditFaultSentence(audit)
  return what ? { tone: 'danger', text: message('dashboard.audit-broken', { what }) } : null
}

function partnerBanner(situation: BannerState): Status['banner'] {
  const { partner, downtime, timeZone, now } = situation
  if (partner.state !== 'down' && partner.state !== 'refusing') return null
  const what =
    PARTNER_FAULTS[partner.fault ?? (partner.state === 'refusing' ? 'refused' : 'unreachable')]
  const fault = partner.downSince
    ? message('dashboard.partner-fault-since', {
        what,
        since: timeText(partner.downSince, timeZone, now),
      })
    : message('dashboard.partner-fault', { what })
  // A refusal is a response, so older stored responses are not used.
  if (partner.state === 'refusing')
    return { tone: 'danger', text: sentences(fault, message('dashboard.no-worklist')) }
  if (!partner.lastOkAt)
    return { tone: 'danger', text: sentences(fault, message('dashboard.no-earlier-answer')) }

  const ageMs = Math.max(0, now - Date.parse(partner.lastOkAt))
  const [at, age] = [timeText(partner.lastOkAt, timeZone, now), ageText(ageMs)]
  // The maximum age is `storedMinutes`, or `downtimeHours` in downtime mode. In downtime mode, the
  // response must also be from the same day.
  const isFresh = ageMs <= situation.storedMinutes * 60_000
  const isFreshInDowntime =
    ageMs <= situation.downtimeHours * 3_600_000 && isSameDay(partner.lastOkAt, now, timeZone)
  if (isFresh || (isFreshInDowntime && downtime.isOn)) {
    const storedAnswerMessage = message('dashboard.stored-answer', { at, age })
    return { tone: 'warning', text: sentences(fault, storedAnswerMessage, downtimeText(situation)) }
  }
  const remedy = isFreshInDowntime ? message('dashboard.downtime-serves-longer') : undefined
  const tooOldMessage = message('dashboard.stored-answer-too-old', { at, age })
  return { tone: 'danger', text: sentences(fault, tooOldMessage, remedy) }
}

function switchedOffBanner({ undelivered }: BannerState): Status['banner'] {
  const [off] = undelivered?.disabledEndpoints ?? []
  if (!off) return null
  const { name: endpoint, reason } = off
  return { tone: 'danger', text: message('dashboard.reports-wait', { endpoint, reason }) }
}

function undeliveredBanner({ undelivered, timeZone, now }: BannerState): Status['banner'] {
  if (!undelivered?.since) return null
  const { count, fault: why } = undelivered
  const since = timeText(undelivered.since, timeZone, now)
  return {
    tone: 'danger',
    text: why
      ? message('dashboard.reports-undelivered-because', { count, since, why })
      : message('dashboard.reports-undelivered', { count, since }),
  }
}

function downtimeBanner(situation: BannerState): Status['banner'] {
  const on = downtimeText(situation)
  return on ? { tone: 'warning', text: sentences(on, message('dashboard.downtime-ends')) } : null
}

// If Linux has no key ring, Electron's safeStorage uses a fixed password (`basic_text`), which does
// not protect the key.
const KEY_STORES: Partial<Record<KeyStoreState, Message>> = {
  basic: message('dashboard.key-ring-protects-nothing'),
  none: message('dashboard.no-key-store'),
}

function keyStoreBanner({ keyStore }: BannerState): Status['banner'] {
  const text = keyStore && KEY_STORES[keyStore]
  return text === undefined ? null : { tone: 'warning', text }
}

function downtimeText({ downtime, timeZone, now }: BannerState): Message | undefined {
  const { isOn, since, until, userName } = downtime
  if (!isOn || !since || !until) return undefined
  return message('dashboard.downtime-on', {
    since: timeText(since, timeZone, now),
    userName,
    until: timeText(until, timeZone, now),
  })
}

/** `10:42` for today, `19 Nov, 10:42` for another day, in the clinic's time zone. */
export function timeText(instant: Instant, timeZone: string, now: number): string | Message {
  const clock = wallClock(Date.parse(instant), timeZone)
  const time = clock.time.slice(0, 5)
  if (isSameDay(instant, now, timeZone)) return time
  const [, month = 0, day = 0] = clock.day.split('-').map(Number)
  return message('dashboard.day-and-time', { day, month, time })
}

const isSameDay = (instant: Instant, now: number, timeZone: string): boolean =>
  clinicDay(Date.parse(instant), timeZone) === clinicDay(now, timeZone)

function ageText(ms: number): Message {
  const minutes = Math.floor(ms / 60_000)
  return minutes < 120
    ? message('dashboard.minutes', { minutes })
    : message('dashboard.hours', { hours: Math.floor(minutes / 60) })
}
