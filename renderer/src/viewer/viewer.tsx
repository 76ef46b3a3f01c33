import { Loader } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { type View, viewing } from '#shared/contract/viewing.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { ProblemError } from '../api/client.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { keepAwake, onPageUse } from './awake.ts'
import { type StartedView, startView } from './beginning.ts'
import { call } from './calls.ts'
import { ClosedView } from './closed.tsx'
import { isTransient } from './entrance.ts'
import css from './frame.module.css'
import { Frame } from './frame.tsx'
import { type ViewerContext, ViewerReactContext } from './viewer-context.ts'

/** The images of a view. */
export function Viewer({ view }: { view: View }) {
  const [begun] = useState(() => startView(view))
  const ended = useSyncExternalStore(begun.list.subscribe, () => begun.list.state().ended)
  const [left, setLeft] = useState('')
  const viewerContext = useStartedView(begun)
  useEffect(() => keepViewAwake(view.viewId, setLeft), [view.viewId])
  if (left || ended)
    return (
      <ClosedView why="view" sentence={left || (ended ? translateMessage(ended) : '')} isFinal />
    )
  if (viewerContext instanceof Error)
    return <ClosedView why="browser" sentence={sentenceOf(viewerContext)} isFinal />
  if (!viewerContext) {
    return (
      <main className={css.starts} aria-label={t('ui.viewer.landing.heading')}>
        <Loader size="sm" />
        <p role="status">{t('ui.viewer.landing.opening')}</p>
      </main>
    )
  }
  return (
    <ViewerReactContext value={viewerContext}>
      <Frame onClosed={setLeft} />
    </ViewerReactContext>
  )
}

const sentenceOf = (error: Error): string =>
  error instanceof ImageProblem ? translateMessage(error.explanation) : error.message

function useStartedView(begun: StartedView): ViewerContext | Error | undefined {
  const [bench, setBench] = useState<ViewerContext | Error>()
  useEffect(() => {
    let isLeft = false
    begun.bench.then(
      (bench) => isLeft || setBench(bench),
      (error: unknown) =>
        isLeft || setBench(error instanceof Error ? error : new Error(String(error))),
    )
    return () => {
      isLeft = true
    }
  }, [begun])
  return bench
}

const keepViewAwake = (viewId: string, onEnded: (sentence: string) => void): (() => void) =>
  keepAwake({
    read: () => call(viewing.read, { params: { viewId } }),
    isVisible: () => document.visibilityState === 'visible',
    endOf: (error) =>
      error instanceof ProblemError && !isTransient(error.code) ? error.message : '',
    onEnded,
    onUse: onPageUse,
    every(milliseconds, run) {
      const timer = window.setInterval(run, milliseconds)
      return () => window.clearInterval(timer)
    },
  })
