/** Every text of the page that a link for dictation opens. */
export const en = {
  title: 'Report',
  brand: 'Isthmus',
  close: 'Close the study',
  closing: 'Saving what is written, then closing the study.',
  closed: 'The study is closed',
  closedText:
    'What you wrote is kept as a draft until it is signed. To open the study again, follow a new link from where you came from.',
  ended: 'This study is not open any more',
  endedUnsaved: 'What was not saved is still below. Copy it before you leave this page.',
  opening: 'Opening the study',
  notClosed: 'The study stays open: part of the report is not saved.',
} as const

export type English = typeof en
