import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { isPrivate, keywordOf, readDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import type { CFindRequest } from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import {
  declaredTerms,
  SPECIFIC_CHARACTER_SET,
  textReader,
} from '#server/dicom/matching/key-text.ts'
import { keyValues, vrOfKey } from '#server/dicom/matching/text-values.ts'
import { hasWildCard } from '#server/dicom/matching/wild-card.ts'
import { queryOptions } from '#server/dicom/scp/query.ts'
import type { CharacterSet } from '#shared/contract/devices.ts'
import { message } from '#shared/messages/message.ts'
import { RETRIEVAL_ATTRIBUTES } from './attributes.ts'
import {
  type EntityKey,
  type EntityQuery,
  isAtOrAbove,
  QUERY_LEVELS,
  type QueryLevel,
} from './entity-query.ts'
import { KEY } from './keys.ts'

export const QUERY_RETRIEVE_LEVEL = 0x00080052

/** An interpreted identifier of a Query/Retrieve C-FIND. */
export interface QueryIdentifier {
  readonly query: EntityQuery
  /** The return keys, sequences included, in the order of their tags. */
  readonly returned: readonly { readonly tag: number; readonly vr: string }[]
  /** Whether some key is not supported (PS3.4 Table C.4-1, FF01). */
  readonly hasUnsupportedKeys: boolean
  /** Values of Specific Character Set (0008,0005) as declared. */
  readonly characterSet: readonly string[]
}

/** Unique keys (PS3.4 C.6.1.1 and C.6.2.1), from the top. */
const UNIQUE_KEYS: readonly (readonly [QueryLevel, number])[] = [
  ['PATIENT', KEY.patientId],
  ['STUDY', KEY.studyInstanceUid],
  ['SERIES', KEY.seriesInstanceUid],
  ['IMAGE', KEY.sopInstanceUid],
]

/**
 * Reads the identifier of a C-FIND of Query/Retrieve (PS3.4 C.4.1.1.3.1).
 * @param deviceSet the character set of a query that declares none
 * @throws {DimseError} A900 with the offending element: an identifier that is missing or cannot be
 *   read, a level that the model does not have, or a missing unique key of a higher level unless
 *   relational queries were negotiated
 */
export function readQueryIdentifier(
  {
    identifier,
    transferSyntax,
    sopClassUid,
    options,
  }: Pick<CFindRequest, 'identifier' | 'transferSyntax' | 'sopClassUid' | 'options'>,
  deviceSet: CharacterSet | null,
): QueryIdentifier {
  if (identifier === undefined || identifier.length === 0)
    throw new DimseError(0xa900, message('query-retrieve.no-identifier'))
  const dataSet = readDataSet(identifier, transferSyntax)
  const isPatientRoot = sopClassUid === SOP_CLASS.patientRootFind
  const level = levelOf(dataSet, isPatientRoot)
  const characterSet = declaredTerms(dataSet)
  const readText = textReader(characterSet, deviceSet)
  const asked = dataSet.filter(isKey)
  const keys = asked.map((element): EntityKey => {
    const { text, isExact } = readText(element, vrOfKey(element))
    return { tag: element.tag, text, isExact }
  })
  const { isRelational, combinesDateTime } = queryOptions(options)
  if (!isRelational) demandUniqueKeys(keys, level, isPatientRoot)
  const isSupported = ({ tag }: Element) => {
    const attribute = RETRIEVAL_ATTRIBUTES.get(tag)
    return attribute !== undefined && isAtOrAbove(attribute.level, level)
  }
  return {
    query: { level, keys, returnKeys: asked.map(({ tag }) => tag), combinesDateTime },
    returned: asked.map((element) => ({
      tag: element.tag,
      vr: Buffer.isBuffer(element.value) ? vrOfKey(element) : 'SQ',
    })),
    hasUnsupportedKeys: !asked.every(isSupported),
    characterSet,
  }
}

function levelOf(dataSet: DataSet, isPatientRoot: boolean): QueryLevel {
  const value = dataSet.find(({ tag }) => tag === QUERY_RETRIEVE_LEVEL)?.value
  const text = Buffer.isBuffer(value) ? value.toString('latin1').trim() : ''
  const level = QUERY_LEVELS.find((one) => one === text)
  if (!level || (level === 'PATIENT' && !isPatientRoot))
    throw new DimseError(0xa900, message('query-retrieve.no-such-level'), [QUERY_RETRIEVE_LEVEL])
  return level
}

/** Private attributes, group lengths and the elements that describe the identifier are no keys. */
const isKey = ({ tag }: Element): boolean =>
  tag !== SPECIFIC_CHARACTER_SET &&
  tag !== QUERY_RETRIEVE_LEVEL &&
  tag >= 0x00080000 &&
  (tag & 0xffff) !== 0 &&
  !isPrivate(tag)

/**
 * A hierarchical query has a single value of the unique key of each level above its own (PS3.4
 * C.4.1.3.1.1).
 */
function demandUniqueKeys(
  keys: readonly EntityKey[],
  level: QueryLevel,
  isPatientRoot: boolean,
): void {
  for (const [above, tag] of UNIQUE_KEYS) {
    if (above === level) return
    if (above === 'PATIENT' && !isPatientRoot) continue
    const text = keys.find((key) => key.tag === tag)?.text ?? ''
    const values = keyValues(tag === KEY.patientId ? 'LO' : 'UI', text)
    if (values.length !== 1 || values.some(hasWildCard))
      throw new DimseError(
        0xa900,
        message('query-retrieve.no-key-above', { keyword: keywordOf(tag) }),
        [tag],
      )
  }
}
