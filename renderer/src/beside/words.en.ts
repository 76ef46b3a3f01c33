/** Every text of the images beside a report, and of the buttons that open them elsewhere. */
export const en = {
  label: 'Images',
  frame: 'Images of the study',
  open: 'Open images',
  ask: 'Ask the partner for images',
  askMeaning: 'No image of this study was received here. The partner may have them.',
  window: 'Images in a window of their own',
  openWindow: 'Open the images window',
  beside: 'Images beside the report',
  bringBack: 'Bring the images back',
  again: 'Open the images again',
  hide: 'Hide the images',
  opening: 'The images are being opened',
  failed: 'The images could not be opened',
  retry: 'Try again',
  blocked:
    'The browser did not let a window open. Allow pop-up windows for this address, or show the images beside the report.',
  blockedTab: 'The browser did not let a window open. Allow pop-up windows for this address.',
  split: 'Width of the images',
  tabs: {
    label: 'Parts of the report',
    report: 'Report',
    context: 'Context and earlier reports',
    signed: 'Signed',
  },
  indication: 'Indication',
} as const

export type English = typeof en
