import { TRANSFER_SYNTAX } from './uids.ts'

/** PS3.4 Annex B.5 and its retired classes are all below this root. */
const STORAGE_ROOT = '1.2.840.10008.5.1.4.1.1.'
const DICOM_ROOT = '1.2.840.10008.'
/**
 * Storage classes of patients that PS3.6 put elsewhere: RT (34.x), and the retired stored print and
 * hardcopy ones.
 */
const ELSEWHERE: ReadonlySet<string> = new Set([
  '1.2.840.10008.5.1.4.34.7',
  '1.2.840.10008.5.1.4.34.10',
  '1.2.840.10008.5.1.1.27',
  '1.2.840.10008.5.1.1.29',
  '1.2.840.10008.5.1.1.30',
])

/**
 * Queries below that root (PS3.4 Annex II): a C-FIND on a context taken for images could only be
 * refused.
 */
const NO_STORAGE: ReadonlySet<string> = new Set(
  ['4', '5', '6'].map((last) => `${STORAGE_ROOT}200.${last}`),
)

/**
 * Whether instances of the class are kept; `acceptsUnknown`: those of vendors too, whose UIDs are
 * not DICOM's.
 */
export const isStorageClass = (uid: string, acceptsUnknown: boolean): boolean =>
  (uid.startsWith(STORAGE_ROOT) && !NO_STORAGE.has(uid)) ||
  ELSEWHERE.has(uid) ||
  (acceptsUnknown && uid !== '' && !uid.startsWith(DICOM_ROOT))

const JPEG = '1.2.840.10008.1.2.4.'
const each = (root: string, ...components: readonly string[]): string[] =>
  components.map((component) => `${root}${component}`)

/**
 * PS3.5 Annex A, in our order of preference: Explicit VR Little Endian first, so that no console
 * compresses for us; without JPIP, whose objects have their pixels elsewhere.
 */
export const STORAGE_TRANSFER_SYNTAXES: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
  '1.2.840.10008.1.2.1.98',
  '1.2.840.10008.1.2.5',
  // JPEG lossless, JPEG-LS, JPEG 2000, HTJ2K, JPEG XL; the lossless one of a pair first
  ...each(JPEG, '70', '57', '80', '90', '92', '201', '202', '110'),
  ...each(JPEG, '81', '91', '93', '203', '111', '112', '50', '51'),
  // retired processes of JPEG
  ...each(JPEG, '52', '53', '54', '55', '56', '58', '59', '60', '61', '62', '63', '64', '65', '66'),
  // MPEG-2, MPEG-4, HEVC, and their fragmentable forms
  ...each(JPEG, '100', '101', '102', '103', '104', '105', '106', '107', '108'),
  ...each(JPEG, '100.1', '101.1', '102.1', '103.1', '104.1', '105.1', '106.1'),
]
