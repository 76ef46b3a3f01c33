import { Button, Group, Loader, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { MAX_CAPTURE_SIDE, viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../api/client.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice } from '../ui/page.tsx'
import { Notice } from '../ui/tone.tsx'
import { call } from './calls.ts'
import css from './capture.module.css'
import { captureOf, drawLabels, givenDescription } from './capture-picture.ts'
import type { CapturedPicture, Pane, PaneState } from './engine/pane.ts'
import { amountText } from './overlay-text.ts'
import { useActivePaneId, usePane, useViewerContext, useViewerState } from './viewer-context.ts'
import { NO_TRANSITION } from './viewer-store.ts'

const MAX_CHARACTERS = 200

/** Shows what would be kept before it is. */
export function CaptureDialog() {
  const { viewerStore } = useViewerContext()
  const isOpen = useViewerState((state) => state.isCapturing)
  const pane = usePane(useActivePaneId())
  const close = () => viewerStore.set({ isCapturing: false })
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t('ui.viewer.capture.title')}
      size="xl"
      transitionProps={NO_TRANSITION}
      // The picture is the one image here.
      closeButtonProps={{
        'aria-label': t('ui.viewer.capture.close'),
        icon: <IconX size={18} aria-hidden />,
      }}
    >
      {isOpen && <CaptureForm pane={pane} onClose={close} />}
    </Modal>
  )
}

function CaptureForm({ pane, onClose }: { pane: Pane; onClose: () => void }) {
  const { viewerStore } = useViewerContext()
  const client = useQueryClient()
  const capturedPane = useCapturedPane(pane)
  const [written, setWritten] = useState<string>()
  const taken = capturedPane === 'nothing' ? undefined : capturedPane
  const of = taken && captureOf(taken.state)
  const description = written ?? (taken ? describe(taken.state) : '')
  const make = useMutation<unknown, ProblemError, CapturedPicture>({
    mutationFn: async ({ rows, columns, rgb }) => {
      if (!of) return
      // With the engine, which is a part of its own.
      const { compressed } = await import('./engine/picture.ts')
      const { sopInstanceUid, frame } = of
      const body = {
        sopInstanceUid,
        frame,
        rows,
        columns,
        pixels: await compressed(rgb),
        description,
      }
      await call(viewing.capture, { params: { viewId: viewerStore.view.viewId }, body })
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: [viewing.captures.path] })
      viewerStore.set({ isCapturing: false, drawer: 'captures' })
    },
  })
  const picture =
    taken && of && Math.max(taken.picture.rows, taken.picture.columns) <= MAX_CAPTURE_SIDE
      ? taken.picture
      : undefined
  const isNothing = capturedPane !== undefined && !picture
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (picture) make.mutate(picture)
      }}
    >
      <Stack>
        <Text fz="sm">{t('ui.viewer.capture.about')}</Text>
        {isNothing && <Notice tone="warning">{t('ui.viewer.capture.nothing')}</Notice>}
        {capturedPane === undefined && (
          <Text role="status" fz="sm">
            <Loader size="xs" mr="sm" />
            {t('ui.viewer.capture.preparing')}
          </Text>
        )}
        {picture && <Preview captured={picture} />}
        <TextInput
          label={t('ui.viewer.capture.description')}
          description={t('ui.viewer.capture.descriptionHint')}
          value={description}
          maxLength={MAX_CHARACTERS}
          data-autofocus
          onChange={(event) => setWritten(event.currentTarget.value)}
        />
        {make.error && <ErrorNotice error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.viewer.capture.cancel')}
          </Button>
          <Button type="submit" loading={make.isPending} disabled={!picture}>
            {t('ui.viewer.capture.make')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function describe(state: PaneState): string {
  const { window } = state
  return givenDescription(
    state,
    window ? `${amountText(window.center)}/${amountText(window.width)}` : '',
  ).slice(0, MAX_CHARACTERS)
}

interface CapturedPane {
  readonly picture: CapturedPicture
  /** Of what it was taken. */
  readonly state: PaneState
}

/** Taken as soon as the pixels of the image that was scrolled to are on the screen. */
function useCapturedPane(pane: Pane): CapturedPane | 'nothing' | undefined {
  const [captured, setCaptured] = useState<CapturedPane | 'nothing'>()
  useEffect(() => {
    let isOver = false
    const take = () => {
      const state = pane.state()
      if (isOver || (!state.isShown && !state.problem)) return
      isOver = true
      pane
        .capture((context, width, height) => drawLabels(context, state, width, height))
        .then(
          (picture) => setCaptured(picture ? { picture, state } : 'nothing'),
          () => setCaptured('nothing'),
        )
    }
    const unsubscribe = pane.subscribe(take)
    take()
    return () => {
      isOver = true
      unsubscribe()
    }
  }, [pane])
  return captured
}

function Preview({ captured: { rows, columns, rgb } }: { captured: CapturedPicture }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    const picture = context.createImageData(columns, rows)
    for (let pixel = 0; pixel < rows * columns; pixel++) {
      picture.data.set(rgb.subarray(pixel * 3, pixel * 3 + 3), pixel * 4)
      picture.data[pixel * 4 + 3] = 255
    }
    context.putImageData(picture, 0, 0)
  }, [rows, columns, rgb])
  return (
    <canvas
      ref={canvas}
      width={columns}
      height={rows}
      className={css.preview}
      role="img"
      aria-label={t('ui.viewer.capture.preview')}
    />
  )
}
