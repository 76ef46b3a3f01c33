import type { Inspection, ReceivedKey, RowVerdict } from '#shared/contract/worklist.ts'
import { translateMessage } from '../i18n/messages.ts'
import { keywordText } from '../i18n/param-text.ts'
import { t } from '../i18n/t.ts'
import { bytesText, durationText } from './amounts.ts'
import { FAULTS, SOURCES } from './answer-source.ts'
import { daysText, dayText, timeText } from './dates.ts'
import { describeStatus } from './dimse-status.ts'
import type { Tone } from './tones.ts'

/**
 * One station of a query on its way; `stop` is the one where the list became empty or incomplete.
 */
export interface Station {
  readonly name: 'asked' | 'window' | 'partner' | 'list' | 'keys' | 'checks' | 'sent'
  readonly state: 'passed' | 'remark' | 'stop' | 'skipped'
  readonly title: string
  readonly text: string
  readonly details: readonly string[]
}

export interface Explanation {
  readonly tone: Tone
  /** One sentence that answers "why is it empty?", or says what was sent. */
  readonly headline: string
  /** What to do about it; empty when nothing. */
  readonly remedy: string
  readonly stations: readonly Station[]
}

/**
 * Follows a query from the device to its answer and says where exams were lost, in that order. Give
 * it the inspection with all verdicts.
 */
export function explain(inspection: Inspection): Explanation {
  const { sent, filtered, withheld, fault, status } = inspection
  const total = inspection.rowsTotal
  const isMisread = status.toUpperCase() === 'A900'
  const isCancelled = status.toUpperCase() === 'FE00'
  const hasList = !isMisread && inspection.source !== 'none'
  const cut = inspection.rows.filter((row) => row.verdict === 'cut').length

  const stations: Station[] = [
    asked(inspection, isMisread),
    window(inspection, isMisread),
    isMisread
      ? skipped('partner', t('ui.format.explanation.partner.notAsked'))
      : partner(inspection),
    hasList
      ? station(
          'list',
          total === 0 ? 'stop' : 'passed',
          total === 0
            ? t('ui.format.explanation.list.empty')
            : t('ui.format.explanation.list.holds', { count: total }),
        )
      : skipped('list', t('ui.format.explanation.list.none')),
    hasList && total > 0
      ? explainLost('keys', filtered, sent === 0 && withheld === 0, inspection.rows, 'filtered')
      : skipped('keys', t('ui.format.explanation.keys.nothing')),
    hasList && total > 0
      ? explainLost('checks', withheld, sent === 0 && withheld > 0, inspection.rows, 'withheld')
      : skipped('checks', t('ui.format.explanation.checks.nothing')),
    station(
      'sent',
      sent === 0 ? 'skipped' : cut > 0 || isCancelled ? 'remark' : 'passed',
      t('ui.format.explanation.sent.text', {
        count: sent,
        code: status.toUpperCase(),
        status: describeStatus(status).name,
        time: durationText(inspection.tookMs),
      }),
      inspection.errorComment
        ? [t('ui.format.explanation.sent.comment', { comment: inspection.errorComment })]
        : [],
    ),
  ]

  const say = (tone: Tone, headline: string, remedy = ''): Explanation => ({
    tone,
    headline,
    remedy,
    stations,
  })
  if (isCancelled)
    return say(
      'plain',
      t('ui.format.explanation.say.cancelled', { count: sent }),
      t('ui.format.explanation.say.cancelledRemedy'),
    )
  if (isMisread)
    return say('danger', t('ui.format.explanation.say.misread'), misreadRemedy(inspection))
  if (fault !== null && !hasList)
    return say(
      'danger',
      t('ui.format.explanation.say.fault', { fault: FAULTS[fault].name }),
      FAULTS[fault].remedy,
    )
  if (!hasList)
    return say(
      'danger',
      t('ui.format.explanation.say.noList', { meaning: describeStatus(status).meaning }),
      inspection.errorComment,
    )
  if (total === 0)
    return say(
      'warning',
      t('ui.format.explanation.say.noExam', { window: daysQueriedText(inspection) }),
      t('ui.format.explanation.say.noExamRemedy'),
    )
  if (sent === 0 && withheld === 0)
    return say(
      'warning',
      t('ui.format.explanation.say.noneFits', { count: total }),
      filterRemedy(inspection.keys),
    )
  if (sent === 0) {
    const headline =
      filtered > 0
        ? t('ui.format.explanation.say.unsafeAndFiltered', { count: withheld, filtered })
        : t('ui.format.explanation.say.unsafe', { count: withheld })
    return say('danger', headline, t('ui.format.explanation.say.mendAtPartner'))
  }
  if (status !== '0000') {
    return say(
      'warning',
      t('ui.format.explanation.say.incomplete', {
        count: sent,
        why: inspection.errorComment || describeStatus(status).name,
      }),
      t('ui.format.explanation.say.narrow'),
    )
  }
  if (withheld > 0)
    return say(
      'warning',
      t('ui.format.explanation.say.withheld', { sent, withheld }),
      t('ui.format.explanation.say.mendAtPartner'),
    )
  const staleSourceText =
    SOURCES[inspection.source].tone === 'warning' ? ` ${SOURCES[inspection.source].meaning}` : ''
  return say(
    staleSourceText ? 'warning' : 'good',
    `${t('ui.format.explanation.say.sent', { count: sent })}${staleSourceText}`,
  )
}

/** The keys that narrow a query, in words: `Modality = CT`. */
export const narrowingKeys = (keys: readonly ReceivedKey[]): string[] =>
  keys
    .filter(
      (key) =>
        key.matching !== 'universal' && key.matching !== 'sequence' && key.matching !== 'ignored',
    )
    .map((key) => `${keywordText(key.keyword)}: ${keyValueText(key)}`)

const station = (
  name: Station['name'],
  state: Station['state'],
  text: string,
  details: readonly string[] = [],
): Station => ({
  name,
  state,
  title: t(`ui.format.explanation.titles.${name}`),
  text,
  details,
})
const skipped = (name: Station['name'], text: string) => station(name, 'skipped', text)

function asked(inspection: Inspection, isMisread: boolean): Station {
  const { origin, deviceName, callingAeTitle, remoteAddress, errorComment } = inspection
  const name = deviceName || callingAeTitle
  const device = remoteAddress
    ? t('ui.format.explanation.asked.deviceAt', {
        name,
        aeTitle: callingAeTitle,
        address: remoteAddress,
      })
    : t('ui.format.explanation.asked.device', { name, aeTitle: callingAeTitle })
  const query =
    origin === 'window'
      ? t('ui.format.explanation.asked.fromWindow', { device })
      : t('ui.format.explanation.asked.byDevice', { device })
  const keys = narrowingKeys(inspection.keys)
  const text =
    keys.length === 0
      ? t('ui.format.explanation.asked.wide', { query })
      : t('ui.format.explanation.asked.narrowed', { query, keys: keys.length })
  return station(
    'asked',
    isMisread ? 'stop' : 'passed',
    text,
    isMisread ? [errorComment, ...keys].filter(Boolean) : keys,
  )
}

function window(inspection: Inspection, isMisread: boolean): Station {
  const remarks = inspection.remarks.map(translateMessage)
  if (inspection.question === null)
    return station(
      'window',
      isMisread ? 'skipped' : 'remark',
      t('ui.format.explanation.window.none'),
      remarks,
    )
  return station(
    'window',
    remarks.length > 0 ? 'remark' : 'passed',
    t('ui.format.explanation.window.asked', { window: daysQueriedText(inspection) }),
    remarks,
  )
}

function partner(inspection: Inspection): Station {
  const { source, fault, partnerMs } = inspection
  const answer = inspection.partner
  const facts = [
    partnerMs === null
      ? ''
      : t('ui.format.explanation.partner.took', { time: durationText(partnerMs) }),
    answer?.httpStatus ? `HTTP ${answer.httpStatus}` : '',
    answer && answer.bytes > 0 ? bytesText(answer.bytes) : '',
  ].filter(Boolean)
  const { meaning, tone } = SOURCES[source]
  const state = source === 'none' ? 'stop' : fault === null && tone === 'good' ? 'passed' : 'remark'
  const details = [
    facts.length > 0 && fault === null
      ? t('ui.format.explanation.partner.it', { facts: facts.join(', ') })
      : '',
    answer?.detail ? translateMessage(answer.detail) : '',
  ].filter(Boolean)
  return station(
    'partner',
    state,
    fault === null
      ? meaning
      : t('ui.format.explanation.partner.why', { meaning, fault: FAULTS[fault].name }),
    details,
  )
}

function explainLost(
  name: 'keys' | 'checks',
  count: number,
  isStop: boolean,
  rows: readonly RowVerdict[],
  verdict: RowVerdict['verdict'],
): Station {
  if (count === 0)
    return station(
      name,
      'passed',
      name === 'keys'
        ? t('ui.format.explanation.keys.allFit')
        : t('ui.format.explanation.checks.allPassed'),
    )
  return station(
    name,
    isStop ? 'stop' : 'remark',
    t(`ui.format.explanation.${name}.lost`, { count }),
    reasons(rows, verdict),
  )
}

/** The reasons of one verdict, most frequent first. */
function reasons(rows: readonly RowVerdict[], verdict: RowVerdict['verdict']): string[] {
  const counts = new Map<string, number>()
  for (const row of rows)
    if (row.verdict === verdict && row.reason) {
      const reason = translateMessage(row.reason)
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  const shown = sorted
    .slice(0, 6)
    .map(([reason, count]) => t('ui.format.explanation.reason', { count, reason }))
  return sorted.length > 6
    ? [...shown, t('ui.format.explanation.moreReasons', { count: sorted.length - 6 })]
    : shown
}

function daysQueriedText({ question }: Inspection): string {
  if (question === null) return t('ui.format.explanation.forTheseDays')
  const days = daysText(question.dateStart, question.dateEnd)
  return question.modality
    ? t('ui.format.explanation.forDaysOf', { days, modality: question.modality })
    : t('ui.format.explanation.forDays', { days })
}

const misreadRemedy = ({ errorComment }: Inspection) =>
  errorComment
    ? t('ui.format.explanation.say.misreadRemedyOf', { comment: errorComment })
    : t('ui.format.explanation.say.misreadRemedy')

const filterRemedy = (keys: readonly ReceivedKey[]) => {
  const narrowing = narrowingKeys(keys)
  return narrowing.length === 0
    ? t('ui.format.explanation.say.reasonsBelow')
    : t('ui.format.explanation.say.filterRemedy', { keys: narrowing.join('; ') })
}

function keyValueText(key: ReceivedKey): string {
  const ends = key.value.split('-')
  if (key.vr === 'DA')
    return key.matching === 'range' ? rangeText(ends, dayText) : dayText(key.value)
  if (key.vr === 'TM')
    return key.matching === 'range' ? rangeText(ends, timeText) : timeText(key.value)
  return key.value
}

function rangeText(ends: readonly string[], text: (value: string) => string): string {
  const [start = '', end = ''] = ends
  if (start === '') return t('ui.format.explanation.until', { end: text(end) })
  if (end === '') return t('ui.format.explanation.from', { start: text(start) })
  return start === end
    ? text(start)
    : t('ui.format.explanation.range', { start: text(start), end: text(end) })
}
