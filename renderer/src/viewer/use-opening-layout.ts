import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { HangingProtocols } from '#shared/contract/hanging-protocols.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../api/client.ts'
import { t } from '../i18n/t.ts'
import { boardOf, type HangingSeries } from './board.ts'
import { call } from './calls.ts'
import { hangingSeriesIn } from './hangables.ts'
import {
  applyHangingProtocol,
  builtInHanging,
  chosenProtocol,
  type HangingFacts,
} from './hanging.ts'
import { currentStudy } from './prior-relevance.ts'
import type { BestPrior } from './use-priors.ts'
import { useOtherWindows } from './use-windows.ts'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'
import type { OtherWindowState } from './windows.ts'

/** The hanging protocols of the person, as the gateway keeps them. */
export function useHangingProtocols() {
  const { viewerStore } = useViewerContext()
  const { viewId, user } = viewerStore.view
  return useQuery<HangingProtocols, ProblemError>({
    queryKey: [viewing.hangingProtocols.path],
    queryFn: ({ signal }) => call(viewing.hangingProtocols, { params: { viewId } }, signal),
    enabled: user !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/**
 * Hangs the study as it opens: by the first protocol of the person that fits, else by the habits of
 * its modality. Until all of it is known, what comes later is hung, too; once a person has arranged
 * anything, nothing is. The prior study of the same exam is added where the layout has a place for
 * it.
 */
export function useOpeningLayout(best: BestPrior | null | undefined): void {
  const { viewerStore, list } = useViewerContext()
  const images = useImages()
  const protocols = useHangingProtocols()
  const isArranged = useViewerState((state) => state.isArranged)
  const added = useRef('')
  const [isRefused, setIsRefused] = useState(false)
  const others = useOtherWindows()
  // Decided once: the first window is not hung anew because another one has opened.
  const role = useRef<'first' | 'further' | 'hung' | null>(null)
  const { view } = viewerStore
  // A partner that gives a protocol has decided, and without a study there is nothing to compare.
  const isOurs = view.hangingProtocol === null && view.studyInstanceUid !== null
  const isKnown = best !== undefined && (view.user === null || !protocols.isPending)
  useEffect(() => {
    const study = currentStudy(images)
    if (!isOurs || !isKnown || isArranged || !study) return
    const series = hangingSeriesIn(images)
    role.current ??= others.size > 0 ? 'further' : 'first'
    if (role.current === 'hung') return
    if (role.current === 'further') {
      const key = seriesKeyNotShownIn(others, series)
      if (key === undefined) return
      role.current = 'hung'
      const board = {
        ...boardOf(null),
        panes: [{ seriesKey: key, filling: 'held', name: '' }],
      } as const
      viewerStore.hangOpening({ board, planesOf: null, usesPrior: false }, null)
      return
    }
    const isHere =
      !isRefused && best?.where === 'here' && best.isExam && best.prior.instances !== null
    const facts: HangingFacts = { study, hasPrior: isHere, series }
    const ownProtocol = chosenProtocol(protocols.data?.protocols ?? [], facts)
    const hanging = ownProtocol ? applyHangingProtocol(ownProtocol, facts) : builtInHanging(facts)
    if (hanging) {
      const name =
        ownProtocol?.name ?? t('ui.viewer.layouts.builtIn', { modality: study.modalities[0] ?? '' })
      viewerStore.hangOpening(hanging, { name, isOwn: ownProtocol !== undefined })
    }
    if (images.progress.state !== 'done') return
    const waits = isHere && hanging?.board.panes.some(({ filling }) => filling === 'prior')
    if (!waits) {
      // What comes later, such as a capture, does not change the layout under somebody's eyes.
      role.current = 'hung'
      return
    }
    const { studyInstanceUid } = best.prior
    if (best.prior.isOpen || added.current === studyInstanceUid) return
    added.current = studyInstanceUid
    call(viewing.addPrior, { params: { viewId: view.viewId }, body: { studyInstanceUid } }).then(
      () => list.again(),
      (error: Error) => {
        viewerStore.set({ statusMessage: { text: error.message }, priorProblem: error.message })
        setIsRefused(true)
      },
    )
  }, [
    viewerStore,
    list,
    images,
    protocols.data,
    best,
    isArranged,
    isOurs,
    isKnown,
    isRefused,
    view.viewId,
    others,
  ])
}

/**
 * What one more window begins with: a series that no other window shows, of a prior study where one
 * is here.
 */
function seriesKeyNotShownIn(
  others: ReadonlyMap<string, OtherWindowState>,
  series: readonly HangingSeries[],
): string | undefined {
  const shown = new Set([...others.values()].flatMap(({ series }) => series))
  const left = series.filter(
    ({ seriesKey, images, isLocalizer }) => images > 0 && !isLocalizer && !shown.has(seriesKey),
  )
  return (left.find(({ isPrior }) => isPrior) ?? left[0])?.seriesKey
}
