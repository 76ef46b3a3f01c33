import { Readable } from 'node:stream'
import type { Context } from '#server/context.ts'
import {
  type JsonAttribute,
  type JsonDataSet,
  jsonPersonName,
  jsonTag,
} from '#server/dicom/data-set/dicom-json.ts'
import { tagOf } from '#server/dicom/data-set/dictionary.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { DicomwebAnswer, DicomwebCall } from '#server/http/dicomweb-route.ts'
import { attributesAt, RETRIEVAL_ATTRIBUTES } from '#server/modules/query-retrieve/attributes.ts'
import {
  type EntitiesEnd,
  type EntityKey,
  type FoundEntity,
  MAX_ENTITIES,
} from '#server/modules/query-retrieve/entity-query.ts'
import { findEntities } from '#server/modules/query-retrieve/find-entities.ts'
import { ApiError } from '#shared/errors.ts'
import { acceptedRepresentations, isOfType } from './accept.ts'
import { malformedParameterError, notAcceptableError } from './faults.ts'
import { DICOM_JSON } from './media-types.ts'

export type SearchLevel = 'STUDY' | 'SERIES' | 'IMAGE'

const tagsOfKeywords = (...names: readonly string[]): number[] =>
  names.flatMap((name) => tagOf(name) ?? [])

/** Attributes of every answer (PS3.18 Tables 10.6.3-3 to 10.6.3-5). */
const DEFAULT_RETURN_TAGS: Readonly<Record<SearchLevel, readonly number[]>> = {
  STUDY: tagsOfKeywords(
    ...['StudyDate', 'StudyTime', 'AccessionNumber', 'InstanceAvailability', 'ModalitiesInStudy'],
    ...['ReferringPhysicianName', 'PatientName', 'PatientID', 'PatientBirthDate', 'PatientSex'],
    ...['StudyInstanceUID', 'StudyID', 'StudyDescription'],
    ...['NumberOfStudyRelatedSeries', 'NumberOfStudyRelatedInstances'],
  ),
  SERIES: tagsOfKeywords(
    ...['StudyInstanceUID', 'Modality', 'SeriesDescription', 'SeriesInstanceUID', 'SeriesNumber'],
    ...['NumberOfSeriesRelatedInstances', 'InstanceAvailability'],
  ),
  IMAGE: tagsOfKeywords(
    ...['StudyInstanceUID', 'SeriesInstanceUID', 'SOPClassUID', 'SOPInstanceUID', 'InstanceNumber'],
    ...['InstanceAvailability', 'Rows', 'Columns', 'BitsAllocated', 'NumberOfFrames'],
    'AvailableTransferSyntaxUID',
  ),
}
const [STUDY_UID = 0, SERIES_UID = 0] = tagsOfKeywords('StudyInstanceUID', 'SeriesInstanceUID')

/** Query parameters that are no attributes; `accept` is read elsewhere. */
const OPTION_PARAMETERS: ReadonlySet<string> = new Set([
  ...[
    'accept',
    'emptyvaluematching',
    'fuzzymatching',
    'includefield',
    'limit',
    'multiplevaluematching',
  ],
  'offset',
])

/** A query as read from a URL. */
interface Search {
  readonly keys: readonly EntityKey[]
  readonly returnKeys: readonly number[]
  readonly limit: number | undefined
  readonly offset: number
  /** Texts of Warning header fields. */
  readonly warnings: readonly string[]
}

/**
 * Searches for studies, series or instances (PS3.18 10.6). What is not supported is named in a
 * Warning header, as is that there are more answers than were sent.
 * @throws ApiError malformed, not-acceptable
 */
export async function search(
  context: Context,
  level: SearchLevel,
  call: DicomwebCall,
): Promise<DicomwebAnswer> {
  const contentType = jsonTypeFor(call)
  const { keys, returnKeys, limit, offset, warnings } = searchIn(level, call)
  const query = { level, keys, returnKeys, offset, ...(limit !== undefined && { limit }) }
  const found = findEntities(context, query, call.signal)
  // Most answers are short, and only at their end it is known whether there is more.
  const first: string[] = []
  let next = await nextEntity(found)
  for (; !next.done && first.length < MAX_ENTITIES; next = await nextEntity(found))
    first.push(JSON.stringify(jsonOfEntity(next.value, level, call.baseUrl)))
  if (!next.done) {
    const body = Readable.from(pieces(first, next.value, found, level, call.baseUrl))
    return { contentType, headers: warningHeaders(warnings), body }
  }
  const headers = warningHeaders([...warnings, ...END_WARNINGS[next.value.outcome]])
  // PS3.18 10.6.3: 204 if nothing matches.
  if (first.length === 0) return { status: 204, headers, body: undefined }
  return { contentType, headers, body: Buffer.from(`[${first.join(',')}]`) }
}

async function* pieces(
  first: readonly string[],
  following: FoundEntity,
  found: AsyncGenerator<FoundEntity, EntitiesEnd>,
  level: SearchLevel,
  base: string,
): AsyncGenerator<string> {
  yield `[${first.join(',')}`
  yield `,${JSON.stringify(jsonOfEntity(following, level, base))}`
  for await (const entity of found) yield `,${JSON.stringify(jsonOfEntity(entity, level, base))}`
  yield ']'
}

const END_WARNINGS: Readonly<Record<EntitiesEnd['outcome'], readonly string[]>> = {
  complete: [],
  cut: ['There are more results than can be returned for one query; restrict the query'],
  indexing: ['Studies received by an earlier version are still being indexed'],
}

/** RFC 9111 §5.5: 299 is a persistent warning for the user. */
const warningHeaders = (texts: readonly string[]): Readonly<Record<string, string>> =>
  texts.length === 0
    ? {}
    : {
        warning: texts
          .map((text) => `299 isthmus "${text.replace(/[^ -~]|["\\]/g, '?')}"`)
          .join(', '),
      }

/** @throws ApiError malformed: a key has an invalid value */
async function nextEntity(found: AsyncGenerator<FoundEntity, EntitiesEnd>) {
  try {
    return await found.next()
  } catch (error) {
    if (error instanceof DimseError) throw new ApiError('malformed', error.explanation)
    throw error
  }
}

/** @throws ApiError malformed */
function searchIn(level: SearchLevel, { query, params }: DicomwebCall): Search {
  const keys = new Map<number, EntityKey>()
  const unknown = new Set<string>()
  const includedTags = new Set(DEFAULT_RETURN_TAGS[level])
  const { studyInstanceUid, seriesInstanceUid } = params
  // PS3.18 10.6.3.3: the attributes of the levels above, where the path does not name the entity.
  if (level !== 'STUDY' && studyInstanceUid === undefined)
    for (const tag of DEFAULT_RETURN_TAGS.STUDY) includedTags.add(tag)
  if (level === 'IMAGE' && seriesInstanceUid === undefined)
    for (const tag of DEFAULT_RETURN_TAGS.SERIES) includedTags.add(tag)
  for (const [name, text] of query) {
    if (OPTION_PARAMETERS.has(name.toLowerCase())) continue
    const tag = tagIn(name)
    const attribute = tag === undefined ? undefined : RETRIEVAL_ATTRIBUTES.get(tag)
    if (!attribute) {
      unknown.add(name)
      continue
    }
    includedTags.add(attribute.tag)
    keys.set(attribute.tag, { tag: attribute.tag, text: matchingText(attribute.vr, text) })
  }
  for (const field of query.getAll('includefield').flatMap((text) => text.split(',')))
    for (const tag of tagsOfField(field.trim(), level)) includedTags.add(tag)
  if (studyInstanceUid !== undefined)
    keys.set(STUDY_UID, { tag: STUDY_UID, text: studyInstanceUid })
  if (seriesInstanceUid !== undefined)
    keys.set(SERIES_UID, { tag: SERIES_UID, text: seriesInstanceUid })
  return {
    ...{ keys: [...keys.values()], returnKeys: [...includedTags] },
    limit: countIn(query, 'limit'),
    offset: countIn(query, 'offset') ?? 0,
    warnings: [
      ...(query.get('fuzzymatching') === 'true'
        ? [
            'The fuzzymatching parameter is not supported. Only literal matching has been performed.',
          ]
        : []),
      ...(unknown.size > 0
        ? [
            `These attributes are not supported for matching: ${[...unknown].slice(0, 10).join(' ')}`,
          ]
        : []),
    ],
  }
}

/** PS3.18 8.3.4.1: lists are separated by commas here and by backslashes in DIMSE. */
const matchingText = (vr: string, text: string): string =>
  vr === 'UI' || vr === 'CS' ? text.replaceAll(',', '\\') : text

const tagsOfField = (field: string, level: SearchLevel): number[] => {
  if (field === 'all') return attributesAt(level).map(({ tag }) => tag)
  const tag = tagIn(field)
  return tag === undefined ? [] : [tag]
}

/** PS3.18 8.3.4: a keyword, or a tag in hexadecimal digits. */
const tagIn = (name: string): number | undefined =>
  /^[0-9A-Fa-f]{8}$/.test(name) ? Number.parseInt(name, 16) : tagOf(name)

function countIn(query: URLSearchParams, name: 'limit' | 'offset'): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (!/^\d{1,9}$/.test(text)) throw malformedParameterError(name)
  return Number(text)
}

/** The media type of JSON that the caller accepts. @throws ApiError not-acceptable */
export function jsonTypeFor({ accept, query }: DicomwebCall): string {
  const accepted = acceptedRepresentations(accept, query.get('accept') ?? undefined)
  for (const each of accepted) {
    if (!each.isSingle) continue
    if (isOfType(each, DICOM_JSON)) return DICOM_JSON
    if (isOfType(each, 'application/json')) return 'application/json'
  }
  throw notAcceptableError()
}

const CHARACTER_SET: JsonAttribute = { vr: 'CS', Value: ['ISO_IR 192'] }

function jsonOfEntity(
  { studyInstanceUid, seriesInstanceUid, sopInstanceUid, values }: FoundEntity,
  level: SearchLevel,
  base: string,
): JsonDataSet {
  const study = `${base}/studies/${studyInstanceUid}`
  const series = level === 'STUDY' ? study : `${study}/series/${seriesInstanceUid}`
  const url = level === 'IMAGE' ? `${series}/instances/${sopInstanceUid}` : series
  const attributes: [string, JsonAttribute][] = [
    ['00080005', CHARACTER_SET],
    ['00081190', { vr: 'UR', Value: [url] }],
  ]
  for (const [tag, text] of values) {
    const { vr = 'UN' } = RETRIEVAL_ATTRIBUTES.get(tag) ?? {}
    attributes.push([jsonTag(tag), jsonOfText(vr, text)])
  }
  return Object.fromEntries(attributes.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function jsonOfText(vr: string, text: string): JsonAttribute {
  if (text === '') return { vr }
  return {
    vr,
    Value: text.split('\\').map((one) => {
      if (one === '') return null
      if (vr === 'PN') return jsonPersonName(one)
      return NUMBER_VRS.has(vr) && Number.isFinite(Number(one)) ? Number(one) : one
    }),
  }
}

const NUMBER_VRS: ReadonlySet<string> = new Set(['DS', 'IS', 'SL', 'SS', 'UL', 'US'])
