import { DimseError } from '#server/dicom/dimse/status.ts'
import { foldName, nameTest } from '#server/dicom/matching/person-name.ts'
import {
  dateSpan,
  intervalOf,
  isInterval,
  isReversed,
  isWithin,
  REVERSED_MESSAGE,
  type Span,
  SpanFault,
  timeSpan,
} from '#server/dicom/matching/range.ts'
import { keyValues, MAX_TESTED_VALUES, textTest } from '#server/dicom/matching/text-values.ts'
import { hasWildCard } from '#server/dicom/matching/wild-card.ts'
import { plainDate } from '#server/modules/studies/retrieval-index-queries.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { RETRIEVAL_ATTRIBUTES, type RetrievalAttribute } from './attributes.ts'
import { type EntityKey, type EntityQuery, isAtOrAbove } from './entity-query.ts'
import type { CandidateFacts } from './found.ts'
import { KEY } from './keys.ts'

/** A matching key, prepared for comparison. */
export interface CompiledKey {
  readonly attribute: RetrievalAttribute
  /** The distinct values without universal ones; of a date or time, the beginning of the span. */
  readonly values: readonly string[]
  /** Set for a date or a time. */
  readonly span: Span | undefined
  /** Whether one value of the attribute matches. */
  readonly matchesValue: (held: string) => boolean
  readonly matches: (found: CandidateFacts) => boolean
}

/**
 * Prepares the keys of a query. Keys that are not supported, universal, or of a lower level are left
 * out.
 * @throws {DimseError} A900 with the offending element: an invalid date or time, a range that ends
 *   before it starts, or too many values to test
 */
export function compileKeys({
  level,
  keys,
  combinesDateTime = false,
}: EntityQuery): readonly CompiledKey[] {
  const compiled = keys.flatMap((key) => {
    const attribute = RETRIEVAL_ATTRIBUTES.get(key.tag)
    return attribute && isAtOrAbove(attribute.level, level) ? compileKey(attribute, key) : []
  })
  const [date, time] = [keyOf(compiled, KEY.studyDate), keyOf(compiled, KEY.studyTime)]
  if (!combinesDateTime || !date || !time || !isInterval(date.span, time.span)) {
    if (time?.span && isReversed(time.span)) throw rangeFault(time.attribute, REVERSED_MESSAGE)
    return compiled
  }
  const { from, to } = intervalOf(date.span as Span, time.span as Span)
  if (isReversed({ from, to })) throw rangeFault(time.attribute, REVERSED_MESSAGE)
  const isInInterval = ({ study }: CandidateFacts) => {
    const day = plainDate(study.header.studyDate)
    const at = comparableTime(study.header.studyTime) || '000000.000000'
    return day !== '' && isWithin(day + at, from, to)
  }
  // The range of dates alone stays a key, because it is looked up in an index.
  return compiled.map((key) => (key === time ? { ...key, matches: isInInterval } : key))
}

/** The value of an attribute by its keyword, among compiled keys. */
export const keyOf = (keys: readonly CompiledKey[], tag: number): CompiledKey | undefined =>
  keys.find(({ attribute }) => attribute.tag === tag)

function compileKey(attribute: RetrievalAttribute, key: EntityKey): CompiledKey[] {
  const { vr, read } = attribute
  if (vr === 'DA' || vr === 'TM') return compileRange(attribute, key.text)
  const values = keyValues(vr, key.text)
  if (values.length === 0) return []
  const tested = vr === 'PN' || vr === 'DS' ? values : values.filter(hasWildCard)
  if (tested.length > MAX_TESTED_VALUES)
    throw new DimseError(
      0xa900,
      message('worklist.many-key-values', { keyword: attribute.keyword, most: MAX_TESTED_VALUES }),
      [key.tag],
    )
  if (vr === 'PN') {
    const isNameExact = key.isExact ?? true
    const tests = values.map((name) => nameTest(name, !isNameExact || !hasWildCard(name)))
    const matchesValue = (name: string) => {
      const held = foldName(name)
      return tests.some((test) => test(held))
    }
    return [
      {
        attribute,
        values,
        span: undefined,
        matchesValue: matchesValue,
        matches: (found) => matchesValue(read(found)),
      },
    ]
  }
  const matchesValue = textTest(vr, values)
  // A multi-valued attribute matches if one of its values does (PS3.4 C.2.2.2.1).
  const matches = (found: CandidateFacts) => read(found).split('\\').some(matchesValue)
  return [{ attribute, values, span: undefined, matchesValue: matchesValue, matches }]
}

function compileRange(attribute: RetrievalAttribute, text: string): CompiledKey[] {
  const { vr, read } = attribute
  const span = rangeOf(attribute, text)
  if (!span) return []
  const comparable = vr === 'TM' ? comparableTime : plainDate
  const matchesValue = (value: string) => {
    const held = comparable(value)
    return held !== '' && isWithin(held, span.from, span.to)
  }
  const matches = (found: CandidateFacts) => matchesValue(read(found))
  return [{ attribute, values: [span.from], span, matchesValue: matchesValue, matches }]
}

function rangeOf(attribute: RetrievalAttribute, text: string): Span | undefined {
  try {
    return attribute.vr === 'TM' ? timeSpan(text) : dateSpan(text)
  } catch (error) {
    throw error instanceof SpanFault ? rangeFault(attribute, error.explanation) : error
  }
}

const rangeFault = ({ keyword, tag }: RetrievalAttribute, fault: Message) =>
  new DimseError(0xa900, message('worklist.key-fault', { keyword, fault }), [tag])

/** A stored TM as `HHMMSS.FFFFFF`; '' if it is none. */
function comparableTime(text: string): string {
  const parts = /^(\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.(\d{1,6}))?)?)?$/.exec(text)
  if (!parts) return ''
  const [, hour, minute = '00', second = '00', fraction = ''] = parts
  return `${hour}${minute}${second}.${fraction.padEnd(6, '0')}`
}
