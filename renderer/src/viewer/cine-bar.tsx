import { ActionIcon, Slider, Tooltip } from '@mantine/core'
import { IconPlayerPauseFilled, IconPlayerPlayFilled, IconX } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import css from './cine-bar.module.css'
import {
  useActivePaneId,
  usePane,
  usePaneState,
  useViewerContext,
  useViewerState,
} from './viewer-context.ts'

const MAX_FRAME_RATE = 60

/** Plays the active pane, and says how fast. */
export function CineBar() {
  const { viewerStore } = useViewerContext()
  const isShown = useViewerState((state) => state.hasCine)
  const paneId = useActivePaneId()
  const pane = usePane(paneId)
  const { isPlaying, framesPerSecond, index, count } = usePaneState(paneId, (state) => state)
  if (!isShown) return null
  const label = isPlaying ? t('ui.viewer.cine.stop') : t('ui.viewer.cine.play')
  const close = () => {
    pane.stop()
    viewerStore.set({ hasCine: false })
  }
  return (
    <section className={css.bar} aria-label={t('ui.viewer.cine.label')}>
      <Tooltip label={t('ui.viewer.toolbar.withKey', { label, keys: 'Space' })}>
        <ActionIcon
          variant="filled"
          color="petrol"
          size="md"
          aria-label={label}
          disabled={count < 2}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => (isPlaying ? pane.stop() : pane.play())}
        >
          {isPlaying ? <IconPlayerPauseFilled size={15} /> : <IconPlayerPlayFilled size={15} />}
        </ActionIcon>
      </Tooltip>
      <Slider
        className={css.position ?? ''}
        size="sm"
        thumbLabel={t('ui.viewer.cine.position')}
        min={1}
        max={Math.max(2, count)}
        value={index + 1}
        disabled={count < 2}
        label={null}
        onChange={(value) => pane.scrollTo(value - 1)}
      />
      <span className={css.text}>
        {t('ui.viewer.pane.image', { number: index + 1, of: count })}
      </span>
      <Slider
        className={css.speed ?? ''}
        size="sm"
        thumbLabel={t('ui.viewer.cine.speed')}
        min={1}
        max={MAX_FRAME_RATE}
        value={Math.round(framesPerSecond)}
        label={null}
        onChange={(value) => pane.play(value)}
      />
      <span className={css.text}>
        {t('ui.viewer.cine.speedValue', { rate: Math.round(framesPerSecond) })}
      </span>
      <Tooltip label={t('ui.viewer.cine.hide')}>
        <ActionIcon size="md" aria-label={t('ui.viewer.cine.hide')} onClick={close}>
          <IconX size={16} />
        </ActionIcon>
      </Tooltip>
    </section>
  )
}
