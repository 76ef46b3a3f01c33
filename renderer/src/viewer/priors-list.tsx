import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ArchivePrior } from '#shared/contract/hanging-protocols.ts'
import type { ViewedPrior } from '#shared/contract/viewed-images.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../api/client.ts'
import { dayText } from '../format/dates.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../ui/page.tsx'
import { Notice, Tag } from '../ui/tone.tsx'
import { call } from './calls.ts'
import { ageText } from './prior-age.ts'
import { type ComparedStudy, currentStudy, rankedPriors } from './prior-relevance.ts'
import css from './side.module.css'
import { comparedPrior, useArchivePriors, usePriors } from './use-priors.ts'
import { showBeside, useRetrievalStates } from './use-retrievals.ts'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'

const UNKNOWN_STUDY: ComparedStudy = { modalities: [], text: '', studyDate: '' }

/** Prior studies of the patient, the most relevant first; a click puts one beside. */
export function PriorsList() {
  const images = useImages()
  const reply = usePriors()
  const canQuery = reply.data?.canQuery ?? false
  const archives = useArchivePriors(canQuery)
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <LoadingPlaceholder rows={3} height={52} />
  const { priors, scope } = reply.data
  const current = currentStudy(images) ?? UNKNOWN_STUDY
  // Later studies are no priors, but they are not to be missed: they come last.
  const ranked = rankedPriors({ ...current, studyDate: '' }, priors, comparedPrior)
  const known = new Set(priors.map(({ studyInstanceUid }) => studyInstanceUid))
  const elsewhere = (archives.data?.studies ?? []).filter(
    ({ studyInstanceUid }) => !known.has(studyInstanceUid),
  )
  return (
    <>
      <p className={css.about}>
        {priors.length > 0
          ? t('ui.viewer.priors.about')
          : scope === 'archive'
            ? t('ui.viewer.priors.none')
            : ''}{' '}
        {scope !== 'archive' && t(`ui.viewer.priors.scopes.${scope}`)}
      </p>
      <ul className={css.list}>
        {ranked.map(({ prior }) => (
          <PriorItem key={prior.studyInstanceUid} prior={prior} currentDate={current.studyDate} />
        ))}
      </ul>
      {canQuery && (
        <section aria-label={t('ui.viewer.priors.elsewhere')}>
          <h3>{t('ui.viewer.priors.elsewhere')}</h3>
          {archives.isError && (
            <ErrorNotice error={archives.error} onRetry={() => void archives.refetch()} />
          )}
          {archives.isPending && <LoadingPlaceholder rows={2} height={52} />}
          {archives.data?.faults.map(({ destinationName, explanation }) => (
            <Notice key={destinationName} tone="warning">
              {t('ui.viewer.priors.archiveFault', {
                name: destinationName,
                why: translateMessage(explanation),
              })}
            </Notice>
          ))}
          {archives.data && elsewhere.length === 0 && archives.data.faults.length === 0 && (
            <p className={css.about}>{t('ui.viewer.priors.noneElsewhere')}</p>
          )}
          <ul className={css.list}>
            {rankedPriors({ ...current, studyDate: '' }, elsewhere, comparedPrior).map(
              ({ prior }) => (
                <ArchivedPriorItem
                  key={`${prior.destinationId} ${prior.studyInstanceUid}`}
                  prior={prior}
                  currentDate={current.studyDate}
                />
              ),
            )}
          </ul>
        </section>
      )}
    </>
  )
}

function Heading({
  prior,
  currentDate,
}: {
  prior: ViewedPrior | ArchivePrior
  currentDate: string
}) {
  const age = ageText(prior.studyDate, currentDate)
  return (
    <>
      <p>
        <strong>{dayText(prior.studyDate) || t('ui.viewer.priors.undated')}</strong>{' '}
        {prior.modalities.join(', ')}
        {age && <span className={css.quiet}> · {age}</span>}
      </p>
      <p>{prior.studyDescription || t('ui.viewer.priors.untitled')}</p>
    </>
  )
}

function PriorItem({ prior, currentDate }: { prior: ViewedPrior; currentDate: string }) {
  const viewerContext = useViewerContext()
  const { studies } = useImages()
  const { studyInstanceUid } = prior
  const isLoaded = studies.some(
    ({ study, series }) => study.studyInstanceUid === studyInstanceUid && series.length > 0,
  )
  const isAwaited = useViewerState((state) => state.awaitedPriors.includes(studyInstanceUid))
  const add = useMutation<unknown, ProblemError>({
    mutationFn: () => showBeside(viewerContext, studyInstanceUid),
  })
  return (
    <li className={css.item}>
      <div className={css.body}>
        <Heading prior={prior} currentDate={currentDate} />
        <Text className={css.quiet ?? ''}>
          {isAwaited
            ? t('ui.viewer.priors.adding')
            : prior.instances === null
              ? t('ui.viewer.priors.imagesUnknown')
              : t('ui.viewer.priors.images', { count: prior.instances })}
        </Text>
        {isLoaded && <Tag tone="info">{t('ui.viewer.priors.isOpen')}</Tag>}
        {add.error && <ErrorNotice error={add.error} />}
      </div>
      <Button
        size="compact-sm"
        variant="default"
        loading={add.isPending || isAwaited}
        onClick={() => add.mutate()}
      >
        {isLoaded ? t('ui.viewer.priors.again') : t('ui.viewer.priors.add')}
      </Button>
    </li>
  )
}

/** A study that has to be retrieved first. */
function ArchivedPriorItem({ prior, currentDate }: { prior: ArchivePrior; currentDate: string }) {
  const { viewerStore } = useViewerContext()
  const { destinationId, studyInstanceUid } = prior
  const isRunning = useViewerState((state) => state.retrieving.includes(studyInstanceUid))
  const states = useRetrievalStates()
  const retrieval = states.data?.retrievals.find((one) => one.studyInstanceUid === studyInstanceUid)
  const retrieve = useMutation<unknown, ProblemError>({
    mutationFn: () =>
      call(viewing.retrievePrior, {
        params: { viewId: viewerStore.view.viewId },
        body: { destinationId, studyInstanceUid },
      }),
    onSuccess: () =>
      viewerStore.set((state) => ({
        retrieving: [...new Set([...state.retrieving, studyInstanceUid])],
      })),
  })
  return (
    <li className={css.item}>
      <div className={css.body}>
        <Heading prior={prior} currentDate={currentDate} />
        <Text className={css.quiet ?? ''}>
          {isRunning && retrieval
            ? t('ui.viewer.priors.retrieving', {
                completed: retrieval.completed,
                of: retrieval.completed + retrieval.remaining + retrieval.failed,
              })
            : [
                t('ui.viewer.priors.inArchive', { name: prior.destinationName }),
                prior.instances !== null &&
                  t('ui.viewer.priors.images', { count: prior.instances }),
              ]
                .filter(Boolean)
                .join(' · ')}
        </Text>
        {retrieve.error && <ErrorNotice error={retrieve.error} />}
      </div>
      <Button
        size="compact-sm"
        variant="default"
        loading={retrieve.isPending || isRunning}
        onClick={() => retrieve.mutate()}
      >
        {t('ui.viewer.priors.retrieve')}
      </Button>
    </li>
  )
}
