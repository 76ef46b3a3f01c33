import type { IdentityState } from './contract/images.ts'
import type { CheckFinding } from './contract/reports.ts'
import { REPORT_CHECKS, type ReportCheck } from './contract/reports.ts'
import type { StudyReportMetadata } from './contract/scribe.ts'
import { type Message, message } from './messages/message.ts'
import { fieldsOf, type ReportSection, sectionsOf } from './report-text.ts'
import {
  CRITICAL_WORDS,
  NEGATION_AFTER,
  NEGATION_BEFORE,
  OTHER_SUBJECT,
  PAST_FINDING_BEFORE,
  SEX_WORDS,
  SIDED_PARTS,
} from './report-words.ts'

export interface CheckInput {
  readonly text: string
  readonly isAddendum?: boolean
  readonly isCritical: boolean
  /** The finding of a critical report; absent if the user has not been asked for it yet. */
  readonly finding?: string | null | undefined
  /** Identity state of the images. */
  readonly identity: IdentityState
  readonly metadata: StudyReportMetadata
  readonly studyDescription: string
  /** The clinical indication from the partner. */
  readonly indication?: string | undefined
  /** The patient data as of when the report was begun. */
  readonly patientAtOpening?: StudyReportMetadata | undefined
}

/**
 * Checks a report before signing. Returns errors first, then warnings, at most one per check. Only
 * English words are recognized; texts in other languages pass. False alarms are worse than misses,
 * because users who see many of them stop reading them.
 */
export function reportFindings(input: CheckInput): CheckFinding[] {
  const read = parseText(input)
  const found = REPORT_CHECKS.flatMap((check) => {
    const finding = CHECKS[check](input, read)
    return finding ? [{ check, ...finding }] : []
  })
  return [
    ...found.filter(({ level }) => level === 'error'),
    ...found.filter(({ level }) => level === 'warning'),
  ]
}

type Finding = Omit<CheckFinding, 'check'>
const error = (sentence: Message): Finding => ({ level: 'error', sentence })
const warning = (sentence: Message): Finding => ({ level: 'warning', sentence })

/** The sections of the text that are checked, in lower case. */
interface ParsedText {
  readonly sections: readonly ReportSection[]
  readonly findings: string
  readonly impression: string
  /** The observations, without indication, technique and comparison. */
  readonly seen: string
}

function parseText({ text }: CheckInput): ParsedText {
  const sections = sectionsOf(text)
  const of = (names: readonly string[]) =>
    sections
      .filter(({ heading }) => names.includes(heading))
      .map((section) => section.text)
      .join('\n')
      .toLowerCase()
  return {
    sections,
    findings: of(['Findings']),
    impression: of(['Impression']),
    seen: of(['', 'Findings', 'Impression']),
  }
}

/** Maximum number of fields that a finding names. */
const MAX_NAMED = 3

const CHECKS: Readonly<
  Record<ReportCheck, (input: CheckInput, read: ParsedText) => Finding | undefined>
> = {
  identity({ identity }) {
    if (identity === 'mismatch') return error(message('reports.check-identity-mismatch'))
    if (identity !== 'overridden') return undefined
    return warning(message('reports.check-identity-overridden'))
  },

  'empty-text': ({ text }, { sections }) =>
    text.trim() === '' || sections.every((section) => section.text === '')
      ? error(message('reports.check-no-text'))
      : undefined,

  'empty-impression'({ text, isAddendum }, { sections }) {
    const impression = sections.find(({ heading }) => heading === 'Impression')
    if (sections.every((section) => section.text === '')) return undefined
    if (impression)
      return impression.text === '' ? error(message('reports.check-empty-impression')) : undefined
    const isStructured = sections.some(({ heading }) => heading === 'Findings')
    if (
      isAddendum ||
      !isStructured ||
      /\b(?:conclusion|opinion|summary|assessment)\b|\bimpression\s*:/i.test(text)
    )
      return undefined
    return warning(message('reports.check-no-impression'))
  },

  'unfilled-field'({ text }) {
    const fields = fieldsOf(text).map(({ from, to, choices }) => ({
      field: text.slice(from, to),
      choices,
    }))
    if (fields.length === 0) return undefined
    const names = [...new Set(fields.map(({ field }) => field))]
    const named = [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ['…'] : [])].join(
      ', ',
    )
    const sentence = message('reports.check-unfilled', { count: fields.length, fields: named })
    // Square brackets with words in them may be the author's own.
    return fields.some(({ field, choices }) => choices.length > 0 || !/\p{L}/u.test(field))
      ? error(sentence)
      : warning(sentence)
  },

  laterality({ studyDescription, indication = '' }, { sections, findings, impression, seen }) {
    const asked = sideOf(studyDescription.toLowerCase(), ABBREVIATED_SIDES)
    const observed = sideOf(seen, SPELLED_SIDES)
    if (asked && observed && asked !== observed)
      return warning(
        message('reports.check-side-of-study', { studySide: asked, textSide: observed }),
      )
    const [below, above] = [sideOf(findings, SPELLED_SIDES), sideOf(impression, SPELLED_SIDES)]
    if (below && above && below !== above)
      return warning(
        message('reports.check-side-of-impression', {
          findingsSide: below,
          impressionSide: above,
        }),
      )
    const why =
      `${indication}\n${sections.find(({ heading }) => heading === 'Indication')?.text ?? ''}`.toLowerCase()
    const request = `${why}\n${studyDescription.toLowerCase()}`
    for (const part of SIDED_PARTS) {
      const [findingsSide, impressionSide] = [
        sideOfPart(findings, part),
        sideOfPart(impression, part),
      ]
      if (findingsSide && impressionSide && findingsSide !== impressionSide)
        return warning(
          message('reports.check-part-of-impression', { findingsSide, impressionSide, part }),
        )
      const [requestSide, textSide] = [sideOfPart(request, part), sideOfPart(seen, part)]
      if (requestSide && textSide && requestSide !== textSide)
        return warning(message('reports.check-part-of-request', { requestSide, textSide, part }))
    }
    return undefined
  },

  sex({ metadata: { sex } }, { seen }) {
    if (sex !== 'male' && sex !== 'female') return undefined
    const other = sex === 'male' ? 'female' : 'male'
    const word = sentencesOf(seen)
      .filter((sentence) => !OTHER_SUBJECT.test(sentence))
      .map((sentence) => SEX_WORDS[other].exec(sentence)?.[0])
      .find((found) => found !== undefined)
    return word === undefined ? undefined : warning(message('reports.check-sex', { sex, word }))
  },

  'critical-wording'({ isCritical }, { seen }) {
    if (isCritical) return undefined
    const clauses = clausesOf(seen)
    const said = CRITICAL_WORDS.find(({ words }) =>
      clauses.some((clause) => isAffirmed(clause, words)),
    )
    return said && warning(message('reports.check-critical-wording', { finding: said.name }))
  },

  'critical-without-finding': ({ isCritical, finding }) =>
    isCritical && finding !== undefined && (finding ?? '').trim().length < 3
      ? error(message('reports.check-critical-without-finding'))
      : undefined,

  'patient-changed'({ metadata, patientAtOpening }) {
    if (!patientAtOpening) return undefined
    const changed = PATIENT_FIELDS.filter(({ field }) => {
      const [before, now] = [patientAtOpening[field], metadata[field]]
      return before !== undefined && now !== undefined && !isSameValue(before, now)
    })
    return changed.length === 0
      ? undefined
      : warning(
          message('reports.check-patient-changed', { fields: changed.map(({ name }) => name) }),
        )
  },
}

const PATIENT_FIELDS = [
  { field: 'patientName', name: message('reports.patient-name') },
  { field: 'dateOfBirth', name: message('reports.patient-date-of-birth') },
  { field: 'mrn', name: message('reports.patient-record-number') },
  { field: 'sex', name: message('reports.patient-sex') },
] as const satisfies readonly { field: keyof StudyReportMetadata; name: Message }[]

/**
 * Whether two values are equal, ignoring case, accents, punctuation and the order of a name's
 * parts.
 */
const isSameValue = (a: string, b: string) => wordsOf(a) === wordsOf(b)
const wordsOf = (text: string) =>
  (
    text
      .normalize('NFKD')
      .replace(/\p{Mark}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .sort()
    .join(' ')

type Side = 'left' | 'right'
type SideWords = Readonly<Record<Side | 'both', RegExp>>
/**
 * Sides in the text of a report. Chambers of the heart are excluded, as they exist in every chest,
 * and sides that are mentioned for comparison.
 */
const NOT_COMPARISON = '(?<!\\b(?:than|unlike|compared (?:to|with))(?: [a-z]+){0,3} )'
const NO_SIDE =
  '(?! (?:atri(?:um|al)|ventric(?:le|ular)|heart|sided heart|now|away|after|lateral decubitus|decubitus))'
const SPELLED_SIDES: SideWords = {
  left: new RegExp(`${NOT_COMPARISON}\\bleft\\b${NO_SIDE}`),
  right: new RegExp(`${NOT_COMPARISON}\\bright\\b${NO_SIDE}`),
  both: /\b(?:bilateral|bilaterally|both|contralateral|either side)\b/,
}
/**
 * Sides in a study description, such as `LT KNEE` and `KNEE RT`. Projections are excluded, and `RT
 * PLANNING`, which means radiotherapy.
 */
const PROJECTION =
  '(?! (?:lateral|anterior|posterior|oblique|decub\\w*|heart|atri\\w+|ventric\\w+|plan|planning|simulation|sim|dose|therapy|treatment))'
const ABBREVIATED_SIDES: SideWords = {
  left: new RegExp(`\\b(?:left|lt)\\b${PROJECTION}`),
  right: new RegExp(`\\b(?:right|rt)\\b${PROJECTION}`),
  both: /\b(?:bilateral|bilat|both)\b/,
}

/** The only side that the text mentions; undefined if it mentions none or both. */
function sideOf(text: string, { left, right, both }: SideWords): Side | undefined {
  if (both.test(text)) return undefined
  const [isLeft, isRight] = [left.test(text), right.test(text)]
  return isLeft === isRight ? undefined : isLeft ? 'left' : 'right'
}

/**
 * The only side for which the part is mentioned, with at most two words in between; undefined for
 * none or both.
 */
function sideOfPart(text: string, part: string): Side | undefined {
  const named = (side: Side) =>
    new RegExp(`\\b${side}(?:-sided)?(?: (?!left|right)[a-z]+){0,2} ${part}s?\\b`).test(text)
  if (new RegExp(`\\b(?:bilateral|both) (?:[a-z]+ ){0,2}${part}s?\\b`).test(text)) return undefined
  const [isLeft, isRight] = [named('left'), named('right')]
  return isLeft === isRight ? undefined : isLeft ? 'left' : 'right'
}

/**
 * Splits text into sentences. A sentence may continue on the next line; list items are separate
 * sentences.
 */
const sentencesOf = (text: string) => text.split(/[.!;](?=\s|$)|\n\s*(?=[-•*\d\n])/)
/** Splits text into clauses, to which negations are limited. */
const clausesOf = (text: string) =>
  sentencesOf(text)
    .flatMap((sentence) =>
      sentence.split(/\b(?:but|however|although|though|except|whereas|nevertheless)\b/),
    )
    .map((clause) => clause.replace(/\s+/g, ' '))

function isAffirmed(clause: string, words: RegExp): boolean {
  const found = words.exec(clause)
  if (!found) return false
  const [before, after] = [
    clause.slice(0, found.index),
    clause.slice(found.index + found[0].length),
  ]
  return (
    !NEGATION_BEFORE.test(before) &&
    !PAST_FINDING_BEFORE.test(before) &&
    !NEGATION_AFTER.test(after.split(',')[0] ?? '')
  )
}
