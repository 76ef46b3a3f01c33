import { cache, metaData } from '@cornerstonejs/core'
import { t } from '../../i18n/t.ts'

/** What Cornerstone has measured on one image or volume. */
type Measured = Readonly<Record<string, unknown>>
interface AnnotationData {
  readonly cachedStats?: Readonly<Record<string, Measured | undefined>>
}
type Target = string | readonly string[]

/** Lines beside an area: its size, and statistics of the values in it. */
export function areaLines(data: AnnotationData, target: Target): readonly string[] {
  const [targetId, measured] = measuredOf(data, target)
  if (!measured) return []
  const unit = unitOf(targetId)
  const { area, areaUnit, mean, stdDev, min, max } = measured
  return [
    ...line(area, areaUnit, (value) => t('ui.viewer.measured.area', { value })),
    ...line(mean, unit, (value) => t('ui.viewer.measured.mean', { value })),
    // Of all the pixels, and not of a sample: divided by their number.
    ...line(stdDev, unit, (value) => t('ui.viewer.measured.deviation', { value })),
    ...line(min, unit, (value) => t('ui.viewer.measured.least', { value })),
    ...line(max, unit, (value) => t('ui.viewer.measured.greatest', { value })),
  ]
}

/** Lines beside a lesion's greatest length and the one across it. */
export function axesLines(data: AnnotationData, target: Target): readonly string[] {
  const [, measured] = measuredOf(data, target)
  if (!measured) return []
  const { length, width, unit } = measured
  return [
    ...line(length, unit, (value) => t('ui.viewer.measured.longAxis', { value })),
    ...line(width, unit, (value) => t('ui.viewer.measured.shortAxis', { value })),
  ]
}

function measuredOf(
  { cachedStats }: AnnotationData,
  target: Target,
): [string, Measured | undefined] {
  const ids = typeof target === 'string' ? [target] : target
  const id = ids.find((one) => cachedStats?.[one] !== undefined) ?? ''
  return [id, cachedStats?.[id]]
}

/** Nothing of a colour image, whose values are three numbers. */
const line = (value: unknown, unit: unknown, text: (value: string) => string): string[] =>
  typeof value === 'number' && Number.isFinite(value)
    ? [text([rounded(value), unit].filter(Boolean).join(' '))]
    : []

function rounded(value: number): string {
  const size = Math.abs(value)
  return `${Number(value.toFixed(size >= 100 ? 1 : size >= 1 ? 2 : 4))}`
}

/** The unit of the values that Cornerstone measured on (`imageId:…`, `volumeId:…`). */
function unitOf(targetId: string): string {
  const id = targetId.replace(/^(imageId|volumeId):/, '').replace(/\?.*$/, '')
  const imageId = targetId.startsWith('volumeId:') ? cache.getVolume(id)?.imageIds[0] : id
  const found: unknown = imageId && metaData.get('valueUnit', imageId)
  return typeof found === 'object' && found !== null && 'unit' in found ? String(found.unit) : ''
}
