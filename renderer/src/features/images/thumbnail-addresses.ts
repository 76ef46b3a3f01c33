import {
  type ImageSeries,
  type ImageStudySummary,
  thumbnailPaths,
} from '#shared/contract/images.ts'

/**
 * The picture of a study. Once a study is complete its number of images is a part of the address,
 * so that the picture is asked for again after a correction, but not with each image that comes.
 */
export const studyThumbnail = ({
  studyInstanceUid,
  state,
  instances,
}: Pick<ImageStudySummary, 'studyInstanceUid' | 'state' | 'instances'>): string =>
  `${thumbnailPaths.study(studyInstanceUid)}${state === 'receiving' ? '' : `?images=${instances}`}`

/** As `studyThumbnail`, of one of its series. */
export const seriesThumbnail = (
  { studyInstanceUid, state }: Pick<ImageStudySummary, 'studyInstanceUid' | 'state'>,
  { seriesInstanceUid, instances }: Pick<ImageSeries, 'seriesInstanceUid' | 'instances'>,
): string =>
  `${thumbnailPaths.series(studyInstanceUid, seriesInstanceUid)}${state === 'receiving' ? '' : `?images=${instances}`}`
