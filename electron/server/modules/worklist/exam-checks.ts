import { EXAM_CHECKS, type ExamCheck } from '#shared/contract/dashboard-exams.ts'
import type { Inspection, RowVerdict } from '#shared/contract/worklist.ts'
import { isUnspeakable } from './character-set-fallback.ts'
import type { Findings } from './explain.ts'
import { becauseOf } from './faults.ts'
import { isPerformed } from './progress.ts'
import { CLOSED, PAST } from './result.ts'

type Name = ExamCheck['check']
type Check = Omit<ExamCheck, 'check'>

const made = (state: Check['state'], sentence: string, more: Partial<Check> = {}): Check => ({
  ...{ state, sentence, evidence: [], remedy: '', link: null },
  ...more,
})
const ok = (sentence: string, evidence: readonly string[] = []) =>
  made('ok', sentence, { evidence: [...evidence] })
const failed = (
  sentence: string,
  remedy: string,
  link: Check['link'],
  evidence: readonly string[] = [],
) => made('failed', sentence, { remedy, link, evidence: [...evidence] })
const skipped = (sentence: string) => made('skipped', sentence)

const nameOf = ({ device }: Findings) => device.name || device.aeTitle
const ITS_SERVER =
  'At the device, set the worklist server to the address, the port and the AE title of this gateway, then test the connection there.'
const ITS_NAME = 'Correct AE title or address of the device under Devices, or at the device.'

/**
 * Every check, in the order of EXAM_CHECKS. No value of a row is in a sentence but in that of the
 * reasons, which the inspector shows too.
 */
const CHECKS: Readonly<Record<Name, (findings: Findings) => Check>> = {
  known({ device }) {
    const who = `${device.name || device.aeTitle} (${device.aeTitle})`
    if (device.isEnabled) return ok(`${who} is in the device list and switched on.`)
    return failed(
      `${who} is switched off in the device list, so it is rejected.`,
      'Switch the device on under Devices.',
      'devices',
    )
  },

  called(findings) {
    const { device, clockOf } = findings
    if (device.lastSeenAt !== null) {
      const from = device.lastAddress === null ? '' : ` from ${device.lastAddress}`
      return ok(`${nameOf(findings)} has called; last on ${clockOf(device.lastSeenAt)}${from}.`)
    }
    const others = strangers(findings)
    return failed(
      `${nameOf(findings)} has never called this gateway.`,
      others.length > 0 ? ITS_NAME : ITS_SERVER,
      'devices',
      others,
    )
  },

  today(findings) {
    const { device, clockOf, today } = findings
    if (device.lastSeenAt === null) return skipped('It has never called.')
    const isToday = clockOf(device.lastSeenAt).startsWith(today)
    const others = strangers(findings)
    if (isToday)
      return ok(
        'It has called today, under its AE title and from an address that is its own.',
        others,
      )
    if (others.length > 0) {
      return failed(
        'It has not called today as it is known here, but something that may be it has.',
        ITS_NAME,
        'devices',
        others,
      )
    }
    return failed(
      `It called last on ${clockOf(device.lastSeenAt)}, not today.`,
      'Check that the device is on and in the network, and refresh its list there.',
      'devices',
    )
  },

  association(findings) {
    const { device, lastRejection, clockOf } = findings
    const rejected =
      lastRejection && `Rejected on ${clockOf(lastRejection.at)}: ${lastRejection.why}`
    if (lastRejection && (device.lastSeenAt === null || lastRejection.at > device.lastSeenAt)) {
      return failed(
        'Its last call was rejected.',
        'Mend what the reason says, then let the device call again.',
        'devices',
        [rejected ?? ''],
      )
    }
    if (device.lastSeenAt === null) return skipped('It has never called.')
    return ok('Its last call was accepted.', rejected ? [rejected] : [])
  },

  asked(findings) {
    const { last, clockOf, today, own, lastKeys } = findings
    if (!last) {
      return failed(
        'It has not asked for a worklist, as far back as queries are kept.',
        'Refresh the worklist at the device. If nothing comes of it, its worklist server is not set to this gateway.',
        'queries',
      )
    }
    const evidence = [last.sentence, ...narrowing(lastKeys)]
    // What could not be read is not among the keys: asked again without it, the query may be
    // understood.
    const misread = [own, last].find(({ status }) => status === 'A900')
    if (misread) {
      return failed(
        `Its query cannot be understood: ${misread.errorComment}.`,
        'Correct the query at the device; the query shows the keys as received.',
        'queries',
        evidence,
      )
    }
    const at = clockOf(last.at)
    if (at.startsWith(today)) return ok(`It asked for its worklist last on ${at}.`, evidence)
    return failed(
      `It asked for its worklist last on ${at}: what it shows is from then.`,
      'Refresh the worklist at the device.',
      'queries',
      evidence,
    )
  },

  partner({ own, wide, clockOf }) {
    const silent = [own, wide].find(({ source }) => source === 'none')
    const evidence = own.partner?.answeredAt
      ? [`The partner answered on ${clockOf(own.partner.answeredAt)}.`]
      : []
    if (silent?.status === 'A900')
      return skipped('The query was not understood, so the partner was not asked.')
    if (silent) {
      const why =
        silent.fault === null
          ? silent.errorComment
          : becauseOf(silent.fault, silent.partner?.detail ?? '')
      return failed(
        `There is no answer of the partner for this device: ${why}.`,
        'See under Partner what keeps it from answering.',
        'partner',
      )
    }
    if (own.source === 'stored' || own.source === 'downtime')
      return ok('The partner cannot be asked now; its last good answer is used.', [own.sentence])
    return ok('The partner answers for this device.', evidence)
  },

  listed({ inOwn, inWide, wide, planned, clockOf, day }) {
    if (inOwn || inWide) return ok('The exam is in the partner’s answer to this device.')
    if (wide.source === 'none') return skipped('There is no answer to look in.')
    const gone =
      'Check in the partner’s system that the exam is planned for this day and not cancelled.'
    if (planned?.state === 'gone') {
      const since =
        planned.since === null ? '' : ` The answer of ${clockOf(planned.since)} does not have it.`
      return failed(
        `The partner listed the exam earlier and does not any more: cancelled or moved.${since}`,
        gone,
        'worklist',
      )
    }
    if (planned) {
      return failed(
        'The partner lists the exam for other devices, but not in its answer to this one.',
        'Ask the partner’s support which AE titles the exam is meant for.',
        'partner',
        planned.devices.map(({ name, aeTitle }) => `On the list of ${name || aeTitle}.`),
      )
    }
    return failed(`The partner has no such exam on ${day}.`, gone, 'worklist')
  },

  valid({ inWide, inOwn }) {
    const row = inWide ?? inOwn
    if (!row) return skipped('There is no exam to check.')
    if (
      row.verdict !== 'withheld' ||
      row.reason === CLOSED ||
      row.reason === PAST ||
      isUnspeakable(row.reason)
    )
      return ok('Nothing about the exam has to be withheld from devices.', row.remarks)
    return failed(
      `The exam is withheld from every device: ${row.reason}.`,
      'Have it corrected in the partner’s system; the next answer counts.',
      'partner',
      row.remarks,
    )
  },

  encodable({ inWide, inOwn, device }) {
    const row =
      [inOwn, inWide].find((one) => one?.verdict === 'withheld' && isUnspeakable(one.reason)) ??
      inWide ??
      inOwn
    if (!row) return skipped('There is no exam to check.')
    const set =
      device.characterSet === null
        ? 'Each exam decides its character set.'
        : `The device’s character set is ${device.characterSet}.`
    if (row.verdict !== 'withheld' || !isUnspeakable(row.reason))
      return ok('Its texts can be sent to the device.', [set, ...row.remarks])
    return failed(
      `The exam cannot be sent to this device: ${row.reason}.`,
      'Choose a character set under Devices that the device understands and that has these letters.',
      'devices',
      [set],
    )
  },

  window(findings) {
    const { own, inOwn, inWide, day, device } = findings
    const { question } = own
    if (!inOwn && !inWide) return skipped('There is no exam to hold against it.')
    if (question === null) return skipped('The device’s own query did not reach the partner.')
    const days =
      question.dateStart === question.dateEnd
        ? question.dateStart
        : `${question.dateStart} to ${question.dateEnd}`
    const evidence = [
      `The device’s query covers ${days}${question.modality ? `, modality ${question.modality}` : ''}.`,
    ]
    if (day < question.dateStart || day > question.dateEnd) {
      return failed(
        `The exam is on ${day}, and the device’s query covers ${days}.`,
        'Choose the day at the device; for a query without a day, set the days under Devices.',
        'devices',
        evidence,
      )
    }
    const modality = (inWide ?? inOwn)?.modality ?? ''
    if (question.modality && modality !== question.modality) {
      return failed(
        `The exam is of modality ${modality}, and the device asks for ${question.modality} only.`,
        'Correct the modality at the device or in the partner’s system.',
        'queries',
        evidence,
      )
    }
    if (inOwn?.verdict === 'cut') {
      return failed(
        `The exam was cut off: ${inOwn.reason}.`,
        'Let the device ask for less, such as one modality or one day, or raise its limit under Devices.',
        'devices',
        evidence,
      )
    }
    if (
      inOwn?.verdict === 'filtered' &&
      inOwn.reason.startsWith(STATION) &&
      device.stationMode === 'strict'
    ) {
      return failed(
        'The device asks for another station than its own, and it is set to be taken at its word.',
        'Correct the station at the device, or set its station to “echo” under Devices.',
        'devices',
        [inOwn.reason],
      )
    }
    if (inOwn?.verdict === 'filtered' && inOwn.reason.startsWith('outside the days'))
      return failed(
        'The exam is outside the days that the device asks for.',
        'Choose the day at the device.',
        'devices',
        evidence,
      )
    return ok(
      'The exam is within the days, the modality and the number of exams of the device.',
      evidence,
    )
  },

  keys(findings) {
    const { inOwn, inWide, lastKeys } = findings
    if (!inOwn && !inWide) return skipped('There is no exam to hold against them.')
    if (!inOwn) return skipped('The answer to the device’s own query does not have the exam.')
    const asked = narrowing(lastKeys)
    if (
      inOwn.verdict !== 'filtered' ||
      isPerformed(inOwn.reason) ||
      inOwn.reason.startsWith('outside the days')
    )
      return ok(
        asked.length === 0
          ? 'It asks for nothing in particular.'
          : 'The exam meets every key of its query.',
        asked,
      )
    if (inOwn.reason.startsWith(STATION) && findings.device.stationMode === 'strict')
      return ok('Every other key is met.', asked)
    return failed(
      `The exam does not meet a key of its query: ${inOwn.reason}.`,
      'Clear or correct that key at the device.',
      'queries',
      asked,
    )
  },

  open({ inOwn, inWide }) {
    const row = [inOwn, inWide].find((one) => one && isOver(one)) ?? inOwn ?? inWide
    if (!row) return skipped('There is no exam to look at.')
    if (!isOver(row))
      return ok(
        row.isClosed
          ? 'It is marked as done here, which counts for stored answers only.'
          : 'It is neither done nor closed here.',
      )
    if (row.reason === CLOSED)
      return failed(
        `It is closed here: ${row.reason}.`,
        'Reopen it under Worklist if that was a mistake.',
        'worklist',
      )
    if (row.reason === PAST)
      return failed(
        `It is not served: ${row.reason}.`,
        'It comes back when the partner answers again.',
        'partner',
      )
    return failed(
      `It is off the list because it is ${row.reason}.`,
      'If it has to be imaged again, have another step planned in the partner’s system.',
      'images',
    )
  },

  sent(findings) {
    const { inOwn, planned, device, last, clockOf } = findings
    if (inOwn?.verdict !== 'sent') return skipped('It would not be sent now.')
    const mine = planned?.devices.find(
      ({ aeTitle }) => aeTitle.toUpperCase() === device.aeTitle.toUpperCase(),
    )
    if (!mine?.sentAt) {
      return failed(
        'The device would be given the exam now, but it was not yet: it has not asked since the partner lists it.',
        'Refresh the worklist at the device.',
        'queries',
        last ? [last.sentence] : [],
      )
    }
    return made('ok', `The device was given the exam on ${clockOf(mine.sentAt)}.`, {
      remedy: 'If it is not shown there, look at the filter of the device’s own screen.',
      evidence: inOwn.remarks,
    })
  },
}

/** Every check; what depends on one that failed is said to be skipped by the check itself. */
export const checksOf = (findings: Findings): ExamCheck[] =>
  EXAM_CHECKS.map((check) => ({ check, ...CHECKS[check](findings) }))

const STATION = 'ScheduledStationAETitle'
const isOver = ({ verdict, reason }: RowVerdict): boolean =>
  (verdict === 'filtered' && isPerformed(reason)) ||
  (verdict === 'withheld' && (reason === CLOSED || reason === PAST))

/**
 * Callers of the inbox that may be this device: its AE title from elsewhere, or another AE title
 * from its address.
 */
function strangers({ device, callers, clockOf }: Findings): string[] {
  const aeTitle = device.aeTitle.toUpperCase()
  const addresses = [device.lastAddress, device.address].filter((address) => address !== null)
  return callers.flatMap((caller) => {
    const at = `last on ${clockOf(caller.lastAt)}`
    if (caller.aeTitle.toUpperCase() === aeTitle)
      return [
        `${caller.aeTitle} called from ${caller.address}, ${at}, which is not the address of this device (${device.address ?? 'any'}).`,
      ]
    return addresses.includes(caller.address)
      ? [`From its address ${caller.address} called ${caller.aeTitle}, ${at}.`]
      : []
  })
}

/** The keys that narrow a query: `Modality: CT`. */
const narrowing = (keys: Inspection['keys']): string[] =>
  keys
    .filter(
      ({ matching }) =>
        matching !== 'universal' && matching !== 'sequence' && matching !== 'ignored',
    )
    .map(({ keyword, value }) => `${keyword}: ${value}`)
