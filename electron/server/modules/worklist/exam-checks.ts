import { EXAM_CHECKS, type ExamCheck } from '#shared/contract/dashboard-exams.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { RowVerdict } from '#shared/contract/worklist.ts'
import { type Message, message, sentences, verbatim } from '#shared/messages/message.ts'
import { isEncodingFailure } from './character-set-fallback.ts'
import {
  type Check,
  type CheckInput,
  checkResult,
  DEVICE_CHECKS,
  failed,
  ok,
  REFRESH_ADVICE,
  restrictingKeys,
  skipped,
} from './device-checks.ts'
import { faultExplanation } from './faults.ts'
import { isPerformed } from './progress.ts'
import { isClosedHere, isPast } from './result.ts'

/**
 * All checks. A message contains no value of a row, except in the reasons that the inspector shows
 * too.
 */
const CHECKS: Readonly<Record<ExamCheck['check'], (findings: CheckInput) => Check>> = {
  ...DEVICE_CHECKS,

  partner({ repeated, wholeDay, clockTimeOf: clockOf }) {
    const unansweredQuery = [repeated, wholeDay].find(({ source }) => source === 'none')
    const evidence = repeated.partner?.answeredAt
      ? [message('worklist.partner-answered', { at: clockOf(repeated.partner.answeredAt) })]
      : []
    if (unansweredQuery?.status === 'A900') return skipped(message('worklist.misread-not-asked'))
    if (unansweredQuery) {
      const why =
        unansweredQuery.fault === null
          ? unansweredQuery.errorComment
          : faultExplanation(unansweredQuery.fault, unansweredQuery.partner?.detail ?? null)
      return failed(
        message('worklist.no-answer', { why }),
        message('worklist.see-partner'),
        'partner',
      )
    }
    if (repeated.source === 'stored' || repeated.source === 'downtime')
      return ok(message('worklist.stored-answer-used'), [repeated.sentence])
    return ok(message('worklist.partner-answers'), evidence)
  },

  listed({ rowInRepeated, rowInWholeDay, wholeDay, planned, clockTimeOf: clockOf, day }) {
    if (rowInRepeated || rowInWholeDay) return ok(message('worklist.listed'))
    if (wholeDay.source === 'none') return skipped(message('worklist.no-answer-to-look-in'))
    const planningMessage = message('worklist.check-planning')
    if (planned?.state === 'gone') {
      const since =
        planned.since === null
          ? undefined
          : message('worklist.not-in-answer-of', { at: clockOf(planned.since) })
      return failed(
        sentences(message('worklist.no-longer-listed'), since),
        planningMessage,
        'worklist',
      )
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
    return failed(message('worklist.not-listed', { day }), planningMessage, 'worklist')
  },

  valid({ rowInWholeDay, rowInRepeated }) {
    const row = rowInWholeDay ?? rowInRepeated
    if (!row) return skipped(message('worklist.no-exam-to-check'))
    if (
      row.verdict !== 'withheld' ||
      isClosedHere(row.reason) ||
      isPast(row.reason) ||
      isEncodingFailure(row.reason)
    )
      return ok(message('worklist.nothing-withheld'), row.remarks)
    return failed(
      message('worklist.withheld-from-all', { why: reasonOf(row) }),
      message('worklist.correct-at-partner'),
      'partner',
      row.remarks,
    )
  },

  encodable({ rowInWholeDay, rowInRepeated, device }) {
    const row =
      [rowInRepeated, rowInWholeDay].find(
        (one) => one?.verdict === 'withheld' && isEncodingFailure(one.reason),
      ) ??
      rowInWholeDay ??
      rowInRepeated
    if (!row) return skipped(message('worklist.no-exam-to-check'))
    const set =
      device.characterSet === null
        ? message('worklist.set-of-exam')
        : message('worklist.set-of-device', { characterSet: device.characterSet })
    if (row.verdict !== 'withheld' || !isEncodingFailure(row.reason))
      return ok(message('worklist.texts-fit'), [set, ...row.remarks])
    return failed(
      message('worklist.texts-do-not-fit', { why: reasonOf(row) }),
      message('worklist.choose-set'),
      'devices',
      [set],
    )
  },

  window(findings) {
    const { repeated, rowInRepeated, rowInWholeDay } = findings
    const { question } = repeated
    if (!rowInRepeated && !rowInWholeDay) return skipped(message('worklist.no-exam-for-it'))
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
      checkRequestedRange(findings, question, days, evidence) ??
      checkListFilters(findings, evidence) ??
      ok(message('worklist.within-window'), evidence)
    )
  },

  keys(findings) {
    const { rowInRepeated, rowInWholeDay, lastKeys } = findings
    if (!rowInRepeated && !rowInWholeDay) return skipped(message('worklist.no-exam-for-them'))
    if (!rowInRepeated) return skipped(message('worklist.not-in-own-answer'))
    const asked = restrictingKeys(lastKeys)
    if (
      rowInRepeated.verdict !== 'filtered' ||
      isPerformed(rowInRepeated.reason) ||
      isOutsideDays(rowInRepeated)
    )
      return ok(
        asked.length === 0 ? message('worklist.no-narrowing-key') : message('worklist.keys-met'),
        asked,
      )
    if (isOtherStation(rowInRepeated) && findings.device.stationMode === 'strict')
      return ok(message('worklist.other-keys-met'), asked)
    return failed(
      message('worklist.key-not-met', { key: reasonOf(rowInRepeated) }),
      message('worklist.correct-that-key'),
      'queries',
      asked,
    )
  },

  open({ rowInRepeated, rowInWholeDay }) {
    const row =
      [rowInRepeated, rowInWholeDay].find((one) => one && isFinished(one)) ??
      rowInRepeated ??
      rowInWholeDay
    if (!row) return skipped(message('worklist.no-exam-to-look-at'))
    if (!isFinished(row))
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
    const { rowInRepeated, planned, device, last, clockTimeOf: clockOf } = findings
    if (rowInRepeated?.verdict !== 'sent') return skipped(message('worklist.would-not-be-sent'))
    const sentToDevice = planned?.devices.find(
      ({ aeTitle }) => aeTitle.toUpperCase() === device.aeTitle.toUpperCase(),
    )
    if (!sentToDevice?.sentAt) {
      return failed(
        message('worklist.not-asked-since'),
        REFRESH_ADVICE,
        'queries',
        last ? [last.sentence] : [],
      )
    }
    return checkResult('ok', message('worklist.given', { at: clockOf(sentToDevice.sentAt) }), {
      remedy: message('worklist.look-at-its-filter'),
      evidence: rowInRepeated.remarks,
    })
  },
}

/** Fails if the exam is outside what was requested from the partner. */
function checkRequestedRange(
  { rowInRepeated, rowInWholeDay, day }: CheckInput,
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
  const modality = (rowInWholeDay ?? rowInRepeated)?.modality ?? ''
  if (question.modality && modality !== question.modality)
    return failed(
      message('worklist.of-other-modality', { modality, asked: question.modality }),
      message('worklist.correct-modality'),
      'queries',
      evidence,
    )
  return undefined
}

/** Fails if the exam is in the answer but was cut off or filtered by station or days. */
function checkListFilters(
  { rowInRepeated, device }: CheckInput,
  evidence: readonly Message[],
): Check | undefined {
  if (rowInRepeated?.verdict === 'cut')
    return failed(
      message('worklist.cut-off', { why: reasonOf(rowInRepeated) }),
      message('worklist.ask-for-less'),
      'devices',
      evidence,
    )
  if (rowInRepeated?.verdict !== 'filtered') return undefined
  if (isOtherStation(rowInRepeated) && device.stationMode === 'strict')
    return failed(
      message('worklist.asks-for-other-station'),
      message('worklist.correct-station'),
      'devices',
      [reasonOf(rowInRepeated)],
    )
  if (isOutsideDays(rowInRepeated))
    return failed(
      message('worklist.exam-outside-days'),
      message('worklist.choose-day'),
      'devices',
      evidence,
    )
  return undefined
}

/** Runs every check. A check that depends on a failed one reports itself as skipped. */
export const runChecks = (findings: CheckInput): ExamCheck[] =>
  EXAM_CHECKS.map((check) => ({ check, ...CHECKS[check](findings) }))

/** The reason why a row was not sent. */
const reasonOf = ({ reason }: RowVerdict): Message => reason ?? verbatim('')
const isOutsideDays = ({ reason }: RowVerdict) => reason?.code === 'worklist.outside-days'
const isOtherStation = ({ reason }: RowVerdict) =>
  reason?.code === 'worklist.key' && reason.params?.keyword === 'ScheduledStationAETitle'
const isFinished = ({ verdict, reason }: RowVerdict): boolean =>
  (verdict === 'filtered' && isPerformed(reason)) ||
  (verdict === 'withheld' && (isClosedHere(reason) || isPast(reason)))
