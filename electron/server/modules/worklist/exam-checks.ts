import { EXAM_CHECKS, type ExamCheck } from '#shared/contract/dashboard-exams.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { RowVerdict } from '#shared/contract/worklist.ts'
import { type Message, message, sentences, verbatim } from '#shared/messages/message.ts'
import { isUnspeakable } from './character-set-fallback.ts'
import {
  type Check,
  DEVICE_CHECKS,
  type Findings,
  failed,
  made,
  narrowing,
  ok,
  REFRESH,
  skipped,
} from './device-checks.ts'
import { becauseOf } from './faults.ts'
import { isPerformed } from './progress.ts'
import { isClosedHere, isPast } from './result.ts'

/**
 * Every check. No value of a row is in a sentence but in that of the reasons, which the inspector
 * shows too.
 */
const CHECKS: Readonly<Record<ExamCheck['check'], (findings: Findings) => Check>> = {
  ...DEVICE_CHECKS,

  partner({ own, wide, clockOf }) {
    const silent = [own, wide].find(({ source }) => source === 'none')
    const evidence = own.partner?.answeredAt
      ? [message('worklist.partner-answered', { at: clockOf(own.partner.answeredAt) })]
      : []
    if (silent?.status === 'A900') return skipped(message('worklist.misread-not-asked'))
    if (silent) {
      const why =
        silent.fault === null
          ? silent.errorComment
          : becauseOf(silent.fault, silent.partner?.detail ?? null)
      return failed(
        message('worklist.no-answer', { why }),
        message('worklist.see-partner'),
        'partner',
      )
    }
    if (own.source === 'stored' || own.source === 'downtime')
      return ok(message('worklist.stored-answer-used'), [own.sentence])
    return ok(message('worklist.partner-answers'), evidence)
  },

  listed({ inOwn, inWide, wide, planned, clockOf, day }) {
    if (inOwn || inWide) return ok(message('worklist.listed'))
    if (wide.source === 'none') return skipped(message('worklist.no-answer-to-look-in'))
    const gone = message('worklist.check-planning')
    if (planned?.state === 'gone') {
      const since =
        planned.since === null
          ? undefined
          : message('worklist.not-in-answer-of', { at: clockOf(planned.since) })
      return failed(sentences(message('worklist.no-longer-listed'), since), gone, 'worklist')
    }
    if (planned) {
      return failed(
        message('worklist.listed-for-others'),
        message('worklist.ask-which-titles'),
        'partner',
        planned.devices.map(({ name, aeTitle }) =>
          message('worklist.on-list-of', { device: name || aeTitle }),
        ),
      )
    }
    return failed(message('worklist.not-listed', { day }), gone, 'worklist')
  },

  valid({ inWide, inOwn }) {
    const row = inWide ?? inOwn
    if (!row) return skipped(message('worklist.no-exam-to-check'))
    if (
      row.verdict !== 'withheld' ||
      isClosedHere(row.reason) ||
      isPast(row.reason) ||
      isUnspeakable(row.reason)
    )
      return ok(message('worklist.nothing-withheld'), row.remarks)
    return failed(
      message('worklist.withheld-from-all', { why: reasonOf(row) }),
      message('worklist.correct-at-partner'),
      'partner',
      row.remarks,
    )
  },

  encodable({ inWide, inOwn, device }) {
    const row =
      [inOwn, inWide].find((one) => one?.verdict === 'withheld' && isUnspeakable(one.reason)) ??
      inWide ??
      inOwn
    if (!row) return skipped(message('worklist.no-exam-to-check'))
    const set =
      device.characterSet === null
        ? message('worklist.set-of-exam')
        : message('worklist.set-of-device', { characterSet: device.characterSet })
    if (row.verdict !== 'withheld' || !isUnspeakable(row.reason))
      return ok(message('worklist.texts-fit'), [set, ...row.remarks])
    return failed(
      message('worklist.texts-do-not-fit', { why: reasonOf(row) }),
      message('worklist.choose-set'),
      'devices',
      [set],
    )
  },

  window(findings) {
    const { own, inOwn, inWide } = findings
    const { question } = own
    if (!inOwn && !inWide) return skipped(message('worklist.no-exam-for-it'))
    if (question === null) return skipped(message('worklist.own-query-not-asked'))
    const { dateStart, dateEnd, modality } = question
    const days =
      dateStart === dateEnd
        ? verbatim(dateStart)
        : message('worklist.days', { from: dateStart, to: dateEnd })
    const evidence = [
      modality
        ? message('worklist.query-covers-modality', { days, modality })
        : message('worklist.query-covers', { days }),
    ]
    return (
      outsideQuestion(findings, question, days, evidence) ??
      keptFromList(findings, evidence) ??
      ok(message('worklist.within-window'), evidence)
    )
  },

  keys(findings) {
    const { inOwn, inWide, lastKeys } = findings
    if (!inOwn && !inWide) return skipped(message('worklist.no-exam-for-them'))
    if (!inOwn) return skipped(message('worklist.not-in-own-answer'))
    const asked = narrowing(lastKeys)
    if (inOwn.verdict !== 'filtered' || isPerformed(inOwn.reason) || isOutsideDays(inOwn))
      return ok(
        asked.length === 0 ? message('worklist.no-narrowing-key') : message('worklist.keys-met'),
        asked,
      )
    if (isOtherStation(inOwn) && findings.device.stationMode === 'strict')
      return ok(message('worklist.other-keys-met'), asked)
    return failed(
      message('worklist.key-not-met', { key: reasonOf(inOwn) }),
      message('worklist.correct-that-key'),
      'queries',
      asked,
    )
  },

  open({ inOwn, inWide }) {
    const row = [inOwn, inWide].find((one) => one && isOver(one)) ?? inOwn ?? inWide
    if (!row) return skipped(message('worklist.no-exam-to-look-at'))
    if (!isOver(row))
      return ok(
        row.isClosed
          ? message('worklist.marked-as-done')
          : message('worklist.neither-done-nor-closed'),
      )
    const why = reasonOf(row)
    if (isClosedHere(why))
      return failed(
        message('worklist.is-closed', { why }),
        message('worklist.reopen-it'),
        'worklist',
      )
    if (isPast(why))
      return failed(
        message('worklist.not-served', { why }),
        message('worklist.comes-back'),
        'partner',
      )
    return failed(
      message('worklist.off-the-list', { why }),
      message('worklist.plan-another-step'),
      'images',
    )
  },

  sent(findings) {
    const { inOwn, planned, device, last, clockOf } = findings
    if (inOwn?.verdict !== 'sent') return skipped(message('worklist.would-not-be-sent'))
    const mine = planned?.devices.find(
      ({ aeTitle }) => aeTitle.toUpperCase() === device.aeTitle.toUpperCase(),
    )
    if (!mine?.sentAt) {
      return failed(
        message('worklist.not-asked-since'),
        REFRESH,
        'queries',
        last ? [last.sentence] : [],
      )
    }
    return made('ok', message('worklist.given', { at: clockOf(mine.sentAt) }), {
      remedy: message('worklist.look-at-its-filter'),
      evidence: inOwn.remarks,
    })
  },
}

/** The partner was not asked for the exam. */
function outsideQuestion(
  { inOwn, inWide, day }: Findings,
  question: WorklistQuestion,
  days: Message,
  evidence: readonly Message[],
): Check | undefined {
  if (day < question.dateStart || day > question.dateEnd)
    return failed(
      message('worklist.on-other-day', { day, days }),
      message('worklist.choose-or-set-days'),
      'devices',
      evidence,
    )
  const modality = (inWide ?? inOwn)?.modality ?? ''
  if (question.modality && modality !== question.modality)
    return failed(
      message('worklist.of-other-modality', { modality, asked: question.modality }),
      message('worklist.correct-modality'),
      'queries',
      evidence,
    )
  return undefined
}

/** The exam is in the answer, and the list is cut, or of another station or other days. */
function keptFromList(
  { inOwn, device }: Findings,
  evidence: readonly Message[],
): Check | undefined {
  if (inOwn?.verdict === 'cut')
    return failed(
      message('worklist.cut-off', { why: reasonOf(inOwn) }),
      message('worklist.ask-for-less'),
      'devices',
      evidence,
    )
  if (inOwn?.verdict !== 'filtered') return undefined
  if (isOtherStation(inOwn) && device.stationMode === 'strict')
    return failed(
      message('worklist.asks-for-other-station'),
      message('worklist.correct-station'),
      'devices',
      [reasonOf(inOwn)],
    )
  if (isOutsideDays(inOwn))
    return failed(
      message('worklist.exam-outside-days'),
      message('worklist.choose-day'),
      'devices',
      evidence,
    )
  return undefined
}

/** Every check; what depends on one that failed is said to be skipped by the check itself. */
export const checksOf = (findings: Findings): ExamCheck[] =>
  EXAM_CHECKS.map((check) => ({ check, ...CHECKS[check](findings) }))

/** Of a row that was not sent. */
const reasonOf = ({ reason }: RowVerdict): Message => reason ?? verbatim('')
const isOutsideDays = ({ reason }: RowVerdict) => reason?.code === 'worklist.outside-days'
const isOtherStation = ({ reason }: RowVerdict) =>
  reason?.code === 'worklist.key' && reason.params?.keyword === 'ScheduledStationAETitle'
const isOver = ({ verdict, reason }: RowVerdict): boolean =>
  (verdict === 'filtered' && isPerformed(reason)) ||
  (verdict === 'withheld' && (isClosedHere(reason) || isPast(reason)))
