import { countText } from '../display/amounts.ts'

export const en = {
  title: 'Images set aside',
  about:
    'These images are kept, but were not added to their study, because that could be wrong. A person decides: release or discard.',
  label: 'Images set aside, the latest first',
  columns: {
    why: 'Why, and what to do',
    patient: 'Patient, as the image says',
    device: 'From',
    at: 'Received',
    actions: 'Decide',
  },
  open: 'Open the study',
  ofStudy: 'All set aside of this study',
  image: (modality: string) => `${modality} image`.trim(),
  images: (count: number) => countText(count, 'image'),
  onlyStudy: 'Only those of one study are shown.',
  showAll: 'Show all',
  none: 'Nothing is set aside',
  noneText:
    'Images come here only where adding them to a study could be wrong, for example under another patient’s exam.',
  more: 'Loading earlier ones…',
  last: 'These are all.',
  release: 'Release',
  discard: 'Discard',
  released: 'The image took its place in the study.',
  discarded: 'The image is deleted.',
  releaseAsk: {
    title: 'Release this image?',
    action: 'Release',
    label: 'Reason',
    about: 'It is kept in the audit trail.',
    example: 'e.g. corrected image, confirmed by the technologist',
  },
  releaseAll: (count: string) => `Release all ${count}`,
  discardAll: (count: string) => `Discard all ${count}`,
  severalPatients:
    'These images name more than one patient. Decide on them one by one unless you are sure of all of them.',
  releaseAllAsk: {
    title: (images: string) => `Release ${images}?`,
    action: (images: string) => `Release ${images}`,
    label: 'Reason',
    about: 'One for all of them. It is kept in the audit trail.',
    example: 'e.g. the right worklist entry after all, confirmed by the technologist',
  },
  releaseAllText:
    'They are added to their study and sent on like any other images. If some replace others, those are kept.',
  discardAllAsk: {
    title: (images: string) => `Discard ${images} for good?`,
    action: (images: string) => `Discard ${images} for good`,
    label: 'Reason',
    about: 'One for all of them. It is kept in the audit trail.',
    example: 'e.g. wrong patient, sent again under the right one',
  },
  discardAllText:
    'They are deleted from this gateway and cannot be brought back. Make sure that the device still has them, or that nobody needs them.',
  releaseText:
    'It is added to its study and sent on like any other image. If it replaces another one, that one is kept.',
  discardAsk: {
    title: 'Discard this image for good?',
    action: 'Discard for good',
    label: 'Reason',
    about: 'It is kept in the audit trail.',
    example: 'e.g. wrong patient, sent again under the right one',
  },
  discardText:
    'It is deleted from this gateway and cannot be brought back. Make sure that the device still has it, or that nobody needs it.',
} as const

export type English = typeof en
