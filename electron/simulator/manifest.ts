import { readHeader, textOf } from './part10.ts'

// All values have the declared types; a test that needs others changes the result.

export interface ManifestSop {
  readonly sopClassUID: string
  readonly sopInstanceUID: string
  readonly [field: string]: string | number | boolean
}

export interface ManifestSeries {
  readonly modality: string
  readonly seriesDescription: string
  readonly seriesInstanceUID: string
  readonly seriesNumber: string | number
  readonly sops: readonly ManifestSop[]
}

export interface Manifest {
  readonly studyInstanceUID: string
  readonly series: readonly ManifestSeries[]
}

const STUDY_UID_TAG = 0x0020000d
const SERIES = 0x0020000e
const SHORT_TAGS: Readonly<Record<string, number>> = {
  rows: 0x00280010,
  columns: 0x00280011,
  bitsAllocated: 0x00280100,
  bitsStored: 0x00280101,
  highBit: 0x00280102,
  pixelRepresentation: 0x00280103,
  samplesPerPixel: 0x00280002,
}
const NUMBER_STRING_TAGS: Readonly<Record<string, number>> = {
  instanceNumber: 0x00200013,
  numberOfFrames: 0x00280008,
  rescaleIntercept: 0x00281052,
  rescaleSlope: 0x00281053,
}

/**
 * Creates the manifest of a study from its files, or from the first 64 KiB of each; files without a
 * readable header are omitted.
 */
export function manifestOf(files: Iterable<Buffer>): Manifest | undefined {
  const series = new Map<string, Omit<ManifestSeries, 'sops'> & { readonly sops: ManifestSop[] }>()
  let study = ''
  for (const file of files) {
    const head = readHeader(file)
    const text = (tag: number) => textOf(head.get(tag))
    const sopInstanceUID = text(0x00080018)
    if (!sopInstanceUID) continue
    study ||= text(STUDY_UID_TAG)
    const uid = text(SERIES)
    const of = series.get(uid) ?? {
      modality: text(0x00080060) || 'OT',
      seriesDescription: text(0x0008103e) || 'Series',
      seriesInstanceUID: uid,
      seriesNumber: Number(text(0x00200011)) || 0,
      sops: [],
    }
    series.set(uid, of)
    of.sops.push({
      sopClassUID: text(0x00080016),
      sopInstanceUID,
      ...numbersOf(head),
      ...photometric(text(0x00280004)),
    })
  }
  return study === '' ? undefined : { studyInstanceUID: study, series: [...series.values()] }
}

function numbersOf(head: ReadonlyMap<number, Buffer>): Record<string, number> {
  const shorts = Object.entries(SHORT_TAGS).flatMap(([name, tag]) => {
    const bytes = head.get(tag)
    return bytes && bytes.length >= 2 ? [[name, bytes.readUInt16LE(0)] as const] : []
  })
  const strings = Object.entries(NUMBER_STRING_TAGS).flatMap(([name, tag]) => {
    const text = textOf(head.get(tag))
    return text === '' || Number.isNaN(Number(text)) ? [] : [[name, Number(text)] as const]
  })
  return Object.fromEntries([...shorts, ...strings])
}

const photometric = (text: string) => (text === '' ? {} : { photometricInterpretation: text })
