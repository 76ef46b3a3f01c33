import { CODINGS } from '#server/dicom/data-set/coding.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'

export const DICOM = 'application/dicom'
export const DICOM_JSON = 'application/dicom+json'
export const OCTET_STREAM = 'application/octet-stream'

const JPEG_ROOT = '1.2.840.10008.1.2.4.'

/** Media types of compressed frames by transfer syntax (PS3.18 Tables 8.7.3-2 to 8.7.3-4). */
const FRAME_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^1\.2\.840\.10008\.1\.2\.5$/, 'image/dicom-rle'],
  [/^1\.2\.840\.10008\.1\.2\.4\.8[01]$/, 'image/jls'],
  [/^1\.2\.840\.10008\.1\.2\.4\.9[01]$/, 'image/jp2'],
  [/^1\.2\.840\.10008\.1\.2\.4\.9[23]$/, 'image/jpx'],
  [/^1\.2\.840\.10008\.1\.2\.4\.20[123]$/, 'image/jphc'],
  [/^1\.2\.840\.10008\.1\.2\.4\.11[012]$/, 'image/jxl'],
  [/^1\.2\.840\.10008\.1\.2\.4\.10[01](\.1)?$/, 'video/mpeg'],
  [/^1\.2\.840\.10008\.1\.2\.4\.10[2-8](\.1)?$/, 'video/mp4'],
  [/^1\.2\.840\.10008\.1\.2\.4\.(5\d|6\d|70)$/, 'image/jpeg'],
]

/** Names that clients use for the same media types, of earlier editions of PS3.18. */
const MEDIA_TYPE_ALIASES: Readonly<Record<string, string>> = {
  'image/x-dicom-rle': 'image/dicom-rle',
  'image/x-jls': 'image/jls',
  'image/jph': 'image/jphc',
  'image/x-jxl': 'image/jxl',
}

/** The media type of a stored frame; uncompressed pixels are octets. */
export const frameTypeOf = (transferSyntaxUid: string): string =>
  FRAME_TYPES.find(([pattern]) => pattern.test(transferSyntaxUid))?.[1] ?? OCTET_STREAM

/** The name that PS3.18 gives to a media type of frames. */
export const standardMediaType = (mediaType: string): string =>
  MEDIA_TYPE_ALIASES[mediaType] ?? mediaType

/** Transfer syntaxes that the native module decodes, and may therefore convert. */
const DECODABLE_SYNTAXES: ReadonlySet<string> = new Set([
  ...Object.keys(CODINGS),
  '1.2.840.10008.1.2.5',
  ...['50', '51', '57', '70', '80', '81', '90', '91'].map((last) => `${JPEG_ROOT}${last}`),
])
/** Those whose decoded pixels may differ from the pixels of the modality. */
const LOSSY_SYNTAXES: ReadonlySet<string> = new Set(
  ['50', '51', '81', '91'].map((last) => `${JPEG_ROOT}${last}`),
)
/** The transfer syntaxes that `openTranscoder` writes. */
const WRITABLE_SYNTAXES: ReadonlySet<string> = new Set([
  ...Object.keys(CODINGS),
  ...['70', '80', '90'].map((last) => `${JPEG_ROOT}${last}`),
  '1.2.840.10008.1.2.5',
])

export const isLossy = (transferSyntaxUid: string): boolean => LOSSY_SYNTAXES.has(transferSyntaxUid)

export const canConvert = (from: string, to: string): boolean =>
  DECODABLE_SYNTAXES.has(from) && WRITABLE_SYNTAXES.has(to)

/**
 * The transfer syntax of a stored frame as it is sent: Explicit VR Little Endian for uncompressed
 * pixels in little endian, whose encoding does not depend on the VRs.
 */
export const frameSyntaxOf = (transferSyntaxUid: string): string =>
  transferSyntaxUid === TRANSFER_SYNTAX.implicitLittleEndian
    ? TRANSFER_SYNTAX.explicitLittleEndian
    : transferSyntaxUid
