import type { CharacterSet } from '#shared/contract/devices.ts'
import { isDefinedCharacterSet, specificCharacterSetFor } from './character-set.ts'

/** VRs to which Specific Character Set applies (PS3.5 §6.1.2.3). */
export const AFFECTED_VRS: ReadonlySet<string> = new Set(['LO', 'LT', 'PN', 'SH', 'ST', 'UC', 'UT'])

/** Character sets, as defined terms of (0008,0005). */
export interface CandidateSets {
  /** The sets that the device is known to support, the preferred one first. */
  readonly sets: readonly (readonly string[])[]
  /** For text that cannot be represented in any of them, even transliterated. */
  readonly lastResort?: readonly string[]
}

const LATIN_1 = specificCharacterSetFor('ISO_IR 100')
const UTF_8 = specificCharacterSetFor('ISO_IR 192')

/**
 * The character sets in which texts are encoded for a device: its own; otherwise the one that it
 * declared; otherwise ISO_IR 100, or ISO_IR 192 as a last resort.
 */
export function candidateSets(
  deviceSet: CharacterSet | null,
  declared: readonly string[],
): CandidateSets {
  if (deviceSet !== null) return { sets: [specificCharacterSetFor(deviceSet)] }
  // A term that DICOM does not define gives no information about what the device supports.
  if (declared.every((term) => term === '') || !isDefinedCharacterSet(declared))
    return { sets: [LATIN_1], lastResort: UTF_8 }
  const own = specificCharacterSetFor(declared.join('\\'))
  // A device that supports Unicode also supports ISO_IR 100, in which these characters take one
  // byte each.
  return { sets: own.join('\\') === UTF_8.join('\\') ? [own, LATIN_1] : [own] }
}
