/** Objects that are no images and that the viewer shows as something else. */
export type ReadableKind = 'report' | 'key-images' | 'waveform' | 'document' | 'video'

/** By SOP class below the storage root (PS3.4 Annex B.5). An entry that ends with a dot is a root. */
const CLASS_KINDS: readonly (readonly [string, ReadableKind])[] = [
  ['88.59', 'key-images'],
  ['88.', 'report'],
  ['9.', 'waveform'],
  ['104.', 'document'],
]
const STORAGE_ROOT = '1.2.840.10008.5.1.4.1.1.'

/** MPEG-2, MPEG-4 and HEVC (PS3.5 A.4.5 to A.4.11): the whole pixel data is one stream. */
const MPEG_2 = /^1\.2\.840\.10008\.1\.2\.4\.10[01](?:\.1)?$/
const MPEG_4 = /^1\.2\.840\.10008\.1\.2\.4\.(?:10[2-6](?:\.1)?|10[78])$/

/** What the object can be shown as; null if it is an image or cannot be shown. */
export function readableKind(sopClassUid: string, transferSyntaxUid: string): ReadableKind | null {
  const classSuffix = sopClassUid.startsWith(STORAGE_ROOT)
    ? sopClassUid.slice(STORAGE_ROOT.length)
    : ''
  const found = CLASS_KINDS.find(([uid]) =>
    uid.endsWith('.') ? classSuffix.startsWith(uid) : classSuffix === uid,
  )
  return found?.[1] ?? (videoType(transferSyntaxUid) === null ? null : 'video')
}

/** The media type of the video of a transfer syntax; null if it has none. */
export const videoType = (transferSyntaxUid: string): string | null =>
  MPEG_2.test(transferSyntaxUid)
    ? 'video/mpeg'
    : MPEG_4.test(transferSyntaxUid)
      ? 'video/mp4'
      : null
