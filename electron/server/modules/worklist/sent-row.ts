import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { withoutPadding } from '#server/dicom/data-set/padding.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { SCHEDULED_PROCEDURE_STEP_SEQUENCE } from './attributes.ts'
import { declaredTerms } from './received-key.ts'

/** An element of an identifier, read back from its bytes. */
export interface SentValue {
  readonly tag: number
  readonly vr: string
  /** Decoded, without padding; '' of a sequence. */
  readonly text: string
  /** Whether every byte has a meaning in the character set that the identifier declares. */
  readonly isExact: boolean
}

/** An identifier as a console reads it. */
export interface SentRow {
  /** By tag, those of the step too: no attribute of PS3.4 Table K.6-1 is in both. */
  readonly values: ReadonlyMap<number, SentValue>
  /** Items of Scheduled Procedure Step Sequence (0040,0100). */
  readonly steps: number
  /** (0008,0005) as sent. */
  readonly terms: readonly string[]
}

/** Identifiers of a batch, one after the other. */
export function* sentRows(
  { bytes, ends }: EncodedIdentifiers,
  transferSyntax: string,
): Generator<SentRow, void, void> {
  for (const [index, end] of ends.entries())
    yield sentRow(readDataSet(bytes.subarray(ends[index - 1] ?? 0, end), transferSyntax))
}

export function sentRow(root: DataSet): SentRow {
  const terms = declaredTerms(root)
  const sequence = root.find(({ tag }) => tag === SCHEDULED_PROCEDURE_STEP_SEQUENCE)?.value
  const steps =
    sequence === undefined || Buffer.isBuffer(sequence) ? [] : (sequence as readonly DataSet[])
  const elements = [...root, ...(steps[0] ?? [])]
  return {
    values: new Map(elements.map((element) => [element.tag, sentValue(element, terms)])),
    steps: steps.length,
    terms,
  }
}

function sentValue({ tag, vr, value }: Element, terms: readonly string[]): SentValue {
  if (!Buffer.isBuffer(value)) return { tag, vr, text: '', isExact: true }
  const { text, exact } = decodeText(value, terms, vr)
  return { tag, vr, text: withoutPadding(text), isExact: exact }
}
