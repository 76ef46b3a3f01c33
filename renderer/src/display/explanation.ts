import type { Inspection, ReceivedKey, RowVerdict } from '#shared/contract/worklist.ts'
import { bytesText, countText, durationText } from './amounts.ts'
import { FAULTS, SOURCES } from './answer-source.ts'
import { daysText, dayText, timeText } from './dates.ts'
import { shownStatus } from './dimse-status.ts'
import type { Tone } from './tones.ts'

/** One station of a query on its way; `stop` is the one where the list became empty or incomplete. */
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

/** Follows a query from the device to its answer and says where exams were lost, in that order. Give it the inspection with all verdicts. */
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
    isMisread ? skipped('partner', 'The partner’s answer', 'The partner was not asked.') : partner(inspection),
    hasList
      ? station(
          'list',
          total === 0 ? 'stop' : 'passed',
          'The partner’s list',
          total === 0 ? 'It holds no exam.' : `It holds ${exams(total)}.`,
        )
      : skipped('list', 'The partner’s list', 'There was no list.'),
    hasList && total > 0
      ? lost('keys', 'The keys of the query', filtered, sent === 0 && withheld === 0, 'did not fit them', inspection.rows, 'filtered')
      : skipped('keys', 'The keys of the query', 'There was nothing to match.'),
    hasList && total > 0
      ? lost('checks', 'The checks of the gateway', withheld, sent === 0 && withheld > 0, 'withheld', inspection.rows, 'withheld')
      : skipped('checks', 'The checks of the gateway', 'There was nothing to check.'),
    station(
      'sent',
      sent === 0 ? 'skipped' : cut > 0 || isCancelled ? 'remark' : 'passed',
      'Sent to the device',
      `${exams(sent)}. The query ended with ${status.toUpperCase()}, ${shownStatus(status).name.toLowerCase()}, after ${durationText(inspection.tookMs)}.`,
      inspection.errorComment ? [`Comment to the device: “${inspection.errorComment}”`] : [],
    ),
  ]

  const say = (tone: Tone, headline: string, remedy = ''): Explanation => ({ tone, headline, remedy, stations })
  if (isCancelled)
    return say('plain', `The device cancelled the query after ${exams(sent)}.`, 'Ask again at the device if that was not meant.')
  if (isMisread) return say('danger', 'The query could not be understood, so nothing was looked up.', misreadRemedy(inspection))
  if (fault !== null && !hasList) return say('danger', `Empty, because ${FAULTS[fault].name}.`, FAULTS[fault].remedy)
  if (!hasList) return say('danger', `No list was given: ${shownStatus(status).meaning}`, inspection.errorComment)
  if (total === 0) {
    return say(
      'warning',
      `Empty, because the partner has no exam ${windowWords(inspection)}.`,
      'If an exam is missing, check in the partner’s system that it is scheduled for that day.',
    )
  }
  if (sent === 0 && withheld === 0) {
    return say(
      'warning',
      `Empty, because none of the partner’s ${exams(total)} fits what the device asked for.`,
      filterRemedy(inspection.keys),
    )
  }
  if (sent === 0) {
    const rest = filtered > 0 ? ` and ${exams(filtered)} did not fit the query` : ''
    return say(
      'danger',
      `Empty, because ${exams(withheld)} cannot be sent safely${rest}.`,
      'The reasons are below; most are mended in the partner’s system.',
    )
  }
  if (status !== '0000') {
    return say(
      'warning',
      `${exams(sent)} sent, but the list is not complete: ${inspection.errorComment || shownStatus(status).name}.`,
      'Narrow the query at the device.',
    )
  }
  if (withheld > 0) {
    return say(
      'warning',
      `${exams(sent)} sent; ${exams(withheld)} withheld: ${withheld === 1 ? 'it' : 'they'} cannot be sent safely.`,
      'The reasons are below; most are mended in the partner’s system.',
    )
  }
  const stale = SOURCES[inspection.source].tone === 'warning' ? ` ${SOURCES[inspection.source].meaning}` : ''
  return say(stale ? 'warning' : 'good', `${exams(sent)} sent.${stale}`)
}

/** The keys that narrow a query, in words: `Modality = CT`. */
export const narrowingKeys = (keys: readonly ReceivedKey[]): string[] =>
  keys
    .filter((key) => key.matching !== 'universal' && key.matching !== 'sequence' && key.matching !== 'ignored')
    .map((key) => `${wordOf(key.keyword)}: ${valueWords(key)}`)

/** `ScheduledProcedureStepStartDate` as words; initialisms stay whole. */
export const wordOf = (keyword: string): string => keyword.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')

const exams = (count: number) => countText(count, 'exam')

const station = (
  name: Station['name'],
  state: Station['state'],
  title: string,
  text: string,
  details: readonly string[] = [],
): Station => ({
  name,
  state,
  title,
  text,
  details,
})
const skipped = (name: Station['name'], title: string, text: string) => station(name, 'skipped', title, text)

function asked(inspection: Inspection, isMisread: boolean): Station {
  const who = inspection.deviceName || inspection.callingAeTitle
  const keys = narrowingKeys(inspection.keys)
  const from = inspection.origin === 'window' ? 'asked from this window as' : 'query of'
  const text = `A ${from} ${who} (${inspection.callingAeTitle}${inspection.remoteAddress ? ` at ${inspection.remoteAddress}` : ''}), ${
    keys.length === 0 ? 'with no key that narrows it.' : `narrowed by ${countText(keys.length, 'key')}.`
  }`.replace('A asked', 'Asked')
  return station(
    'asked',
    isMisread ? 'stop' : 'passed',
    'The question',
    text,
    isMisread ? [inspection.errorComment, ...keys].filter(Boolean) : keys,
  )
}

function window(inspection: Inspection, isMisread: boolean): Station {
  const { question, remarks } = inspection
  if (question === null)
    return station('window', isMisread ? 'skipped' : 'remark', 'The days asked for', 'The partner was not asked for any day.', remarks)
  return station(
    'window',
    remarks.length > 0 ? 'remark' : 'passed',
    'The days asked for',
    `The partner’s list ${windowWords(inspection)}.`,
    remarks,
  )
}

function partner(inspection: Inspection): Station {
  const { source, fault, partnerMs } = inspection
  const answer = inspection.partner
  const facts = [
    partnerMs === null ? '' : `answered after ${durationText(partnerMs)}`,
    answer?.httpStatus ? `HTTP ${answer.httpStatus}` : '',
    answer && answer.bytes > 0 ? bytesText(answer.bytes) : '',
  ].filter(Boolean)
  const why = fault === null ? '' : ` Why: ${FAULTS[fault].name}.`
  const state = source === 'none' ? 'stop' : fault === null && SOURCES[source].tone === 'good' ? 'passed' : 'remark'
  const details = [facts.length > 0 && fault === null ? `It ${facts.join(', ')}.` : '', answer?.detail ?? ''].filter(Boolean)
  return station('partner', state, 'The partner’s answer', `${SOURCES[source].meaning}${why}`, details)
}

function lost(
  name: 'keys' | 'checks',
  title: string,
  count: number,
  isStop: boolean,
  what: string,
  rows: readonly RowVerdict[],
  verdict: RowVerdict['verdict'],
): Station {
  if (count === 0) return station(name, 'passed', title, name === 'keys' ? 'Every exam fitted them.' : 'No exam was withheld.')
  const verb = name === 'checks' ? (count === 1 ? 'was withheld' : 'were withheld') : what
  return station(name, isStop ? 'stop' : 'remark', title, `${exams(count)} ${verb}.`, reasons(rows, verdict))
}

/** The reasons of one verdict, most frequent first. */
function reasons(rows: readonly RowVerdict[], verdict: RowVerdict['verdict']): string[] {
  const counts = new Map<string, number>()
  for (const row of rows) if (row.verdict === verdict && row.reason) counts.set(row.reason, (counts.get(row.reason) ?? 0) + 1)
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  const shown = sorted.slice(0, 6).map(([reason, count]) => `${exams(count)}: ${reason}`)
  return sorted.length > 6 ? [...shown, `and ${countText(sorted.length - 6, 'more reason')}`] : shown
}

function windowWords(inspection: Inspection): string {
  const { question } = inspection
  if (question === null) return 'for these days'
  return `for ${daysText(question.dateStart, question.dateEnd)}${question.modality ? `, modality ${question.modality}` : ''}`
}

const misreadRemedy = (inspection: Inspection) =>
  `Correct the query at the device${inspection.errorComment ? ` (“${inspection.errorComment}”)` : ''}; the keys as received are below.`

const filterRemedy = (keys: readonly ReceivedKey[]) => {
  const narrowing = narrowingKeys(keys)
  return narrowing.length === 0 ? 'The reasons are below.' : `Clear or correct these keys at the device: ${narrowing.join('; ')}.`
}

function valueWords(key: ReceivedKey): string {
  const ends = key.value.split('-')
  if (key.vr === 'DA') return key.matching === 'range' ? rangeWords(ends, dayText) : dayText(key.value)
  if (key.vr === 'TM') return key.matching === 'range' ? rangeWords(ends, timeText) : timeText(key.value)
  return key.value
}

function rangeWords(ends: readonly string[], words: (value: string) => string): string {
  const [start = '', end = ''] = ends
  if (start === '') return `until ${words(end)}`
  if (end === '') return `from ${words(start)}`
  return start === end ? words(start) : `${words(start)} to ${words(end)}`
}
