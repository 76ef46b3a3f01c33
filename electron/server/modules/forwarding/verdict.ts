import { categoryOf, type DimseStatus } from '#server/dicom/dimse/status.ts'

/**
 * What an answer to C-STORE means for the instance: sent; refused, which trying again would not
 * change; or later. `pausing`: the destination takes nothing now, whatever the instance.
 */
export interface Verdict {
  readonly kind: 'sent' | 'refused' | 'later' | 'pausing'
  /** Why, in words; '' for success. */
  readonly reason: string
}

type Rule = readonly [from: DimseStatus, to: DimseStatus, kind: Verdict['kind'], reason: string]

// PS3.4 Table B.2-1 and PS3.7 C.5. What is not in the table may pass: it is tried again.
const RULES: readonly Rule[] = [
  [0xa700, 0xa7ff, 'pausing', 'it has no room left, for example on its disk'],
  [0xa900, 0xa9ff, 'refused', 'it says that the image is not of the kind it is sent as'],
  [0xc000, 0xcfff, 'refused', 'it cannot read the image'],
  [0x0111, 0x0111, 'refused', 'it says that it has another image with this identifier already'],
  [0x0117, 0x0117, 'refused', 'it says that the identifier of the image is not valid'],
  [0x0122, 0x0122, 'refused', 'it does not take images of this kind'],
  [0x0124, 0x0124, 'pausing', 'it does not allow this gateway to store images there'],
  [0x0213, 0x0213, 'pausing', 'it is overloaded'],
  [0x0110, 0x0110, 'later', 'it could not process the image'],
]
const ANYTHING_ELSE: Rule = [0x0000, 0xffff, 'later', 'it did not store the image']

/** The verdict on a status (0000,0900) of a C-STORE response. */
export function verdictOn(status: DimseStatus): Verdict {
  const category = categoryOf(status)
  if (category === 'success') return { kind: 'sent', reason: '' }
  if (category === 'warning')
    return {
      kind: 'sent',
      reason: `it stored the image with a warning (status ${statusText(status)})`,
    }
  const [, , kind, reason] =
    RULES.find(([from, to]) => status >= from && status <= to) ?? ANYTHING_ELSE
  return { kind, reason: `${reason} (status ${statusText(status)})` }
}

/** Four hex digits. */
export const statusText = (status: DimseStatus): string =>
  status.toString(16).toUpperCase().padStart(4, '0')
