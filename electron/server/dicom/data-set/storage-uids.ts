import { TRANSFER_SYNTAX } from './uids.ts'

/** The root of the storage classes of PS3.4 Annex B.5 and of the retired ones. */
const STORAGE_ROOT = '1.2.840.10008.5.1.4.1.1.'
const DICOM_ROOT = '1.2.840.10008.'
/**
 * Storage classes of patient objects outside that root: RT (34.x), and the retired stored print and
 * hardcopy classes.
 */
const OTHER_STORAGE_CLASSES: ReadonlySet<string> = new Set([
  '1.2.840.10008.5.1.4.34.7',
  '1.2.840.10008.5.1.4.34.10',
  '1.2.840.10008.5.1.1.27',
  '1.2.840.10008.5.1.1.29',
  '1.2.840.10008.5.1.1.30',
])

/**
 * Query classes below that root (PS3.4 Annex II). If they were accepted as storage, a C-FIND on
 * that context could only be refused.
 */
const QUERY_CLASSES: ReadonlySet<string> = new Set(
  ['4', '5', '6'].map((last) => `${STORAGE_ROOT}200.${last}`),
)

/**
 * Whether instances of the class can be stored. `acceptsUnknown`: also private classes, whose UIDs
 * are not below the DICOM root.
 */
export const isStorageClass = (uid: string, acceptsUnknown: boolean): boolean =>
  (uid.startsWith(STORAGE_ROOT) && !QUERY_CLASSES.has(uid)) ||
  OTHER_STORAGE_CLASSES.has(uid) ||
  (acceptsUnknown && uid !== '' && !uid.startsWith(DICOM_ROOT))

const JPEG_ROOT = '1.2.840.10008.1.2.4.'
const each = (root: string, ...components: readonly string[]): string[] =>
  components.map((component) => `${root}${component}`)

/**
 * PS3.5 Annex A, in order of preference. Explicit VR Little Endian comes first, so that no device
 * compresses images for the gateway; JPIP is excluded, because its pixels are elsewhere.
 */
export const STORAGE_TRANSFER_SYNTAXES: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
  '1.2.840.10008.1.2.1.98',
  '1.2.840.10008.1.2.5',
  // JPEG lossless, JPEG-LS, JPEG 2000, HTJ2K, JPEG XL; of each pair the lossless one first
  ...each(JPEG_ROOT, '70', '57', '80', '90', '92', '201', '202', '110'),
  ...each(JPEG_ROOT, '81', '91', '93', '203', '111', '112', '50', '51'),
  // retired JPEG processes
  ...each(
    JPEG_ROOT,
    '52',
    '53',
    '54',
    '55',
    '56',
    '58',
    '59',
    '60',
    '61',
    '62',
    '63',
    '64',
    '65',
    '66',
  ),
  // MPEG-2, MPEG-4, HEVC, and their fragmentable variants
  ...each(JPEG_ROOT, '100', '101', '102', '103', '104', '105', '106', '107', '108'),
  ...each(JPEG_ROOT, '100.1', '101.1', '102.1', '103.1', '104.1', '105.1', '106.1'),
]
