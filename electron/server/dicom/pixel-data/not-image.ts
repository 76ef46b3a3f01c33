/**
 * What objects are that this viewer shows no image of, by their SOP class (PS3.4 Annex B.5); a root
 * ends with a dot.
 */
const CLASSES: readonly (readonly [string, string])[] = [
  ['1.2.840.10008.1.3.10', 'A DICOMDIR, which lists the files of a disc.'],
  ['88.59', 'A key object selection.'],
  ['88.67', 'A radiation dose report.'],
  ['88.68', 'A radiation dose report.'],
  ['88.76', 'A radiation dose report.'],
  ['88.', 'A structured report.'],
  ['104.1', 'An encapsulated PDF.'],
  ['104.2', 'An encapsulated clinical document.'],
  ['104.', 'An encapsulated 3D model.'],
  ['11.', 'A presentation state.'],
  ['9.', 'A waveform, such as an ECG.'],
  ['30', 'A parametric map, which this viewer does not show.'],
  ['66', 'Raw data of a device.'],
  ['66.1', 'A spatial registration.'],
  ['66.2', 'Spatial fiducials.'],
  ['66.3', 'A spatial registration.'],
  ['66.4', 'A segmentation, which this viewer does not show.'],
  ['66.5', 'A segmentation, which this viewer does not show.'],
  ['66.6', 'A tractography, which this viewer does not show.'],
  ['66.7', 'A segmentation, which this viewer does not show.'],
  ['66.8', 'A segmentation, which this viewer does not show.'],
  ['67', 'A real world value mapping.'],
  ['68.', 'A surface scan.'],
  ['77.1.6', 'A whole slide image, which this viewer does not show.'],
  ['4.2', 'A spectroscopy, which this viewer does not show.'],
  ['481.3', 'A structure set of a radiotherapy.'],
  ['481.5', 'A plan of a radiotherapy.'],
  ['481.8', 'A plan of a radiotherapy.'],
  ['481.4', 'A treatment record of a radiotherapy.'],
  ['481.6', 'A treatment record of a radiotherapy.'],
  ['481.7', 'A treatment record of a radiotherapy.'],
  ['481.9', 'A treatment record of a radiotherapy.'],
]

const STORAGE_ROOT = '1.2.840.10008.5.1.4.1.1.'

/** Transfer syntaxes whose pixels are no pictures one by one, or are elsewhere (PS3.5 §A.4). */
const SYNTAXES: readonly (readonly [RegExp, string])[] = [
  [/^1\.2\.840\.10008\.1\.2\.4\.10[01](?:\.1)?$/, 'MPEG-2 video, which this viewer does not show.'],
  [
    /^1\.2\.840\.10008\.1\.2\.4\.10[2-6](?:\.1)?$/,
    'MPEG-4 video, which this viewer does not show.',
  ],
  [/^1\.2\.840\.10008\.1\.2\.4\.10[78]$/, 'HEVC video, which this viewer does not show.'],
  [/^1\.2\.840\.10008\.1\.2\.7\.[123]$/, 'Live video, which this viewer does not show.'],
  [
    /^1\.2\.840\.10008\.1\.2\.4\.(?:9[45]|20[45])$/,
    'An image whose pixels are on another server, which this viewer does not ask.',
  ],
]

/** Why an object is shown as no image: one sentence; '' where nothing speaks against it. */
export function notImageSentence(sopClassUid: string, transferSyntaxUid: string): string {
  const own = sopClassUid.startsWith(STORAGE_ROOT)
    ? sopClassUid.slice(STORAGE_ROOT.length)
    : sopClassUid
  const byClass = CLASSES.find(([uid]) => (uid.endsWith('.') ? own.startsWith(uid) : own === uid))
  return byClass?.[1] ?? SYNTAXES.find(([pattern]) => pattern.test(transferSyntaxUid))?.[1] ?? ''
}
