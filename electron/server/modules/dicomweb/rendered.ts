import type { Context } from '#server/context.ts'
import { type Rendering, THUMBNAIL_RENDERING } from '#server/dicom/thumbnails/rendering.ts'
import {
  type ThumbnailRenderer,
  ThumbnailsBusyError,
} from '#server/dicom/thumbnails/thumbnail-renderer.ts'
import { busy, type DicomwebAnswer } from '#server/http/dicomweb-route.ts'
import { type InstanceFile, localPathOf } from '#server/modules/images/local-files.ts'
import {
  findLargestSeries,
  listThumbnailSources,
} from '#server/modules/images/thumbnail-queries.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type AcceptedRepresentation, isOfType } from './accept.ts'
import { malformedParameterError, notAcceptableError, notFoundError } from './faults.ts'
import { findStoredInstance, type ResourcePath } from './stored-instances.ts'

const MEDIA_TYPES = { jpeg: 'image/jpeg', png: 'image/png' } as const
/** Default quality of a JPEG, as most encoders have it. */
const DEFAULT_JPEG_QUALITY = 90
const MAX_SIDE = 16_384

type Renderer = Pick<ThumbnailRenderer, 'render'>

/**
 * Renders a frame of an instance, by default the first one, as JPEG or PNG (PS3.18 8.3.5,
 * 10.4.1.1.3). Query parameters: `viewport=width,height`, `window=center,width,function`, `quality`.
 * @throws ApiError malformed, not-found, not-acceptable; refused: there is no picture; too-many
 */
export async function renderInstance(
  context: Context,
  renderer: Renderer,
  path: Required<ResourcePath>,
  frame: string | undefined,
  query: URLSearchParams,
  accepted: readonly AcceptedRepresentation[],
): Promise<DicomwebAnswer> {
  const rendering: Rendering = {
    ...viewportIn(query),
    frame: frame === undefined ? 1 : numberIn('frames', frame, 1, Number.MAX_SAFE_INTEGER),
    format: formatFor(accepted),
    quality: numberIn('quality', query.get('quality') ?? String(DEFAULT_JPEG_QUALITY), 1, 100),
    window: windowIn(query),
  }
  const instance = findStoredInstance(context.database, path)
  if (!instance) throw notFoundError()
  const picture = await pictureOf(context, renderer, instance, rendering)
  if (!picture) throw new ApiError('refused', message('dicomweb.no-picture'))
  return { contentType: MEDIA_TYPES[rendering.format], body: Buffer.from(picture) }
}

/**
 * A small picture of an instance, a series or a study (PS3.18 10.4.1.1.4): of the middle image of
 * the series, or of the largest series. Query parameter: `viewport`.
 * @throws ApiError as `renderInstance`; not-found also if there is no picture
 */
export async function renderThumbnail(
  context: Context,
  renderer: Renderer,
  path: ResourcePath,
  frame: string | undefined,
  query: URLSearchParams,
  accepted: readonly AcceptedRepresentation[],
): Promise<DicomwebAnswer> {
  const rendering: Rendering = {
    ...THUMBNAIL_RENDERING,
    ...(query.has('viewport') && viewportIn(query)),
    ...(frame !== undefined && {
      frame: numberIn('frames', frame, 1, Number.MAX_SAFE_INTEGER),
    }),
    ...{ format: formatFor(accepted), quality: DEFAULT_JPEG_QUALITY },
  }
  for (const file of filesFor(context, path)) {
    const picture = await pictureOf(context, renderer, file, rendering)
    if (picture) return { contentType: MEDIA_TYPES[rendering.format], body: Buffer.from(picture) }
  }
  throw notFoundError()
}

function filesFor({ database }: Context, path: ResourcePath): InstanceFile[] {
  const { studyInstanceUid, seriesInstanceUid, sopInstanceUid } = path
  if (seriesInstanceUid !== undefined && sopInstanceUid !== undefined) {
    const one = { studyInstanceUid, seriesInstanceUid, sopInstanceUid }
    const instance = findStoredInstance(database, one)
    return instance ? [instance] : []
  }
  const series = seriesInstanceUid ?? findLargestSeries(database, studyInstanceUid)
  if (series === undefined) return []
  return listThumbnailSources(database, studyInstanceUid, series)
}

async function pictureOf(
  context: Context,
  renderer: Renderer,
  instance: InstanceFile,
  rendering: Rendering,
): Promise<Uint8Array | null> {
  try {
    return await renderer.render(await localPathOf(context, instance), rendering)
  } catch (error) {
    throw error instanceof ThumbnailsBusyError ? busy() : error
  }
}

function formatFor(accepted: readonly AcceptedRepresentation[]): Rendering['format'] {
  const wanted = accepted.filter(({ isSingle }) => isSingle)
  for (const each of wanted) {
    if (isOfType(each, MEDIA_TYPES.jpeg)) return 'jpeg'
    if (isOfType(each, MEDIA_TYPES.png)) return 'png'
  }
  throw notAcceptableError()
}

/** PS3.18 8.3.5.1.3: width and height. A part of the image cannot be chosen. */
function viewportIn(query: URLSearchParams): Pick<Rendering, 'width' | 'height'> {
  const text = query.get('viewport')
  if (text === null) return { width: MAX_SIDE, height: MAX_SIDE }
  const [width = '', height = '', ...region] = text.split(',')
  if (region.some((each) => each !== '')) throw malformedParameterError('viewport')
  return {
    width: numberIn('viewport', width, 1, MAX_SIDE),
    height: numberIn('viewport', height, 1, MAX_SIDE),
  }
}

const WINDOW_FUNCTIONS: Readonly<Record<string, string>> = {
  linear: 'LINEAR',
  'linear-exact': 'LINEAR_EXACT',
  sigmoid: 'SIGMOID',
}

/** PS3.18 8.3.5.1.4: center, width and function. */
function windowIn(query: URLSearchParams): Rendering['window'] {
  const text = query.get('window')
  if (text === null) return undefined
  const [center = '', width = '', name = 'linear'] = text.split(',')
  const voiLutFunction = WINDOW_FUNCTIONS[name.toLowerCase()]
  if (voiLutFunction === undefined) throw malformedParameterError('window')
  return {
    center: numberIn('window', center, -1e9, 1e9),
    width: numberIn('window', width, 1e-6, 1e9),
    voiLutFunction,
  }
}

function numberIn(name: string, text: string, least: number, most: number): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (!(number >= least && number <= most)) throw malformedParameterError(name)
  return number
}
