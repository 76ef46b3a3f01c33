import { countText } from './amounts.ts'

const exams = (count: number) => countText(count, 'exam')

/** What an explanation of a query says. `window` is a phrase of `forDays`. */
export const en = {
  titles: {
    asked: 'The question',
    window: 'The days asked for',
    partner: 'The partner’s answer',
    list: 'The partner’s list',
    keys: 'The keys of the query',
    checks: 'The checks of the gateway',
    sent: 'Sent to the device',
  },
  forDays: (days: string) => `for ${days}`,
  forDaysOf: (days: string, modality: string) => `for ${days}, modality ${modality}`,
  forTheseDays: 'for these days',
  asked: {
    fromWindow: (device: string) => `Asked from this window as ${device}`,
    byDevice: (device: string) => `A query of ${device}`,
    device: (name: string, aeTitle: string) => `${name} (${aeTitle})`,
    deviceAt: (name: string, aeTitle: string, address: string) =>
      `${name} (${aeTitle} at ${address})`,
    wide: (query: string) => `${query}, with no key that narrows it.`,
    narrowed: (query: string, keys: number) => `${query}, narrowed by ${countText(keys, 'key')}.`,
  },
  window: {
    none: 'The partner was not asked for any day.',
    asked: (window: string) => `The partner’s list ${window}.`,
  },
  partner: {
    notAsked: 'The partner was not asked.',
    took: (time: string) => `answered after ${time}`,
    it: (facts: string) => `It ${facts}.`,
    why: (meaning: string, fault: string) => `${meaning} Why: ${fault}.`,
  },
  list: {
    empty: 'It holds no exam.',
    holds: (count: number) => `It holds ${exams(count)}.`,
    none: 'There was no list.',
  },
  keys: {
    allFit: 'Every exam fitted them.',
    lost: (count: number) => `${exams(count)} did not fit them.`,
    nothing: 'There was nothing to match.',
  },
  checks: {
    allPassed: 'No exam was withheld.',
    lost: (count: number) => `${exams(count)} ${count === 1 ? 'was' : 'were'} withheld.`,
    nothing: 'There was nothing to check.',
  },
  sent: {
    text: (count: number, code: string, status: string, time: string) =>
      `${exams(count)}. The query ended with ${code}, ${status.toLowerCase()}, after ${time}.`,
    comment: (comment: string) => `Comment to the device: “${comment}”`,
  },
  reason: (count: number, reason: string) => `${exams(count)}: ${reason}`,
  moreReasons: (count: number) => `and ${countText(count, 'more reason')}`,
  from: (start: string) => `from ${start}`,
  until: (end: string) => `until ${end}`,
  range: (start: string, end: string) => `${start} to ${end}`,
  say: {
    cancelled: (count: number) => `The device cancelled the query after ${exams(count)}.`,
    cancelledRemedy: 'Ask again at the device if that was not meant.',
    misread: 'The query could not be understood, so nothing was looked up.',
    misreadRemedy: 'Correct the query at the device; the keys as received are below.',
    misreadRemedyOf: (comment: string) =>
      `Correct the query at the device (“${comment}”); the keys as received are below.`,
    fault: (fault: string) => `Empty, because ${fault}.`,
    noList: (meaning: string) => `No list was given: ${meaning}`,
    noExam: (window: string) => `Empty, because the partner has no exam ${window}.`,
    noExamRemedy:
      'If an exam is missing, check in the partner’s system that it is scheduled for that day.',
    noneFits: (count: number) =>
      `Empty, because none of the partner’s ${exams(count)} fits what the device asked for.`,
    filterRemedy: (keys: string) => `Clear or correct these keys at the device: ${keys}.`,
    reasonsBelow: 'The reasons are below.',
    unsafe: (count: number) => `Empty, because ${exams(count)} cannot be sent safely.`,
    unsafeAndFiltered: (count: number, filtered: number) =>
      `Empty, because ${exams(count)} cannot be sent safely and ${exams(filtered)} did not fit the query.`,
    mendAtPartner: 'The reasons are below; most are mended in the partner’s system.',
    incomplete: (count: number, why: string) =>
      `${exams(count)} sent, but the list is not complete: ${why}.`,
    narrow: 'Narrow the query at the device.',
    withheld: (sent: number, withheld: number) =>
      `${exams(sent)} sent; ${exams(withheld)} withheld: ${withheld === 1 ? 'it' : 'they'} cannot be sent safely.`,
    sent: (count: number) => `${exams(count)} sent.`,
  },
} as const

export type English = typeof en
