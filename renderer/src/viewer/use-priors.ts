import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ArchivePrior } from '#shared/contract/hanging-protocols.ts'
import type { ViewedPrior } from '#shared/contract/viewed-images.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { ProblemError } from '../api/client.ts'
import { call } from './calls.ts'
import { type ComparedStudy, currentStudy, rankedPriors } from './prior-relevance.ts'
import { useImages, useViewerContext } from './viewer-context.ts'

type Priors = ReplyOf<(typeof viewing)['priors']>
type ArchivePriors = ReplyOf<(typeof viewing)['queryPriors']>

/**
 * The prior studies that the gateway knows. Asked again while the list of images grows, since only
 * the first image of a study says whose it is.
 */
export function usePriors(): UseQueryResult<Priors, ProblemError> {
  const { viewerStore } = useViewerContext()
  const { viewId } = viewerStore.view
  const { progress } = useImages()
  return useQuery<Priors, ProblemError>({
    queryKey: [viewing.priors.path, progress.state === 'done'],
    queryFn: ({ signal }) => call(viewing.priors, { params: { viewId } }, signal),
    placeholderData: (before) => before,
  })
}

/** Prior studies in other archives; asked once for a view, and again on request. */
export function useArchivePriors(isWanted: boolean): UseQueryResult<ArchivePriors, ProblemError> {
  const { viewerStore } = useViewerContext()
  const { viewId } = viewerStore.view
  return useQuery<ArchivePriors, ProblemError>({
    queryKey: [viewing.queryPriors.path],
    queryFn: ({ signal }) => call(viewing.queryPriors, { params: { viewId } }, signal),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

export const comparedPrior = ({
  modalities,
  studyDescription,
  studyDate,
}: ViewedPrior | ArchivePrior): ComparedStudy => ({ modalities, text: studyDescription, studyDate })

/** The prior study to compare with: where its images are, and how well it fits. */
export type BestPrior =
  | { readonly where: 'here'; readonly prior: ViewedPrior; readonly isExam: boolean }
  | { readonly where: 'archive'; readonly prior: ArchivePrior; readonly isExam: boolean }

/**
 * The most relevant prior study; null where there is none, undefined while that is not known yet.
 * Other archives are queried where the gateway has none of the same exam.
 */
export function useBestPrior(): BestPrior | null | undefined {
  const images = useImages()
  const priors = usePriors()
  const current = currentStudy(images)
  const isDone = images.progress.state === 'done'
  const localPriors =
    current && priors.data ? rankedPriors(current, priors.data.priors, comparedPrior) : []
  const [first] = localPriors
  const shouldQuery = isDone && priors.data?.canQuery === true && first?.match !== 'exam'
  const archives = useArchivePriors(shouldQuery)
  if (!current || priors.isPending) return priors.isError ? null : undefined
  if (first?.match === 'exam') return { where: 'here', prior: first.prior, isExam: true }
  if (shouldQuery && archives.isPending) return undefined
  const known = new Set(priors.data?.priors.map(({ studyInstanceUid }) => studyInstanceUid))
  const elsewhere = (archives.data?.studies ?? []).filter(
    ({ studyInstanceUid }) => !known.has(studyInstanceUid),
  )
  const [other] = rankedPriors(current, elsewhere, comparedPrior)
  if (other && other.match === 'exam') return { where: 'archive', prior: other.prior, isExam: true }
  if (first && first.match !== 'other') return { where: 'here', prior: first.prior, isExam: false }
  if (other && other.match !== 'other')
    return { where: 'archive', prior: other.prior, isExam: false }
  return null
}
