import { ActionIcon, Button } from '@mantine/core'
import { IconHistory, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../api/client.ts'
import { dayText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'
import { awaitedPrior } from './awaited-prior.ts'
import { call } from './calls.ts'
import { ageText } from './prior-age.ts'
import css from './prior-offer.module.css'
import { currentStudy } from './prior-relevance.ts'
import type { BestPrior } from './use-priors.ts'
import { showBeside } from './use-retrievals.ts'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'

/** Offers the prior study that fits best, where it was not put beside already. */
export function PriorOffer({ best }: { best: BestPrior | null | undefined }) {
  const viewerContext = useViewerContext()
  const { viewerStore } = viewerContext
  const images = useImages()
  const isDeclined = useViewerState(
    (state) =>
      best != null &&
      [...state.declinedPriors, ...state.awaitedPriors, ...state.retrieving].includes(
        best.prior.studyInstanceUid,
      ),
  )
  const hasPriorPane = useViewerState((state) =>
    state.board.panes.some(({ filling }) => filling === 'prior'),
  )
  const problem = useViewerState((state) => state.priorProblem)
  const waits = hasPriorPane && awaitedPrior(best, problem, images).isComing
  const accept = useMutation<unknown, ProblemError, BestPrior>({
    mutationFn: async ({ where, prior }) => {
      const { studyInstanceUid } = prior
      if (where === 'here') return showBeside(viewerContext, studyInstanceUid)
      const params = { viewId: viewerStore.view.viewId }
      const { destinationId } = prior
      await call(viewing.retrievePrior, { params, body: { destinationId, studyInstanceUid } })
      viewerStore.set((state) => ({ retrieving: [...state.retrieving, studyInstanceUid] }))
    },
    onError: (error) => viewerStore.set({ statusMessage: { text: error.message } }),
  })
  const isOpen = images.studies.some(
    ({ study }) => study.studyInstanceUid === best?.prior.studyInstanceUid,
  )
  if (!best || isDeclined || isOpen || waits || images.progress.state !== 'done') return null
  const { prior, where, isExam } = best
  const age = ageText(prior.studyDate, currentStudy(images)?.studyDate ?? '')
  const modalities = prior.modalities.join(', ')
  const isModalityNamed = prior.studyDescription.toUpperCase().startsWith(modalities)
  const what = [
    [isModalityNamed ? '' : modalities, prior.studyDescription].filter(Boolean).join(' '),
    dayText(prior.studyDate),
    age,
  ].filter(Boolean)
  return (
    <section className={css.offer} aria-label={t('ui.viewer.priors.offer')}>
      <IconHistory size={16} aria-hidden />
      <span className={css.text}>
        <strong>{t('ui.viewer.priors.offer')}</strong> {what.join(' · ')}
        {!isExam && ` · ${t('ui.viewer.priors.otherRegion')}`}
        {where === 'archive' &&
          ` · ${t('ui.viewer.priors.inArchive', { name: prior.destinationName })}`}
      </span>
      <Button
        size="compact-xs"
        variant="default"
        loading={accept.isPending}
        onClick={() => accept.mutate(best)}
      >
        {where === 'here' ? t('ui.viewer.priors.add') : t('ui.viewer.priors.retrieve')}
      </Button>
      <ActionIcon
        size="sm"
        aria-label={t('ui.viewer.priors.decline')}
        onClick={() =>
          viewerStore.set((state) => ({
            declinedPriors: [...state.declinedPriors, prior.studyInstanceUid],
          }))
        }
      >
        <IconX size={14} />
      </ActionIcon>
    </section>
  )
}
