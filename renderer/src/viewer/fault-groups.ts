import type { ViewFault } from '#shared/contract/viewed-images.ts'
import { translateMessage } from '../i18n/messages.ts'

export interface FaultGroup {
  readonly level: ViewFault['level']
  /** In the language of the page. */
  readonly sentence: string
  readonly faults: readonly ViewFault[]
}
const RANK: Readonly<Record<ViewFault['level'], number>> = { danger: 0, warning: 1, note: 2 }

/**
 * Faults that say the same are one, with what they are of: 500 images that cannot be read are not
 * 500 lines. The worst first.
 */
export function faultGroups(faults: readonly ViewFault[]): readonly FaultGroup[] {
  const groups = Map.groupBy(
    faults,
    ({ level, sentence }) => `${level} ${translateMessage(sentence)}`,
  )
  return [...groups.values()]
    .flatMap((faults) =>
      faults[0]
        ? [{ level: faults[0].level, sentence: translateMessage(faults[0].sentence), faults }]
        : [],
    )
    .toSorted((one, other) => RANK[one.level] - RANK[other.level])
}

/**
 * What stands over everything until a person has seen it, in the language of the page, each sentence
 * once.
 */
export const dangerTexts = (faults: readonly ViewFault[]): readonly string[] => [
  ...new Set(
    faults
      .filter(({ level }) => level === 'danger')
      .map(({ sentence }) => translateMessage(sentence)),
  ),
]
