import type { Exam, ExamCheck } from '#shared/contract/dashboard-exams.ts'
import type { Device, UnknownCaller } from '#shared/contract/devices.ts'
import type { Inspection, InspectionSummary, RowVerdict } from '#shared/contract/worklist.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'

/**
 * All that the checks look at. Instants are as recorded; `day`, `today` are `YYYY-MM-DD` in the
 * clinic.
 */
export interface Findings {
  readonly device: Device
  readonly day: string
  readonly today: string
  /** The gateway's own AE title, and how an instant reads in the clinic: `2026-11-20 09:00`. */
  readonly ownAeTitle: string
  readonly clockOf: (instant: string) => string
  readonly callers: readonly UnknownCaller[]
  readonly lastRejection: { readonly at: string; readonly why: Message } | undefined
  /** The last query of the device itself, as far as queries are kept, and its keys. */
  readonly last: InspectionSummary | undefined
  readonly lastKeys: Inspection['keys']
  /** Asked now with the keys of its last query. */
  readonly own: Inspection
  /** Asked now for all of the day. */
  readonly wide: Inspection
  readonly inOwn: RowVerdict | undefined
  readonly inWide: RowVerdict | undefined
  /** The exam as the partner's kept answers have it, to whichever device. */
  readonly planned: Exam | undefined
}

export type Check = Omit<ExamCheck, 'check'>

export const made = (
  state: Check['state'],
  sentence: Message,
  more: Partial<Check> = {},
): Check => ({
  ...{ state, sentence, evidence: [], remedy: null, link: null },
  ...more,
})
export const ok = (sentence: Message, evidence: readonly Message[] = []) =>
  made('ok', sentence, { evidence: [...evidence] })
export const failed = (
  sentence: Message,
  remedy: Message,
  link: Check['link'],
  evidence: readonly Message[] = [],
) => made('failed', sentence, { remedy, link, evidence: [...evidence] })
export const skipped = (sentence: Message) => made('skipped', sentence)

const nameOf = ({ device }: Findings) => device.name || device.aeTitle
const ITS_SERVER = message('worklist.set-its-server')
const ITS_NAME = message('worklist.correct-its-title')
export const REFRESH = message('worklist.refresh-at-device')

/** Whether the device reaches this gateway, and has asked for its worklist. */
export const DEVICE_CHECKS = {
  known({ device }) {
    const { aeTitle, isEnabled } = device
    const name = device.name || aeTitle
    if (isEnabled) return ok(message('worklist.known', { name, aeTitle }))
    return failed(
      message('worklist.switched-off', { name, aeTitle }),
      message('worklist.switch-it-on'),
      'devices',
    )
  },

  called(findings) {
    const { device, clockOf } = findings
    if (device.lastSeenAt !== null) {
      const at = clockOf(device.lastSeenAt)
      const { lastAddress: address } = device
      return ok(
        address === null
          ? message('worklist.has-called', { device: nameOf(findings), at })
          : message('worklist.has-called-from', { device: nameOf(findings), at, address }),
      )
    }
    const others = strangers(findings)
    return failed(
      message('worklist.device-never-called', { device: nameOf(findings) }),
      others.length > 0 ? ITS_NAME : ITS_SERVER,
      'devices',
      others,
    )
  },

  today(findings) {
    const { device, clockOf, today } = findings
    if (device.lastSeenAt === null) return skipped(message('worklist.never-called'))
    const isToday = clockOf(device.lastSeenAt).startsWith(today)
    const others = strangers(findings)
    if (isToday) return ok(message('worklist.called-today'), others)
    const callers = findings.callers.filter(({ lastAt }) => clockOf(lastAt).startsWith(today))
    const ofToday = strangers({ ...findings, callers })
    if (ofToday.length > 0)
      return failed(message('worklist.called-as-other'), ITS_NAME, 'devices', ofToday)
    return failed(
      message('worklist.not-called-today', { at: clockOf(device.lastSeenAt) }),
      message('worklist.check-network'),
      'devices',
      others,
    )
  },

  association(findings) {
    const { device, lastRejection, clockOf } = findings
    const rejected = lastRejection
      ? [message('worklist.rejected', { at: clockOf(lastRejection.at), why: lastRejection.why })]
      : []
    if (lastRejection && (device.lastSeenAt === null || lastRejection.at > device.lastSeenAt)) {
      return failed(
        message('worklist.last-call-rejected'),
        message('worklist.correct-its-fault'),
        'devices',
        rejected,
      )
    }
    if (device.lastSeenAt === null) return skipped(message('worklist.never-called'))
    return ok(message('worklist.last-call-accepted'), rejected)
  },

  asked(findings) {
    const { last, clockOf, today, own, lastKeys } = findings
    if (!last) {
      return failed(
        message('worklist.never-asked'),
        message('worklist.refresh-or-set-server'),
        'queries',
      )
    }
    const evidence = [last.sentence, ...narrowing(lastKeys)]
    // What could not be read is not among the keys: asked again without it, the query may be
    // understood.
    const misread = [own, last].find(({ status }) => status === 'A900')
    if (misread) {
      return failed(
        message('worklist.query-misread', { comment: misread.errorComment }),
        message('worklist.correct-its-query'),
        'queries',
        evidence,
      )
    }
    const at = clockOf(last.at)
    if (at.startsWith(today)) return ok(message('worklist.asked-on', { at }), evidence)
    return failed(message('worklist.asked-before-today', { at }), REFRESH, 'queries', evidence)
  },
} as const satisfies Partial<Record<ExamCheck['check'], (findings: Findings) => Check>>

/**
 * Callers of the inbox that may be this device: its AE title from elsewhere, or another AE title
 * from its address.
 */
function strangers({ device, callers, clockOf }: Findings): Message[] {
  const addresses = [device.lastAddress, device.address].filter((address) => address !== null)
  return callers.flatMap(({ aeTitle, address, lastAt }) => {
    const at = clockOf(lastAt)
    if (aeTitle.toUpperCase() === device.aeTitle.toUpperCase()) {
      const own = device.address ?? message('worklist.any-address')
      return [message('worklist.its-title-elsewhere', { aeTitle, address, at, own })]
    }
    return addresses.includes(address)
      ? [message('worklist.other-title-there', { aeTitle, address, at })]
      : []
  })
}

/** The keys that narrow a query: `Modality: CT`. */
export const narrowing = (keys: Inspection['keys']): Message[] =>
  keys
    .filter(
      ({ matching }) =>
        matching !== 'universal' && matching !== 'sequence' && matching !== 'ignored',
    )
    .map(({ keyword, value }) => verbatim(`${keyword}: ${value}`))
