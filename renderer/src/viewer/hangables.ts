import type { HangingSeries } from './board.ts'
import type { ListState, SeriesState } from './engine/stack.ts'

/** The series of a view, as the board hangs them: in the order of the rail. */
export const hangingSeriesIn = (images: ListState): readonly HangingSeries[] =>
  images.studies.flatMap(({ series }) => series.map((one) => hangingSeriesOf(one)))

/**
 * As devices name them that do not mark their images, and while only the manifest knows a series.
 */
const LOCALIZER =
  /\b(?:scouts?|localizers?|localisers?|topograms?|scanograms?|surview|3[- ]?plane)\b/i

export const hangingSeriesOf = ({
  key,
  studyInstanceUid,
  isPrior,
  series,
  stack,
  isMultiFrame,
}: SeriesState): HangingSeries => ({
  seriesKey: key,
  studyUid: studyInstanceUid,
  description: series.seriesDescription,
  modality: series.modality,
  isPrior,
  images: stack.length,
  isLocalizer:
    stack[0]?.instance.imageType.includes('LOCALIZER') || LOCALIZER.test(series.seriesDescription),
  isLoop: isMultiFrame,
  views: PROJECTIONS.has(series.modality)
    ? stack.map(({ instance: { laterality, viewPosition, patientOrientation } }, index) => ({
        index,
        laterality: laterality || series.laterality,
        viewPosition: viewPosition.toUpperCase(),
        rowDirection: patientOrientation[0] ?? '',
      }))
    : [],
})

/** Modalities whose images are read one by one, each with a view of its own. */
const PROJECTIONS: ReadonlySet<string> = new Set(['MG', 'CR', 'DX', 'RG'])

/** A series by its key. */
export const seriesOf = (images: ListState, key: string | null): SeriesState | undefined =>
  key === null
    ? undefined
    : images.studies.flatMap(({ series }) => series).find((series) => series.key === key)
