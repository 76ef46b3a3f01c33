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
import type { ViewerState } from '../viewer-store.ts'

export const MEDIA_ICONS: Readonly<Record<ViewMedia['shownAs'], Icon>> = {
  pdf: IconFileTypePdf,
  image: IconPhoto,
  video: IconMovie,
  report: IconFileText,
  'key-images': IconStar,
  waveform: IconHeartbeat,
  other: IconFile,
}

/** 12-lead, general, ambulatory and general 32-bit ECG (PS3.4 B.5). */
const TWELVE_LEAD = '1.2.840.10008.5.1.4.1.1.9.1.1'
const ECG = /^1\.2\.840\.10008\.5\.1\.4\.1\.1\.9\.1\.\d+$/

/** What it is, such as `Structured report`. */
export function kindText({ shownAs, object }: Pick<ViewMedia, 'shownAs' | 'object'>): string {
  if (object?.sopClassUid === TWELVE_LEAD) return t('ui.viewer.media.kinds.ecg12')
  if (ECG.test(object?.sopClassUid ?? '')) return t('ui.viewer.media.kinds.ecg')
  return t(`ui.viewer.media.kinds.${shownAs}`)
}

/** A document, picture or video by its title or file name, otherwise by what it is. */
export const mediaName = (medium: ViewMedia): string =>
  medium.title || medium.fileName || kindText(medium)

/** Whether the page shows it; otherwise it is offered for download only. */
export const isShown = ({ shownAs }: ViewMedia): boolean => shownAs !== 'other'

/** Whether its content can be saved; reports and waveforms are part of a DICOM file. */
export const isFile = ({ shownAs }: ViewMedia): boolean =>
  shownAs !== 'report' && shownAs !== 'key-images' && shownAs !== 'waveform'

/** What the screen is set to when it is opened, or closed. Key images are a list. */
export const openingOf = (
  { mediaId, shownAs }: ViewMedia,
  isOpen: boolean,
): Partial<ViewerState> =>
  shownAs === 'key-images'
    ? { drawer: 'keyImages', keySelection: mediaId }
    : { mediaId: isOpen ? null : mediaId, hasElements: false }
