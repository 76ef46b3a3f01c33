import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Capture, viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../api/client.ts'
import { clockText } from '../format/dates.ts'
import type { Tone } from '../format/tones.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../ui/page.tsx'
import { ToneIcon } from '../ui/tone.tsx'
import { call } from './calls.ts'
import css from './side.module.css'
import { useViewerContext } from './viewer-context.ts'

const POLL_MS = 2000
const TONES: Readonly<Record<Capture['state'], Tone>> = {
  waiting: 'warning',
  uploading: 'info',
  done: 'good',
  failed: 'danger',
  kept: 'good',
}

/** Captures of this study and how far each has come; asked again while one is on its way. */
export function CaptureList() {
  const { viewerStore } = useViewerContext()
  const { viewId, whyNoCapture } = viewerStore.view
  const reply = useQuery<{ captures: Capture[] }, ProblemError>({
    queryKey: [viewing.captures.path],
    queryFn: ({ signal }) => call(viewing.captures, { params: { viewId } }, signal),
    refetchInterval: ({ state }) =>
      state.data?.captures.some(({ state }) => state === 'uploading' || state === 'waiting')
        ? POLL_MS
        : false,
  })
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <LoadingPlaceholder rows={3} height={48} />
  const { captures } = reply.data
  if (captures.length === 0)
    return (
      <p className={css.about}>
        {whyNoCapture ? translateMessage(whyNoCapture) : t('ui.viewer.capture.none')}
      </p>
    )
  return (
    <ul className={css.list}>
      {captures.map((capture) => (
        <Item key={capture.captureId} capture={capture} />
      ))}
    </ul>
  )
}

function Item({ capture }: { capture: Capture }) {
  const { viewerStore } = useViewerContext()
  const client = useQueryClient()
  const { captureId, state, urls, uploaded, nextAt, lastError, createdAt } = capture
  const retry = useMutation<unknown, ProblemError>({
    mutationFn: () =>
      call(viewing.retryCapture, { params: { viewId: viewerStore.view.viewId, captureId } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [viewing.captures.path] }),
  })
  const clock = (instant: string) => clockText(instant, undefined, new Date())
  const mayRetry = state === 'failed' || state === 'waiting'
  return (
    <li className={css.item}>
      <ToneIcon tone={TONES[state]} size={18} />
      <div className={css.body}>
        <strong>{t('ui.viewer.capture.at', { time: clock(createdAt) })}</strong>
        <p>{t(`ui.viewer.capture.states.${state}`)}</p>
        {urls > 0 && (
          <p className={css.quiet}>{t('ui.viewer.capture.progress', { uploaded, urls })}</p>
        )}
        {lastError && <p className={css.quiet}>{translateMessage(lastError)}</p>}
        {state === 'waiting' && nextAt && (
          <p className={css.quiet}>{t('ui.viewer.capture.next', { time: clock(nextAt) })}</p>
        )}
        {mayRetry && (
          <Button
            size="compact-sm"
            variant="default"
            mt={6}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {t('ui.viewer.capture.retry')}
          </Button>
        )}
        {retry.error && <ErrorNotice error={retry.error} />}
      </div>
    </li>
  )
}
