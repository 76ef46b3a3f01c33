import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import type { HandedOutRow } from '#server/modules/studies/image-study-row.ts'
import { keptItems, readRows } from './answer.ts'
import type { RowKeyword } from './attributes.ts'
import {
  type CharacterSetPolicy,
  policyOf,
  repertoireFor,
  TEXT_KEYWORDS,
} from './character-set-fallback.ts'
import { listSentAnswers, type SentAnswer } from './inspection-queries.ts'
import type { AskedFor } from './item.ts'
import { readDocument } from './queries.ts'
import type { WorklistRow } from './row.ts'
import { findingsOf, readVerdicts, type VerdictDocument } from './verdicts.ts'

/** What images or an MPPS say of the row they were made for; '' where they say nothing. */
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
 * A row belongs where all of these are equal and none is empty, the closest join first.
 * Some consoles do not copy the UID, and some number steps by themselves; a step id alone is no
 * proof where the requested procedure is known and is another.
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
/** Joins before this one are by the UID, which no two studies share. */
const FIRST_WITHOUT_UID = 3

/**
 * Results of queries that are looked at, the partner's answers that are opened for them and those
 * that are read row by row, and their bytes.
 */
const MOST_RESULTS = 500
const MOST_OPENED = 200
const MOST_READ = 20
const MOST_BYTES = 96 << 20

interface Candidate {
  readonly index: number
  readonly join: number
  readonly row: WorklistRow
}

/** What a search has looked at, and the best row so far. */
interface Search {
  readonly query: CorrelationQuery
  /** Rows that any join admits, by the hash of their answer. */
  readonly opened: Map<string, readonly Candidate[]>
  bytes: number
  read: number
  best: { readonly join: number; readonly row: HandedOutRow | undefined } | undefined
}

/**
 * The row that a device was sent and that its images or its MPPS belong to, as far as queries are
 * kept: by the closest join, of those the newest. Undefined where none was sent to it, or where
 * rows of several studies would do.
 */
export async function findSentRow(
  context: Context,
  given: CorrelationQuery,
): Promise<HandedOutRow | undefined> {
  const query = trimmed(given)
  const closestPossible = JOINS.findIndex((join) => isPossible(join, query))
  if (closestPossible < 0) return undefined
  const search: Search = { query, opened: new Map(), bytes: 0, read: 0, best: undefined }
  const { opened } = search
  for (const sent of listSentAnswers(context.database, query.callingAeTitle, MOST_RESULTS)) {
    const known = opened.get(sent.answerHash)
    const isSpent =
      opened.size >= MOST_OPENED || search.bytes >= MOST_BYTES || search.read >= MOST_READ
    if (known ? known.length === 0 : isSpent) continue
    await setImmediate()
    const body = known ? undefined : bodyWorthReading(context, sent.answerHash, search)
    if (!known && !body) opened.set(sent.answerHash, [])
    const verdicts = known || body ? verdictsOf(context, sent) : undefined
    if (!verdicts?.context) continue
    if (body) search.read++
    const candidates = body ? await candidatesIn(body, verdicts.context, query) : (known ?? [])
    opened.set(sent.answerHash, candidates)
    const found = closest(candidates, verdicts, search.best?.join ?? JOINS.length)
    if (found)
      search.best = {
        join: found.join,
        row: found.candidate && sentRowOf(context, found.candidate, verdicts, sent, query),
      }
    if (search.best && search.best.join <= closestPossible) break
  }
  return search.best?.row
}

/** Steps of the newest result that the device was sent, by Study Instance UID. */
export async function stepsLastSent(
  context: Context,
  callingAeTitle: string,
): Promise<Map<string, Set<string>>> {
  const steps = new Map<string, Set<string>>()
  const [last] = listSentAnswers(context.database, callingAeTitle, 1)
  const verdicts = last && verdictsOf(context, last)
  const body = last && readDocument(context, last.answerHash)
  if (!body || !verdicts?.context) return steps
  const { rows } = await readRows(keptItems(body) ?? [], verdicts.context)
  for (const [index, { verdict }] of [...findingsOf(verdicts)].entries()) {
    const values = rows[index]?.values
    if (verdict !== 'sent' || !values) continue
    const ofStudy = steps.get(values.StudyInstanceUID) ?? new Set()
    steps.set(values.StudyInstanceUID, ofStudy.add(values.ScheduledProcedureStepID))
  }
  return steps
}

function verdictsOf(context: Context, { verdictHash }: SentAnswer): VerdictDocument | undefined {
  const bytes = readDocument(context, verdictHash)
  return bytes && readVerdicts(bytes)
}

/** The body of an answer that may hold such a row. */
function bodyWorthReading(context: Context, hash: string, search: Search): Buffer | undefined {
  const body = readDocument(context, hash)
  search.bytes += body?.length ?? 0
  return body && mayHold(body, search.query) ? body : undefined
}

/** With the texts that were sent in another form (transliterated, cut) as they were sent. */
function sentRowOf(
  context: Context,
  { row, index }: Candidate,
  verdicts: VerdictDocument,
  { at, remoteAddress }: SentAnswer,
  { callingAeTitle }: CorrelationQuery,
): HandedOutRow {
  const wasChanged = ([...findingsOf(verdicts)][index]?.remarks.length ?? 0) > 0
  const device = recogniseDevice(context, callingAeTitle, remoteAddress)
  const policy = policyOf(device, declaredIn(verdicts))
  const values = wasChanged ? { ...row.values, ...textsAsSent(row, verdicts, policy) } : row.values
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
  // Short numbers recur: with another order and another patient, the step only happens to have the
  // same.
  const isOther = (name: Identifier) => query[name] !== '' && !isEqual(name)
  return isOther('accessionNumber') && isOther('patientId') ? -1 : join
}

/** Rows of an answer that any join admits, the closest join of each. */
async function candidatesIn(
  body: Buffer,
  askedFor: AskedFor,
  query: CorrelationQuery,
): Promise<readonly Candidate[]> {
  const { rows } = await readRows(keptItems(body) ?? [], askedFor)
  return rows.flatMap((row, index) => {
    const join = joinOf(row, query)
    return join < 0 ? [] : [{ index, join, row }]
  })
}

interface Found {
  readonly join: number
  /** Undefined where rows of several studies would do. */
  readonly candidate: Candidate | undefined
}

/**
 * The row of the closest join among those that were sent, if it is closer than `than`; of several
 * steps of a study the first.
 */
function closest(
  candidates: readonly Candidate[],
  verdicts: VerdictDocument,
  than: number,
): Found | undefined {
  if (!candidates.some(({ join }) => join < than)) return undefined
  const findings = [...findingsOf(verdicts)]
  const sent = candidates.filter(
    ({ index, join }) => join < than && findings[index]?.verdict === 'sent',
  )
  if (sent.length === 0) return undefined
  const join = Math.min(...sent.map((candidate) => candidate.join))
  const [first, ...others] = sent.filter((candidate) => candidate.join === join)
  const isOneStudy = others.every(
    ({ row }) => row.values.StudyInstanceUID === first?.row.values.StudyInstanceUID,
  )
  return { join, candidate: isOneStudy ? first : undefined }
}

/** Made-up ids (see `item`) are not in the body. */
const MADE_UP = /^[SP][A-Z2-7]{15}$/
/** JSON may write anything else in several ways. */
const AS_WRITTEN = /^[A-Za-z0-9. _-]+$/

/**
 * Whether the body is worth reading: most answers are passed over by looking for the ids' bytes.
 */
function mayHold(body: Buffer, query: CorrelationQuery): boolean {
  const ids = IDENTIFIERS.map((name) => query[name]).filter((id) => id !== '')
  return ids.some((id) => MADE_UP.test(id) || !AS_WRITTEN.test(id) || body.includes(id))
}

/** The character set that the query declared, as its record shows it. */
const declaredIn = ({ keys }: VerdictDocument): readonly string[] =>
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
  const { characterSet, encoded } = repertoireFor(asked, policy)(row)
  const terms = characterSet === '' ? [] : characterSet.split('\\')
  return Object.fromEntries(
    asked.flatMap(({ keyword, vr }) => {
      const bytes = encoded.get(keyword)
      return bytes ? [[keyword, decodeText(bytes, terms, vr).text]] : []
    }),
  )
}
