import { createHmac } from 'node:crypto'
import { type Database, perDatabase } from '#server/database/database.ts'
import { foldName } from '#server/dicom/matching/person-name.ts'
import { hasWildCard } from '#server/dicom/matching/wild-card.ts'
import type { ImageHeader } from './image-study-row.ts'

// The keyed words by which C-FIND and QIDO-RS find studies (decision 0054). Each value is indexed
// as a whole and by its beginnings, under a key of its own, so that the database alone does not
// contain it.

/** Lengths in characters of the indexed beginnings of a value. */
const PREFIX_LENGTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32] as const
/** 60 bits. */
const WORD_HEX_DIGITS = 15
const PATIENT_KEY_BYTES = 16
/** Hashed words kept in memory: the beginnings of names and numbers of a clinic repeat. */
const MAX_CACHED_WORDS = 50_000

/** What is indexed by words. */
export type IndexedField = 'name' | 'patient' | 'accession' | 'study' | 'born'

type Identity = Pick<
  ImageHeader,
  'patientName' | 'patientId' | 'patientBirthDate' | 'accessionNumber' | 'studyId'
>

const hasherOf = perDatabase((database) => {
  const key = database.seal.keyFor('retrieval index')
  const cache = new Map<string, string>()
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    digest,
    word(text: string): string {
      const known = cache.get(text)
      if (known !== undefined) return known
      if (cache.size >= MAX_CACHED_WORDS) cache.clear()
      const word = digest(text).toString('hex').slice(0, WORD_HEX_DIGITS)
      cache.set(text, word)
      return word
    },
  }
})

/**
 * Identifies the patient of a study: studies with the same Patient ID have the same key, and studies
 * without one if name and birth date are the same.
 */
export function patientKeyOf(database: Database, identity: Identity): Buffer {
  const { patientId, patientName, patientBirthDate } = identity
  return hashPatientKey(
    database,
    patientId,
    patientId === '' ? [patientName, patientBirthDate] : [],
  )
}

/** The key of the patient with a Patient ID, which is not empty. */
export const patientKeyOfId = (database: Database, patientId: string): Buffer =>
  hashPatientKey(database, patientId, [])

const hashPatientKey = (database: Database, ...who: readonly [string, readonly string[]]): Buffer =>
  hasherOf(database)
    .digest(`patient ${JSON.stringify(who)}`)
    .subarray(0, PATIENT_KEY_BYTES)

/** The words of a study, for FTS5's `ascii` tokenizer. */
export function retrievalWordsOf(database: Database, identity: Identity): string {
  const { word } = hasherOf(database)
  const { patientName, patientId, accessionNumber, studyId, patientBirthDate } = identity
  const words = new Set<string>()
  const addPrefixes = (what: IndexedField, value: string) => {
    const characters = [...value]
    for (const length of PREFIX_LENGTHS)
      if (length <= characters.length) words.add(word(beginningWord(what, characters, length)))
  }
  const addWholeValue = (what: IndexedField, value: string) => {
    if (value !== '') words.add(word(wholeValueWord(what, value)))
  }
  for (const group of foldName(patientName)) {
    addPrefixes('name', group)
    // A key without wild cards also matches a name with further components.
    const components = group.split('^')
    for (let count = 1; count <= components.length; count++)
      addWholeValue('name', components.slice(0, count).join('^'))
  }
  addPrefixes('patient', patientId)
  addPrefixes('accession', accessionNumber)
  addWholeValue('accession', accessionNumber)
  addWholeValue('study', studyId)
  addWholeValue('born', patientBirthDate)
  return [...words].join(' ')
}

const beginningWord = (what: IndexedField, characters: readonly string[], length: number) =>
  `${what} ${length} ${characters.slice(0, length).join('')}`
const wholeValueWord = (what: IndexedField, value: string) => `${what} = ${value}`

/**
 * The FTS5 expression that matches every study with a value that the key matches, and few others;
 * undefined if it would match too many: a key that begins with a wild card.
 * @param values one of which must match; names folded (`foldName`)
 */
export function expressionOf(
  database: Database,
  what: IndexedField,
  values: readonly string[],
): string | undefined {
  const words = values.map((value) => wordOf(database, what, value))
  if (words.some((word) => word === undefined)) return undefined
  return `(${words.map((word) => `"${word}"`).join(' OR ')})`
}

function wordOf(database: Database, what: IndexedField, value: string): string | undefined {
  const { word } = hasherOf(database)
  const hasPrefixes = what === 'name' || what === 'patient' || what === 'accession'
  if (!hasWildCard(value) && what !== 'patient') return word(wholeValueWord(what, value))
  const literalPrefix = [...(value.split(/[*?]/, 1)[0] ?? '')]
  const length = PREFIX_LENGTHS.findLast((one) => one <= literalPrefix.length)
  return length !== undefined && hasPrefixes
    ? word(beginningWord(what, literalPrefix, length))
    : undefined
}
