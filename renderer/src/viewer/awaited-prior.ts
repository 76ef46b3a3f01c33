import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import type { ListState } from './engine/stack.ts'
import { faultGroups } from './fault-groups.ts'
import type { BestPrior } from './use-priors.ts'

/** Of why there is no image, as many sentences as a pane has room for. */
const MAX_REASONS = 3

/** What a pane that is kept for a prior study says, and whether one may still come. */
export interface AwaitedPrior {
  readonly isComing: boolean
  readonly text: string
  readonly reasons: readonly string[]
}

/**
 * @param best the most relevant prior study; null where there is none, undefined while that is not
 *   known
 * @param problem why the gateway did not open it
 */
export function awaitedPrior(
  best: BestPrior | null | undefined,
  problem: string | null,
  images: Pick<ListState, 'studies' | 'faults' | 'progress'>,
): AwaitedPrior {
  const opened = images.studies.filter(({ study }) => study.isPrior)
  const isDone = images.progress.state === 'done'
  if (opened.some(({ series }) => series.length > 0))
    return isDone ? over(t('ui.viewer.pane.noSuchPriorImage')) : comingPrior()
  if (opened.length > 0 && isDone) {
    const uids = opened.map(({ study }) => study.studyInstanceUid)
    const others = opened.flatMap(({ nonImageInstances }) =>
      nonImageInstances.flatMap(({ notImage }) => (notImage ? [translateMessage(notImage)] : [])),
    )
    const reasons = new Set([...reasonsOf(images, uids), ...others])
    return over(t('ui.viewer.priors.noImages'), [...reasons].slice(0, MAX_REASONS))
  }
  if (problem !== null) return over(t('ui.viewer.pane.priorNotOpened'), [problem])
  if (best === null) return over(t('ui.viewer.pane.noPrior'))
  const isOpenedByItself = best?.where === 'here' && best.isExam && best.prior.instances !== null
  return best === undefined || isOpenedByItself || !isDone
    ? comingPrior()
    : over(t('ui.viewer.pane.priorNotOpen'))
}

const comingPrior = (): AwaitedPrior => ({
  isComing: true,
  text: t('ui.viewer.pane.awaitsPrior'),
  reasons: [],
})

const over = (text: string, reasons: readonly string[] = []): AwaitedPrior => ({
  isComing: false,
  text,
  reasons,
})

/** Why there is no image of these studies, the worst first. @param of undefined: of any study */
export const reasonsOf = (
  { faults }: Pick<ListState, 'faults'>,
  of?: readonly string[],
): readonly string[] =>
  faultGroups(
    faults.filter(
      ({ studyInstanceUid, level }) =>
        of === undefined ||
        // A note of the whole view is not what a study lacks.
        (studyInstanceUid === null ? level !== 'note' : of.includes(studyInstanceUid)),
    ),
  )
    .slice(0, MAX_REASONS)
    .map(({ sentence }) => sentence)
