import type { Inspection, ReceivedKey, RowVerdict } from '#shared/contract/worklist.ts'
import { said } from '../language/said.ts'
import { bytesText, durationText } from './amounts.ts'
import { FAULTS, SOURCES } from './answer-source.ts'
import { daysText, dayText, timeText } from './dates.ts'
import { shownStatus } from './dimse-status.ts'
import { words } from './explanation-words.ts'
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
    isMisread ? skipped('partner', words.partner.notAsked) : partner(inspection),
    hasList
      ? station(
          'list',
          total === 0 ? 'stop' : 'passed',
          total === 0 ? words.list.empty : words.list.holds(total),
        )
      : skipped('list', words.list.none),
    hasList && total > 0
      ? lost('keys', filtered, sent === 0 && withheld === 0, inspection.rows, 'filtered')
      : skipped('keys', words.keys.nothing),
    hasList && total > 0
      ? lost('checks', withheld, sent === 0 && withheld > 0, inspection.rows, 'withheld')
      : skipped('checks', words.checks.nothing),
    station(
      'sent',
      sent === 0 ? 'skipped' : cut > 0 || isCancelled ? 'remark' : 'passed',
      words.sent.text(
        sent,
        status.toUpperCase(),
        shownStatus(status).name,
        durationText(inspection.tookMs),
      ),
      inspection.errorComment ? [words.sent.comment(inspection.errorComment)] : [],
    ),
  ]

  const say = (tone: Tone, headline: string, remedy = ''): Explanation => ({
    tone,
    headline,
    remedy,
    stations,
  })
  if (isCancelled) return say('plain', words.say.cancelled(sent), words.say.cancelledRemedy)
  if (isMisread) return say('danger', words.say.misread, misreadRemedy(inspection))
  if (fault !== null && !hasList)
    return say('danger', words.say.fault(FAULTS[fault].name), FAULTS[fault].remedy)
  if (!hasList)
    return say('danger', words.say.noList(shownStatus(status).meaning), inspection.errorComment)
  if (total === 0)
    return say('warning', words.say.noExam(windowWords(inspection)), words.say.noExamRemedy)
  if (sent === 0 && withheld === 0)
    return say('warning', words.say.noneFits(total), filterRemedy(inspection.keys))
  if (sent === 0) {
    const headline =
      filtered > 0 ? words.say.unsafeAndFiltered(withheld, filtered) : words.say.unsafe(withheld)
    return say('danger', headline, words.say.mendAtPartner)
  }
  if (status !== '0000') {
    return say(
      'warning',
      words.say.incomplete(sent, inspection.errorComment || shownStatus(status).name),
      words.say.narrow,
    )
  }
  if (withheld > 0)
    return say('warning', words.say.withheld(sent, withheld), words.say.mendAtPartner)
  const stale =
    SOURCES[inspection.source].tone === 'warning' ? ` ${SOURCES[inspection.source].meaning}` : ''
  return say(stale ? 'warning' : 'good', `${words.say.sent(sent)}${stale}`)
}

/** The keys that narrow a query, in words: `Modality = CT`. */
export const narrowingKeys = (keys: readonly ReceivedKey[]): string[] =>
  keys
    .filter(
      (key) =>
        key.matching !== 'universal' && key.matching !== 'sequence' && key.matching !== 'ignored',
    )
    .map((key) => `${wordOf(key.keyword)}: ${valueWords(key)}`)

/** `ScheduledProcedureStepStartDate` as words; initialisms stay whole. */
export const wordOf = (keyword: string): string =>
  keyword.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z]{2})/g, '$1 $2')

const station = (
  name: Station['name'],
  state: Station['state'],
  text: string,
  details: readonly string[] = [],
): Station => ({
  name,
  state,
  title: words.titles[name],
  text,
  details,
})
const skipped = (name: Station['name'], text: string) => station(name, 'skipped', text)

function asked(inspection: Inspection, isMisread: boolean): Station {
  const { origin, deviceName, callingAeTitle, remoteAddress, errorComment } = inspection
  const name = deviceName || callingAeTitle
  const device = remoteAddress
    ? words.asked.deviceAt(name, callingAeTitle, remoteAddress)
    : words.asked.device(name, callingAeTitle)
  const query = origin === 'window' ? words.asked.fromWindow(device) : words.asked.byDevice(device)
  const keys = narrowingKeys(inspection.keys)
  const text =
    keys.length === 0 ? words.asked.wide(query) : words.asked.narrowed(query, keys.length)
  return station(
    'asked',
    isMisread ? 'stop' : 'passed',
    text,
    isMisread ? [errorComment, ...keys].filter(Boolean) : keys,
  )
}

function window(inspection: Inspection, isMisread: boolean): Station {
  const remarks = inspection.remarks.map(said)
  if (inspection.question === null)
    return station('window', isMisread ? 'skipped' : 'remark', words.window.none, remarks)
  return station(
    'window',
    remarks.length > 0 ? 'remark' : 'passed',
    words.window.asked(windowWords(inspection)),
    remarks,
  )
}

function partner(inspection: Inspection): Station {
  const { source, fault, partnerMs } = inspection
  const answer = inspection.partner
  const facts = [
    partnerMs === null ? '' : words.partner.took(durationText(partnerMs)),
    answer?.httpStatus ? `HTTP ${answer.httpStatus}` : '',
    answer && answer.bytes > 0 ? bytesText(answer.bytes) : '',
  ].filter(Boolean)
  const { meaning, tone } = SOURCES[source]
  const state = source === 'none' ? 'stop' : fault === null && tone === 'good' ? 'passed' : 'remark'
  const details = [
    facts.length > 0 && fault === null ? words.partner.it(facts.join(', ')) : '',
    answer?.detail ? said(answer.detail) : '',
  ].filter(Boolean)
  return station(
    'partner',
    state,
    fault === null ? meaning : words.partner.why(meaning, FAULTS[fault].name),
    details,
  )
}

function lost(
  name: 'keys' | 'checks',
  count: number,
  isStop: boolean,
  rows: readonly RowVerdict[],
  verdict: RowVerdict['verdict'],
): Station {
  if (count === 0)
    return station(name, 'passed', name === 'keys' ? words.keys.allFit : words.checks.allPassed)
  return station(name, isStop ? 'stop' : 'remark', words[name].lost(count), reasons(rows, verdict))
}

/** The reasons of one verdict, most frequent first. */
function reasons(rows: readonly RowVerdict[], verdict: RowVerdict['verdict']): string[] {
  const counts = new Map<string, number>()
  for (const row of rows)
    if (row.verdict === verdict && row.reason) {
      const reason = said(row.reason)
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  const shown = sorted.slice(0, 6).map(([reason, count]) => words.reason(count, reason))
  return sorted.length > 6 ? [...shown, words.moreReasons(sorted.length - 6)] : shown
}

function windowWords({ question }: Inspection): string {
  if (question === null) return words.forTheseDays
  const days = daysText(question.dateStart, question.dateEnd)
  return question.modality ? words.forDaysOf(days, question.modality) : words.forDays(days)
}

const misreadRemedy = ({ errorComment }: Inspection) =>
  errorComment ? words.say.misreadRemedyOf(errorComment) : words.say.misreadRemedy

const filterRemedy = (keys: readonly ReceivedKey[]) => {
  const narrowing = narrowingKeys(keys)
  return narrowing.length === 0
    ? words.say.reasonsBelow
    : words.say.filterRemedy(narrowing.join('; '))
}

function valueWords(key: ReceivedKey): string {
  const ends = key.value.split('-')
  if (key.vr === 'DA')
    return key.matching === 'range' ? rangeWords(ends, dayText) : dayText(key.value)
  if (key.vr === 'TM')
    return key.matching === 'range' ? rangeWords(ends, timeText) : timeText(key.value)
  return key.value
}

function rangeWords(ends: readonly string[], text: (value: string) => string): string {
  const [start = '', end = ''] = ends
  if (start === '') return words.until(text(end))
  if (end === '') return words.from(text(start))
  return start === end ? text(start) : words.range(text(start), text(end))
}
