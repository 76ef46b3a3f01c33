import type { Database } from '#server/database/database.ts'
import { MIN_SUBSTRING_LENGTH, wordsIn } from '#server/database/search-text.ts'
import { foldName } from '#server/dicom/matching/person-name.ts'
import { hasWildCard } from '#server/dicom/matching/wild-card.ts'
import {
  expressionOf,
  type IndexedField,
  patientKeyOfId,
} from '#server/modules/studies/retrieval-words.ts'
import { IMAGE_WORDS, searchWordsOf } from '#server/modules/studies/search-index.ts'
import {
  type CandidateSource,
  countIndexedStudies,
  type DateRange,
  type IndexedStudy,
} from './candidate-queries.ts'
import { type CompiledKey, keyOf } from './entity-keys.ts'
import { studiesOfInstances, studiesOfSeries } from './entity-queries.ts'
import { KEY } from './keys.ts'

/** Up to this many studies of a range of dates are examined instead of looking up words. */
const MAX_EXAMINED_BY_DATE = 1000
/** Includes studies without a date. */
const ALL_TIME: DateRange = { from: '', to: '99999999' }

/** Returns the source with the fewest candidates, as far as that is cheap to determine. */
export function candidateSource(database: Database, keys: readonly CompiledKey[]): CandidateSource {
  const studyUids = studyUidsOf(database, keys)
  if (studyUids) return { by: 'uid', studyUids }
  const patient = keyOf(keys, KEY.patientId)
  if (patient && !patient.values.some(hasWildCard))
    return { by: 'patient', patientKeys: patient.values.map((id) => patientKeyOfId(database, id)) }
  const words = wordSource(database, keys)
  const time = dateRangeSource(keys)
  if (!words) return time
  const isLimited = time.by === 'modality' || time.from !== '' || time.to !== ALL_TIME.to
  const isShort =
    isLimited &&
    countIndexedStudies(database, time, MAX_EXAMINED_BY_DATE + 1) <= MAX_EXAMINED_BY_DATE
  return isShort ? time : words
}

function studyUidsOf(database: Database, keys: readonly CompiledKey[]): string[] | undefined {
  const [study, series, instance] = [
    KEY.studyInstanceUid,
    KEY.seriesInstanceUid,
    KEY.sopInstanceUid,
  ].map((tag) => keyOf(keys, tag)?.values)
  if (study) return [...study]
  if (instance) return studiesOfInstances(database, instance)
  return series && studiesOfSeries(database, series)
}

function dateRangeSource(keys: readonly CompiledKey[]): Extract<CandidateSource, DateRange> {
  const span = keyOf(keys, KEY.studyDate)?.span
  const range = span ? { from: span.from || '00000000', to: span.to || ALL_TIME.to } : ALL_TIME
  for (const tag of [KEY.modalitiesInStudy, KEY.modality]) {
    const [modality, ...others] = keyOf(keys, tag)?.values ?? []
    if (modality !== undefined && others.length === 0 && !hasWildCard(modality))
      return { by: 'modality', modality, ...range }
  }
  return { by: 'date', ...range }
}

/** Whether a row of the index may match: its date and its modalities do. */
export function indexedStudyFilter(keys: readonly CompiledKey[]): (row: IndexedStudy) => boolean {
  const { from, to } = dateRangeSource(keys)
  const modalities = [KEY.modalitiesInStudy, KEY.modality].flatMap((tag) => keyOf(keys, tag) ?? [])
  return (row) =>
    row.studyDate >= from &&
    row.studyDate <= to &&
    (modalities.length === 0 || matchesModalities(row, modalities))
}

function matchesModalities({ modalities }: IndexedStudy, keys: readonly CompiledKey[]): boolean {
  const held = JSON.parse(modalities) as readonly string[]
  return keys.every(({ matchesValue }) => held.some(matchesValue))
}

const INDEXED_KEYS: readonly (readonly [tag: number, what: IndexedField])[] = [
  [KEY.patientId, 'patient'],
  [KEY.accessionNumber, 'accession'],
  [KEY.studyId, 'study'],
  [KEY.patientBirthDate, 'born'],
]

function wordSource(database: Database, keys: readonly CompiledKey[]): CandidateSource | undefined {
  const name = keyOf(keys, KEY.patientName)
  const expressions = [
    name && nameExpression(database, name.values),
    ...INDEXED_KEYS.map(([tag, what]) => {
      const key = keyOf(keys, tag)
      return key && !key.span?.isRange ? expressionOf(database, what, key.values) : undefined
    }),
  ].filter((expression) => expression !== undefined)
  if (expressions.length > 0)
    return { by: 'words', table: 'retrievalWords', expression: expressions.join(' AND ') }
  const parts = [KEY.patientName, KEY.patientId, KEY.accessionNumber, KEY.studyDescription].flatMap(
    (tag) => substringExpressions(database, keyOf(keys, tag)),
  )
  return parts.length === 0
    ? undefined
    : { by: 'words', table: IMAGE_WORDS, expression: parts.join(' AND ') }
}

function nameExpression(database: Database, names: readonly string[]): string | undefined {
  const alternatives = names.map((name) => {
    const groups = foldName(name)
      .filter((group) => !/^\**$/.test(group))
      .map((group) => expressionOf(database, 'name', [group]))
      .filter((expression) => expression !== undefined)
    return groups.length === 0 ? undefined : `(${groups.join(' AND ')})`
  })
  if (alternatives.some((expression) => expression === undefined)) return undefined
  return `(${alternatives.join(' OR ')})`
}

/** Expressions for the texts between the wild cards of a key with one value. */
function substringExpressions(database: Database, key: CompiledKey | undefined): string[] {
  const [value, ...others] = key?.values ?? []
  if (value === undefined || others.length > 0) return []
  const parts = value
    .split(/[*?]+/)
    .flatMap(wordsIn)
    .filter((part) => [...part].length >= MIN_SUBSTRING_LENGTH)
  return searchWordsOf(database)
    .expressionsOf(parts.join(' '))
    .map(({ text }) => text)
}
