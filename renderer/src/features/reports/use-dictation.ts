import { useCallback, useEffect, useRef, useState } from 'react'
import { dashboardDictation, MAX_DICTATION_SECONDS } from '#shared/contract/dictation.ts'
import type { StudyId } from '#shared/ids.ts'
import { call, useReply } from '../../api/queries.ts'
import { linkedViewId } from '../../api/shared-study.ts'
import { language } from '../../i18n/language.ts'
import { t } from '../../i18n/t.ts'
import { type Recorder, startRecorder } from './recorder.ts'

type DictationState =
  | { readonly kind: 'idle' | 'starting' }
  | { readonly kind: 'recording'; readonly recorder: Recorder }
  | { readonly kind: 'transcribing' }
  /** `audio`: what was recorded, to try again with. */
  | { readonly kind: 'failed'; readonly audio: Blob | null; readonly fault: string }
  /** The text came while the report could not be edited. */
  | { readonly kind: 'unplaced'; readonly text: string }

export interface Dictation {
  readonly state: DictationState
  start(): void
  stop(): void
  retry(): void
  /** Tries again to put in a text that could not be. */
  place(): void
  /** Ends whatever goes on, and forgets recording and text; a conversion leaves the recording. */
  cancel(): void
}

const IDLE = { kind: 'idle' } as const
/** The file may not be longer than the gateway takes. */
const MAX_RECORDING_MS = (MAX_DICTATION_SECONDS - 1) * 1000
const DURATION_CHECK_INTERVAL_MS = 250

/** Whether this window can dictate: an engine is configured, and the browser gives a microphone. */
export function useMayDictate(): boolean {
  const isPossible =
    linkedViewId === null &&
    globalThis.navigator?.mediaDevices !== undefined &&
    globalThis.MediaRecorder !== undefined
  const { data } = useReply(
    dashboardDictation.state,
    {},
    { enabled: isPossible, staleTime: 60_000 },
  )
  return isPossible && data?.isConfigured === true
}

/**
 * Dictation of a report: records, has the engine make a text of it, and puts that in.
 * @param insert puts a text where the cursor is; false where the report cannot be edited
 */
export function useDictation(studyId: StudyId, insert: (text: string) => boolean): Dictation {
  const [state, setState] = useState<DictationState>(IDLE)
  const latest = useRef(state)
  latest.current = state
  const insertRef = useRef(insert)
  insertRef.current = insert
  const abortController = useRef(new AbortController())

  const insertText = useCallback((text: string) => {
    setState(insertRef.current(text) ? IDLE : { kind: 'unplaced', text })
  }, [])
  const transcribe = useCallback(
    async (audio: Blob) => {
      abortController.current = new AbortController()
      const { signal } = abortController.current
      setState({ kind: 'transcribing' })
      try {
        const { text } = await call(
          dashboardDictation.transcribe,
          { params: { studyId }, query: { language: language === 'es' ? 'es' : 'en' } },
          signal,
          { file: audio },
        )
        if (signal.aborted) return
        if (text === '') setState({ kind: 'failed', audio, fault: t('ui.reports.dictation.empty') })
        else insertText(text)
      } catch (error) {
        const fault = signal.aborted
          ? t('ui.reports.dictation.cancelled')
          : (error as Error).message
        setState({ kind: 'failed', audio, fault })
      }
    },
    [studyId, insertText],
  )
  const start = useCallback(async () => {
    if (latest.current.kind !== 'idle') return
    abortController.current = new AbortController()
    const { signal } = abortController.current
    setState({ kind: 'starting' })
    try {
      const recorder = await startRecorder()
      // The person did not wait, or left the page.
      if (signal.aborted) return recorder.cancel()
      setState({ kind: 'recording', recorder })
    } catch (error) {
      if (!signal.aborted) setState({ kind: 'failed', audio: null, fault: microphoneFault(error) })
    }
  }, [])
  const stop = useCallback(async () => {
    if (latest.current.kind !== 'recording') return
    const { recorder } = latest.current
    setState({ kind: 'transcribing' })
    try {
      await transcribe(await recorder.stop())
    } catch {
      setState({ kind: 'failed', audio: null, fault: t('ui.reports.dictation.unreadable') })
    }
  }, [transcribe])
  const cancel = useCallback(() => {
    abortController.current.abort()
    const { current: now } = latest
    if (now.kind === 'recording') now.recorder.cancel()
    // Its call ends by the signal, and keeps the recording.
    if (now.kind !== 'transcribing') setState(IDLE)
  }, [])

  const recorder = state.kind === 'recording' ? state.recorder : null
  useEffect(() => {
    if (!recorder) return
    const timer = setInterval(
      () => recorder.elapsedMs() >= MAX_RECORDING_MS && void stop(),
      DURATION_CHECK_INTERVAL_MS,
    )
    return () => clearInterval(timer)
  }, [recorder, stop])
  useEffect(
    () => () => {
      abortController.current.abort()
      if (latest.current.kind === 'recording') latest.current.recorder.cancel()
    },
    [],
  )
  return {
    state,
    start: () => void start(),
    stop: () => void stop(),
    retry: () => state.kind === 'failed' && state.audio && void transcribe(state.audio),
    place: () => state.kind === 'unplaced' && insertText(state.text),
    cancel,
  }
}

const microphoneFault = (error: unknown): string =>
  t(
    error instanceof DOMException && error.name === 'NotAllowedError'
      ? 'ui.reports.dictation.blocked'
      : 'ui.reports.dictation.noMicrophone',
  )
