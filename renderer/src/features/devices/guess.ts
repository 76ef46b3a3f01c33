// DICOM modalities (PS3.3 C.7.3.1.1.1) that a clinic's devices commonly carry, longest first where
// one begins another.
const MODALITIES = [
  'MAMMO',
  'CT',
  'MR',
  'US',
  'CR',
  'DX',
  'DR',
  'MG',
  'NM',
  'PT',
  'XA',
  'RF',
  'OPT',
  'ES',
  'ECG',
  'IO',
  'PX',
] as const
const MODALITY_ALIASES: Record<string, string> = { MAMMO: 'MG', DR: 'DX' }

/**
 * Modality that an AE title names at its start or as one of its words: `CT1`, `RAD_US2`,
 * `MRI-AVANTO`. Empty where it names none: a guess only fills a field that a person confirms.
 */
export function guessModality(aeTitle: string): string {
  for (const word of aeTitle.toUpperCase().split(/[^A-Z0-9]+/)) {
    const letters = word.replace(/\d+$/, '')
    const found = MODALITIES.find(
      (modality) => letters === modality || (modality === 'MR' && letters === 'MRI'),
    )
    if (found) return MODALITY_ALIASES[found] ?? found
  }
  return ''
}

/** A first name for a device: its AE title as words, `CT_ROOM1` → `CT Room 1`. */
export function guessName(aeTitle: string): string {
  const words = aeTitle
    .trim()
    .split(/[_\s-]+/)
    .flatMap((word) => word.split(/(?<=[A-Za-z]{3})(?=\d)/))
  return words
    .map((word, index) =>
      index > 0 && /^[A-Z]{4,}$/.test(word) ? word.charAt(0) + word.slice(1).toLowerCase() : word,
    )
    .join(' ')
}
