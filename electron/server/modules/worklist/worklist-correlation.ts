import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import type { SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import { parseStoredItems, readRows } from './answer.ts'
import type { RowKeyword } from './attributes.ts'
import {
  type CharacterSetPolicy,
  policyOf,
  rowEncoder,
  TEXT_KEYWORDS,
} from './character-set-fallback.ts'
import { listSentAnswers, type SentAnswer } from './inspection-queries.ts'
import type { RequestScope } from './item.ts'
import { readDocument } from './queries.ts'
import type { WorklistRow } from './row.ts'
import { findingsOf, readVerdicts, type VerdictDocument } from './verdicts.ts'

/**
 * The identifiers that images or an MPPS carry of the row they were made for; '' for those that are
 * missing.
 */
export interface CorrelationQuery {
  readonly callingAeTitle: string
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
  readonly requestedProcedureId: string
  readonly accessionNumber: string
  readonly patientId: string
}

type Identifier = Exclude<keyof CorrelationQuery, 'callingAeTitle'>

const KEYWORDS = {
  studyInstanceUid: 'StudyInstanceUID',
  scheduledProcedureStepId: 'ScheduledProcedureStepID',
  requestedProcedureId: 'RequestedProcedureID',
  accessionNumber: 'AccessionNumber',
  patientId: 'PatientID',
} as const satisfies Record<Identifier, RowKeyword>
const IDENTIFIERS = Object.keys(KEYWORDS) as Identifier[]

interface Join {
  readonly equal: readonly Identifier[]
  readonly unknown?: Identifier
}

/**
 * A row corresponds if all of these identifiers are equal and none is empty; joins are listed from
 * strictest to loosest. Some modalities do not copy the UID, and some number steps themselves. A
 * step ID alone is not sufficient if the requested procedure is known to be different.
 */
const JOINS: readonly Join[] = [
  { equal: ['studyInstanceUid', 'scheduledProcedureStepId'] },
  { equal: ['studyInstanceUid', 'requestedProcedureId'] },
  { equal: ['studyInstanceUid'] },
  { equal: ['scheduledProcedureStepId', 'requestedProcedureId'] },
  { equal: ['scheduledProcedureStepId'], unknown: 'requestedProcedureId' },
  { equal: ['requestedProcedureId'] },
  { equal: ['accessionNumber', 'patientId'] },
]
/** Joins before this index use the Study Instance UID, which is unique to a study. */
const FIRST_WITHOUT_UID = 3

/**
 * Limits of a search: query results examined, answers opened for them, answers parsed into rows,
 * and bytes.
 */
const MAX_RESULTS = 500
const MAX_OPENED_RECORDS = 200
const MAX_PARSED_ANSWERS = 20
const MAX_RETAINED_BYTES = 96 << 20

interface Candidate {
  readonly index: number
  readonly join: number
  readonly row: WorklistRow
}

/** The state of a search and the best row so far. */
interface Search {
  readonly query: CorrelationQuery
  /** Rows that any join matches, by the hash of their answer. */
  readonly opened: Map<string, readonly Candidate[]>
  bytes: number
  parsed: number
  best: { readonly join: number; readonly row: SentWorklistRow | undefined } | undefined
}

/**
 * Finds the row that a device was sent and that its images or MPPS belong to, among the recorded
 * queries: the row with the strictest join, and among those the newest. Undefined if no row
 * matches, or if rows of several studies match.
 */
export async function findSentRow(
  context: Context,
  given: CorrelationQuery,
): Promise<SentWorklistRow | undefined> {
  const query = trimmed(given)
  const strictestPossibleIndex = JOINS.findIndex((join) => isPossible(join, query))
  if (strictestPossibleIndex < 0) return undefined
  const search: Search = { query, opened: new Map(), bytes: 0, parsed: 0, best: undefined }
  const { opened } = search
  for (const sent of listSentAnswers(context.database, query.callingAeTitle, MAX_RESULTS)) {
    const known = opened.get(sent.answerHash)
    const isExhausted =
      opened.size >= MAX_OPENED_RECORDS ||
      search.bytes >= MAX_RETAINED_BYTES ||
      search.parsed >= MAX_PARSED_ANSWERS
    if (known ? known.length === 0 : isExhausted) continue
    await setImmediate()
    const body = known ? undefined : bodyIfRelevant(context, sent.answerHash, search)
    if (!known && !body) opened.set(sent.answerHash, [])
    const verdicts = known || body ? verdictsOf(context, sent) : undefined
    if (!verdicts?.context) continue
    if (body) search.parsed++
    const candidates = body ? await candidatesIn(body, verdicts.context, query) : (known ?? [])
    opened.set(sent.answerHash, candidates)
    const found = strictestMatch(candidates, verdicts, search.best?.join ?? JOINS.length)
    if (found)
      search.best = {
        join: found.join,
        row: found.candidate && sentRowOf(context, found.candidate, verdicts, sent, query),
      }
    if (search.best && search.best.join <= strictestPossibleIndex) break
  }
  return search.best?.row
}

/** The step IDs of the newest result sent to the device, by Study Instance UID. */
export async function stepsLastSent(
  context: Context,
  callingAeTitle: string,
): Promise<Map<string, Set<string>>> {
  const steps = new Map<string, Set<string>>()
  const [last] = listSentAnswers(context.database, callingAeTitle, 1)
  const verdicts = last && verdictsOf(context, last)
  const body = last && readDocument(context, last.answerHash)
  if (!body || !verdicts?.context) return steps
  const { rows } = await readRows(parseStoredItems(body) ?? [], verdicts.context)
  for (const [index, { verdict }] of [...findingsOf(verdicts)].entries()) {
    const values = rows[index]?.values
    if (verdict !== 'sent' || !values) continue
    const stepsOfStudy = steps.get(values.StudyInstanceUID) ?? new Set()
    steps.set(values.StudyInstanceUID, stepsOfStudy.add(values.ScheduledProcedureStepID))
  }
  return steps
}

function verdictsOf(context: Context, { verdictHash }: SentAnswer): VerdictDocument | undefined {
  const bytes = readDocument(context, verdictHash)
  return bytes && readVerdicts(bytes)
}

/** The body of an answer, if it may contain a matching row. */
function bodyIfRelevant(context: Context, hash: string, search: Search): Buffer | undefined {
  const body = readDocument(context, hash)
  search.bytes += body?.length ?? 0
  return body && mayContain(body, search.query) ? body : undefined
}

/** The row with the texts as they were sent, which may have been transliterated or truncated. */
function sentRowOf(
  context: Context,
  { row, index }: Candidate,
  verdicts: VerdictDocument,
  { at, remoteAddress }: SentAnswer,
  { callingAeTitle }: CorrelationQuery,
): SentWorklistRow {
  const isChanged = ([...findingsOf(verdicts)][index]?.remarks.length ?? 0) > 0
  const device = recogniseDevice(context, callingAeTitle, remoteAddress)
  const policy = policyOf(device, declaredCharacterSets(verdicts))
  const values = isChanged ? { ...row.values, ...textsAsSent(row, verdicts, policy) } : row.values
  return {
    studyInstanceUid: values.StudyInstanceUID,
    scheduledProcedureStepId: values.ScheduledProcedureStepID,
    requestedProcedureId: values.RequestedProcedureID,
    accessionNumber: values.AccessionNumber,
    patientName: values.PatientName,
    patientId: values.PatientID,
    patientBirthDate: values.PatientBirthDate,
    patientSex: values.PatientSex,
    description: values.ScheduledProcedureStepDescription,
    callingAeTitle,
    at,
  }
}

const trimmed = (query: CorrelationQuery): CorrelationQuery => ({
  ...query,
  ...Object.fromEntries(IDENTIFIERS.map((name) => [name, query[name].trim().normalize('NFC')])),
})

const isPossible = ({ equal, unknown }: Join, query: CorrelationQuery): boolean =>
  equal.every((name) => query[name] !== '') && (unknown === undefined || query[unknown] === '')

function joinOf({ values }: WorklistRow, query: CorrelationQuery): number {
  const isEqual = (name: Identifier) => query[name] === values[KEYWORDS[name]]
  const join = JOINS.findIndex((one) => isPossible(one, query) && one.equal.every(isEqual))
  if (join < FIRST_WITHOUT_UID) return join
  // Short numbers recur: if both order and patient differ, the step number is a coincidence.
  const isDifferent = (name: Identifier) => query[name] !== '' && !isEqual(name)
  return isDifferent('accessionNumber') && isDifferent('patientId') ? -1 : join
}

/** The rows of an answer that any join matches, each with its strictest join. */
async function candidatesIn(
  body: Buffer,
  askedFor: RequestScope,
  query: CorrelationQuery,
): Promise<readonly Candidate[]> {
  const { rows } = await readRows(parseStoredItems(body) ?? [], askedFor)
  return rows.flatMap((row, index) => {
    const join = joinOf(row, query)
    return join < 0 ? [] : [{ index, join, row }]
  })
}

interface CorrelationMatch {
  readonly join: number
  /** Undefined if rows of several studies match. */
  readonly candidate: Candidate | undefined
}

/**
 * The sent row with the strictest join, if that is stricter than `limit`; the first step if a study
 * has several.
 */
function strictestMatch(
  candidates: readonly Candidate[],
  verdicts: VerdictDocument,
  limit: number,
): CorrelationMatch | undefined {
  if (!candidates.some(({ join }) => join < limit)) return undefined
  const findings = [...findingsOf(verdicts)]
  const sent = candidates.filter(
    ({ index, join }) => join < limit && findings[index]?.verdict === 'sent',
  )
  if (sent.length === 0) return undefined
  const join = Math.min(...sent.map((candidate) => candidate.join))
  const [first, ...others] = sent.filter((candidate) => candidate.join === join)
  const isOneStudy = others.every(
    ({ row }) => row.values.StudyInstanceUID === first?.row.values.StudyInstanceUID,
  )
  return { join, candidate: isOneStudy ? first : undefined }
}

/** Generated IDs (see `item.ts`) do not occur in the body. */
const GENERATED_ID = /^[SP][A-Z2-7]{15}$/
/** Other characters may be escaped in JSON. */
const UNESCAPED = /^[A-Za-z0-9. _-]+$/

/**
 * Whether the body may contain the row. Searching for the bytes of the IDs avoids parsing most
 * answers.
 */
function mayContain(body: Buffer, query: CorrelationQuery): boolean {
  const ids = IDENTIFIERS.map((name) => query[name]).filter((id) => id !== '')
  return ids.some((id) => GENERATED_ID.test(id) || !UNESCAPED.test(id) || body.includes(id))
}

/** The character set that the query declared, according to its record. */
const declaredCharacterSets = ({ keys }: VerdictDocument): readonly string[] =>
  keys
    .find(({ keyword }) => keyword === 'SpecificCharacterSet')
    ?.value.split('\\')
    .map((term) => term.trim()) ?? []

function textsAsSent(
  row: WorklistRow,
  { keys }: VerdictDocument,
  policy: CharacterSetPolicy,
): Partial<Record<RowKeyword, string>> {
  const asked = TEXT_KEYWORDS.filter(({ keyword }) => keys.some((key) => key.keyword === keyword))
  const { characterSet, encoded } = rowEncoder(asked, policy)(row)
  const terms = characterSet === '' ? [] : characterSet.split('\\')
  return Object.fromEntries(
    asked.flatMap(({ keyword, vr }) => {
      const bytes = encoded.get(keyword)
      return bytes ? [[keyword, decodeText(bytes, terms, vr).text]] : []
    }),
  )
}
