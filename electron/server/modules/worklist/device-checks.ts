import type { Exam, ExamCheck } from '#shared/contract/dashboard-exams.ts'
import type { Device, UnknownCaller } from '#shared/contract/devices.ts'
import type { Inspection, InspectionSummary, RowVerdict } from '#shared/contract/worklist.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'

/**
 * The input of the checks. Instants are as recorded; `day` and `today` are `YYYY-MM-DD` in the
 * clinic.
 */
export interface CheckInput {
  readonly device: Device
  readonly day: string
  readonly today: string
  /**
   * The gateway's AE title, and a function that formats an instant as clinic time: `2026-11-20
   * 09:00`.
   */
  readonly ownAeTitle: string
  readonly clockTimeOf: (instant: string) => string
  readonly callers: readonly UnknownCaller[]
  readonly lastRejection: { readonly at: string; readonly why: Message } | undefined
  /** The device's last recorded query and its keys; undefined if none is kept. */
  readonly last: InspectionSummary | undefined
  readonly lastKeys: Inspection['keys']
  /** The device's last query, repeated now. */
  readonly repeated: Inspection
  /** A query for the whole day, without other keys. */
  readonly wholeDay: Inspection
  readonly rowInRepeated: RowVerdict | undefined
  readonly rowInWholeDay: RowVerdict | undefined
  /** The exam in the partner's stored answers, for any device. */
  readonly planned: Exam | undefined
}

export type Check = Omit<ExamCheck, 'check'>

export const checkResult = (
  state: Check['state'],
  sentence: Message,
  more: Partial<Check> = {},
): Check => ({
  ...{ state, sentence, evidence: [], remedy: null, link: null },
  ...more,
})
export const ok = (sentence: Message, evidence: readonly Message[] = []) =>
  checkResult('ok', sentence, { evidence: [...evidence] })
export const failed = (
  sentence: Message,
  remedy: Message,
  link: Check['link'],
  evidence: readonly Message[] = [],
) => checkResult('failed', sentence, { remedy, link, evidence: [...evidence] })
export const skipped = (sentence: Message) => checkResult('skipped', sentence)

const nameOf = ({ device }: CheckInput) => device.name || device.aeTitle
const SET_SERVER_ADVICE = message('worklist.set-its-server')
const CORRECT_AE_TITLE_ADVICE = message('worklist.correct-its-title')
export const REFRESH_ADVICE = message('worklist.refresh-at-device')

/** Checks whether the device reaches this gateway and has queried its worklist. */
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
    const { device, clockTimeOf: clockOf } = findings
    if (device.lastSeenAt !== null) {
      const at = clockOf(device.lastSeenAt)
      const { lastAddress: address } = device
      return ok(
        address === null
          ? message('worklist.has-called', { device: nameOf(findings), at })
          : message('worklist.has-called-from', { device: nameOf(findings), at, address }),
      )
    }
    const similar = similarCallers(findings)
    return failed(
      message('worklist.device-never-called', { device: nameOf(findings) }),
      similar.length > 0 ? CORRECT_AE_TITLE_ADVICE : SET_SERVER_ADVICE,
      'devices',
      similar,
    )
  },

  today(findings) {
    const { device, clockTimeOf: clockOf, today } = findings
    if (device.lastSeenAt === null) return skipped(message('worklist.never-called'))
    const isToday = clockOf(device.lastSeenAt).startsWith(today)
    const similar = similarCallers(findings)
    if (isToday) return ok(message('worklist.called-today'), similar)
    const callers = findings.callers.filter(({ lastAt }) => clockOf(lastAt).startsWith(today))
    const similarToday = similarCallers({ ...findings, callers })
    if (similarToday.length > 0)
      return failed(
        message('worklist.called-as-other'),
        CORRECT_AE_TITLE_ADVICE,
        'devices',
        similarToday,
      )
    return failed(
      message('worklist.not-called-today', { at: clockOf(device.lastSeenAt) }),
      message('worklist.check-network'),
      'devices',
      similar,
    )
  },

  association(findings) {
    const { device, lastRejection, clockTimeOf: clockOf } = findings
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
    const { last, clockTimeOf: clockOf, today, repeated, lastKeys } = findings
    if (!last) {
      return failed(
        message('worklist.never-asked'),
        message('worklist.refresh-or-set-server'),
        'queries',
      )
    }
    const evidence = [last.sentence, ...restrictingKeys(lastKeys)]
    // Unreadable keys are not recorded: when the query is repeated without them, it may be
    // readable.
    const misreadQuery = [repeated, last].find(({ status }) => status === 'A900')
    if (misreadQuery) {
      return failed(
        message('worklist.query-misread', { comment: misreadQuery.errorComment }),
        message('worklist.correct-its-query'),
        'queries',
        evidence,
      )
    }
    const at = clockOf(last.at)
    if (at.startsWith(today)) return ok(message('worklist.asked-on', { at }), evidence)
    return failed(
      message('worklist.asked-before-today', { at }),
      REFRESH_ADVICE,
      'queries',
      evidence,
    )
  },
} as const satisfies Partial<Record<ExamCheck['check'], (findings: CheckInput) => Check>>

/**
 * Unknown callers that may be this device: its AE title from another address, or another AE title
 * from its address.
 */
function similarCallers({ device, callers, clockTimeOf: clockOf }: CheckInput): Message[] {
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

/** The keys that restrict a query, such as `Modality: CT`. */
export const restrictingKeys = (keys: Inspection['keys']): Message[] =>
  keys
    .filter(
      ({ matching }) =>
        matching !== 'universal' && matching !== 'sequence' && matching !== 'ignored',
    )
    .map(({ keyword, value }) => verbatim(`${keyword}: ${value}`))
