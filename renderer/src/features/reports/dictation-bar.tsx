import { Button, Group, Loader } from '@mantine/core'
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { signalUserActivity } from '../../api/user-activity.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'
import css from './dictation.module.css'
import type { Recorder } from './recorder.ts'
import type { Dictation } from './use-dictation.ts'

/** From here on somebody is speaking. */
const MIN_SPEECH_LEVEL = 0.05

/** What the dictation does now, and how it is ended. */
export function DictationBar({ dictation }: { dictation: Dictation }) {
  const { state, stop, retry, place, cancel } = dictation
  if (state.kind === 'idle') return null
  if (state.kind === 'failed')
    return (
      <Notice
        tone="danger"
        actions={
          <Group gap={6} wrap="nowrap">
            {state.audio && (
              <Button size="compact-sm" leftSection={<IconRefresh size={15} />} onClick={retry}>
                {t('ui.reports.dictation.retry')}
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={cancel}>
              {state.audio ? t('ui.reports.dictation.discard') : t('ui.reports.dictation.cancel')}
            </Button>
          </Group>
        }
      >
        {state.fault} {state.audio && t('ui.reports.dictation.kept')}
      </Notice>
    )
  if (state.kind === 'unplaced')
    return (
      <Notice
        tone="warning"
        title={t('ui.reports.dictation.notPlaced')}
        actions={
          <Group gap={6} wrap="nowrap">
            <Button size="compact-sm" onClick={place}>
              {t('ui.reports.dictation.insert')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={cancel}>
              {t('ui.reports.dictation.close')}
            </Button>
          </Group>
        }
      >
        {state.text}
      </Notice>
    )
  return (
    <div className={css.bar} role="status">
      {state.kind === 'recording' ? (
        <Recording recorder={state.recorder} />
      ) : (
        <>
          <Loader size={16} />
          <span>
            {t(`ui.reports.dictation.${state.kind === 'starting' ? 'starting' : 'transcribing'}`)}
          </span>
        </>
      )}
      <Group gap={6} ml="auto" wrap="nowrap">
        {state.kind === 'recording' && (
          <Button
            size="compact-sm"
            color="red"
            leftSection={<IconPlayerStop size={15} />}
            onClick={stop}
          >
            {t('ui.reports.dictation.stop')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={cancel}>
          {t(`ui.reports.dictation.${state.kind === 'recording' ? 'discard' : 'cancel'}`)}
        </Button>
      </Group>
    </div>
  )
}

/** That it records, for how long, and how loud. */
function Recording({ recorder }: { recorder: Recorder }) {
  const meter = useRef<HTMLMeterElement>(null)
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    let frame = requestAnimationFrame(function draw() {
      if (meter.current) meter.current.value = recorder.level()
      frame = requestAnimationFrame(draw)
    })
    const timer = setInterval(() => {
      setSeconds(Math.floor(recorder.elapsedMs() / 1000))
      // Who dictates uses the window, though neither mouse nor keyboard: it must not lock itself.
      if (recorder.level() > MIN_SPEECH_LEVEL) signalUserActivity()
    }, 500)
    return () => {
      cancelAnimationFrame(frame)
      clearInterval(timer)
    }
  }, [recorder])
  return (
    <>
      <span className={css.dot} aria-hidden />
      <b>{t('ui.reports.dictation.recording')}</b>
      <time className={css.time} aria-live="off">
        {`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}
      </time>
      <meter
        ref={meter}
        className={css.meter}
        min={0}
        max={1}
        aria-label={t('ui.reports.dictation.level')}
      />
    </>
  )
}
