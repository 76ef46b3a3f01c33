import type { DataSet, Element } from './coding.ts'
import { withoutPadding } from './vr.ts'

const STUDY_INSTANCE_UID = 0x0020000d
const SERIES_INSTANCE_UID = 0x0020000e
const REFERENCED_SOP_INSTANCE_UID = 0x00081155
/** Previous values of attributes, which are not references. */
const ORIGINAL_ATTRIBUTES = 0x04000561

/**
 * Replaces every UID in the sequences of the data set that is a key of `uids`; undefined if there
 * is none. An item for a study or series (PS3.3 C.18.4, 10.4) that references both mapped and other
 * instances is split, because the other instances are not moved.
 */
export function withMappedReferences(
  dataSet: DataSet,
  uids: ReadonlyMap<string, string>,
): DataSet | undefined {
  let isChanged = false

  function mappedItem(item: DataSet): DataSet {
    return item.map((element): Element => {
      if (element.tag === ORIGINAL_ATTRIBUTES) return element
      if (!Buffer.isBuffer(element.value)) return mappedSequence(element)
      const mapped = element.vr === 'UI' ? mappedValue(element.value) : undefined
      if (mapped === undefined) return element
      isChanged = true
      return { ...element, value: Buffer.from(mapped) }
    })
  }

  function mappedValue(value: Buffer): string | undefined {
    const before = withoutPadding(value.toString('latin1')).split('\\')
    return before.some((uid) => uids.has(uid.trim()))
      ? before.map((uid) => uids.get(uid.trim()) ?? uid).join('\\')
      : undefined
  }

  function mappedSequence(element: Element): Element {
    const value = (element.value as readonly DataSet[]).flatMap((item) => {
      const references = isContainer(item) ? referencesIn(item) : []
      const mappedReferences = references.filter((uid) => uids.has(uid))
      if (references.length === 0 || mappedReferences.length === references.length)
        return [mappedItem(item)]
      // No instance of this study or series was moved, so it keeps its UIDs here.
      if (mappedReferences.length === 0) return [item]
      return [
        mappedItem(filterReferences(item, (uid) => uids.has(uid))),
        filterReferences(item, (uid) => !uids.has(uid)),
      ]
    })
    return { ...element, value }
  }

  const mapped = dataSet.map((element) =>
    Buffer.isBuffer(element.value) || element.tag === ORIGINAL_ATTRIBUTES
      ? element
      : mappedSequence(element),
  )
  return isChanged ? mapped : undefined
}

const isContainer = (item: DataSet): boolean =>
  item.some(({ tag }) => tag === STUDY_INSTANCE_UID || tag === SERIES_INSTANCE_UID) &&
  item.some(({ value }) => !Buffer.isBuffer(value))

function referencesIn(item: DataSet): string[] {
  return item.flatMap(({ tag, value }): string[] => {
    if (!Buffer.isBuffer(value)) return value.flatMap(referencesIn)
    return tag === REFERENCED_SOP_INSTANCE_UID ? [uidOf(value)] : []
  })
}

/** The item with only those references that satisfy the predicate. */
function filterReferences(item: DataSet, isWanted: (uid: string) => boolean): DataSet {
  return item.map((element): Element => {
    if (Buffer.isBuffer(element.value)) return element
    const value = element.value.flatMap((inner) => {
      const references = referencesIn(inner)
      if (references.length === 0 || references.every(isWanted)) return [inner]
      return references.some(isWanted) ? [filterReferences(inner, isWanted)] : []
    })
    return { ...element, value }
  })
}

const uidOf = (value: Buffer): string => withoutPadding(value.toString('latin1')).trim()
