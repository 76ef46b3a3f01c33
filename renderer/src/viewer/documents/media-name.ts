import {
  type Icon,
  IconFile,
  IconFileText,
  IconFileTypePdf,
  IconHeartbeat,
  IconMovie,
  IconPhoto,
  IconStar,
} from '@tabler/icons-react'
import type { ViewMedia } from '#shared/contract/viewed-images.ts'
import { t } from '../../i18n/t.ts'
import type { DeskState } from '../desk.ts'

export const MEDIA_ICONS: Readonly<Record<ViewMedia['shownAs'], Icon>> = {
  pdf: IconFileTypePdf,
  image: IconPhoto,
  video: IconMovie,
  report: IconFileText,
  'key-images': IconStar,
  waveform: IconHeartbeat,
  other: IconFile,
}

/** A document, picture or video by its title or file name, otherwise by what it is. */
export function mediaName({ title, fileName, shownAs, mediaId }: ViewMedia): string {
  const kind = fileName ? '' : t(`ui.viewer.media.kinds.${shownAs}`)
  return title || fileName || kind || t('ui.viewer.media.unnamed', { number: mediaId })
}

/** Whether the page shows it; otherwise it is offered for download only. */
export const isShown = ({ shownAs }: ViewMedia): boolean => shownAs !== 'other'

/** Whether its content can be saved; reports and waveforms are part of a DICOM file. */
export const isFile = ({ shownAs }: ViewMedia): boolean =>
  shownAs !== 'report' && shownAs !== 'key-images' && shownAs !== 'waveform'

/** What the screen is set to when it is opened, or closed. Key images are a list. */
export const openingOf = ({ mediaId, shownAs }: ViewMedia, isOpen: boolean): Partial<DeskState> =>
  shownAs === 'key-images'
    ? { drawer: 'keyImages', keySelection: mediaId }
    : { mediaId: isOpen ? null : mediaId, hasElements: false }
