import { t } from '../i18n/t.ts'
import type { PaneState } from './engine/pane.ts'
import { nameOf, overlayOf } from './overlay-text.ts'

/**
 * Draws what stands on an image onto its capture: the body's sides, window and image, and what the
 * picture is not for. Nothing of the patient: the object names the patient in its header, and
 * pixels cannot be made anonymous later.
 */
export function drawLabels(
  context: CanvasRenderingContext2D,
  state: PaneState,
  width: number,
  height: number,
): void {
  const size = Math.max(11, Math.round(Math.min(width, height) / 42))
  const margin = Math.round(size * 0.7)
  const { image, picture } = overlayOf(state, EMPTY_IDENTITY)
  context.save()
  context.font = `600 ${size}px 'Inter Variable', system-ui, sans-serif`
  context.shadowColor = '#000'
  context.shadowBlur = size / 4
  const column = (lines: readonly string[], x: number, align: CanvasTextAlign) => {
    context.textAlign = align
    context.textBaseline = 'bottom'
    for (const [at, text] of lines.toReversed().entries())
      context.fillText(text, x, height - margin - at * size * 1.3)
  }
  context.fillStyle = '#e9eff1'
  column(
    image.map(({ text }) => text),
    margin,
    'left',
  )
  column([...picture.map(({ text }) => text), t('ui.viewer.notPrimary')], width - margin, 'right')
  context.fillStyle = '#8fd8e0'
  context.textBaseline = 'middle'
  const { left, right, top, bottom } = state.edges
  context.textAlign = 'left'
  context.fillText(left, margin, height / 2)
  context.textAlign = 'right'
  context.fillText(right, width - margin, height / 2)
  context.textAlign = 'center'
  context.textBaseline = 'top'
  context.fillText(top, width / 2, margin)
  context.textBaseline = 'bottom'
  context.fillText(bottom, width / 2, height - margin)
  context.restore()
}

const EMPTY_IDENTITY = {
  ...{
    studyInstanceUid: '',
    isPrior: false,
    patientName: '',
    patientId: '',
    patientBirthDate: '',
    patientSex: '',
  },
  ...{ studyDate: '', studyTime: '', studyDescription: '', accessionNumber: '' },
} as const

/** The instance a capture is of: of a plane, that in the middle of its volume. */
export function captureOf({
  image,
  series,
}: PaneState): { readonly sopInstanceUid: string; readonly frame: number } | undefined {
  return image ?? series?.stack[Math.floor(series.stack.length / 2)]
}

/** What the new image is described as, unless somebody writes otherwise. */
export function givenDescription(state: PaneState, windowText: string): string {
  const { series, plane, index } = state
  if (!series) return ''
  const window = windowText && t('ui.viewer.capture.window', { values: windowText })
  const what = plane
    ? t('ui.viewer.capture.plane', { plane: t(`ui.viewer.pane.planes.${plane}`) })
    : t('ui.viewer.capture.image', { number: index + 1 })
  return [nameOf(series), what, window].filter(Boolean).join(', ')
}
