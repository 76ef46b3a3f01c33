import { createHash } from 'node:crypto'

/** PS3.7 A.2.1: the DICOM application context name. */
export const APPLICATION_CONTEXT = '1.2.840.10008.3.1.1.1'

/** PS3.5 §10, Annex A. */
export const TRANSFER_SYNTAX = {
  implicitLittleEndian: '1.2.840.10008.1.2',
  explicitLittleEndian: '1.2.840.10008.1.2.1',
  deflatedExplicitLittleEndian: '1.2.840.10008.1.2.1.99',
  explicitBigEndian: '1.2.840.10008.1.2.2',
} as const

/** SOP classes of PS3.4 Annexes A, F, J, K and C that the gateway refers to by name. */
export const SOP_CLASS = {
  verification: '1.2.840.10008.1.1',
  modalityWorklistFind: '1.2.840.10008.5.1.4.31',
  modalityPerformedProcedureStep: '1.2.840.10008.3.1.2.3.3',
  storageCommitmentPushModel: '1.2.840.10008.1.20.1',
  patientRootFind: '1.2.840.10008.5.1.4.1.2.1.1',
  patientRootMove: '1.2.840.10008.5.1.4.1.2.1.2',
  patientRootGet: '1.2.840.10008.5.1.4.1.2.1.3',
  studyRootFind: '1.2.840.10008.5.1.4.1.2.2.1',
  studyRootMove: '1.2.840.10008.5.1.4.1.2.2.2',
  studyRootGet: '1.2.840.10008.5.1.4.1.2.2.3',
} as const

/**
 * PS3.7 D.3.3.2: identifies the implementation in every A-ASSOCIATE. The UID is derived from a UUID
 * (PS3.5 B.2) and never changes.
 */
export const IMPLEMENTATION = {
  classUid: '2.25.56582081784914705870130539058363155385',
  versionName: 'ISTHMUS_0_1',
} as const

const NAMES: Readonly<Record<string, string>> = {
  [SOP_CLASS.verification]: 'Verification',
  [SOP_CLASS.modalityWorklistFind]: 'Modality Worklist',
  [SOP_CLASS.modalityPerformedProcedureStep]: 'Modality Performed Procedure Step',
  [SOP_CLASS.storageCommitmentPushModel]: 'Storage Commitment',
  [SOP_CLASS.patientRootFind]: 'Patient Root Find',
  [SOP_CLASS.patientRootMove]: 'Patient Root Move',
  [SOP_CLASS.patientRootGet]: 'Patient Root Get',
  [SOP_CLASS.studyRootFind]: 'Study Root Find',
  [SOP_CLASS.studyRootMove]: 'Study Root Move',
  [SOP_CLASS.studyRootGet]: 'Study Root Get',
  '1.2.840.10008.5.1.4.1.1.1': 'CR Image Storage',
  '1.2.840.10008.5.1.4.1.1.1.1': 'DX Image Storage',
  '1.2.840.10008.5.1.4.1.1.1.2': 'MG Image Storage',
  '1.2.840.10008.5.1.4.1.1.2': 'CT Image Storage',
  '1.2.840.10008.5.1.4.1.1.2.1': 'Enhanced CT Image Storage',
  '1.2.840.10008.5.1.4.1.1.3.1': 'US Multi-frame Image Storage',
  '1.2.840.10008.5.1.4.1.1.4': 'MR Image Storage',
  '1.2.840.10008.5.1.4.1.1.4.1': 'Enhanced MR Image Storage',
  '1.2.840.10008.5.1.4.1.1.6.1': 'US Image Storage',
  '1.2.840.10008.5.1.4.1.1.7': 'Secondary Capture Image Storage',
  '1.2.840.10008.5.1.4.1.1.12.1': 'XA Image Storage',
  '1.2.840.10008.5.1.4.1.1.20': 'NM Image Storage',
  '1.2.840.10008.5.1.4.1.1.128': 'PET Image Storage',
  '1.2.840.10008.5.1.4.1.1.88.67': 'X-Ray Radiation Dose SR Storage',
  [TRANSFER_SYNTAX.implicitLittleEndian]: 'Implicit VR Little Endian',
  [TRANSFER_SYNTAX.explicitLittleEndian]: 'Explicit VR Little Endian',
  [TRANSFER_SYNTAX.deflatedExplicitLittleEndian]: 'Deflated Explicit VR Little Endian',
  [TRANSFER_SYNTAX.explicitBigEndian]: 'Explicit VR Big Endian',
  '1.2.840.10008.1.2.1.98': 'Encapsulated Uncompressed Explicit VR Little Endian',
  '1.2.840.10008.1.2.5': 'RLE Lossless',
  '1.2.840.10008.1.2.4.50': 'JPEG Baseline',
  '1.2.840.10008.1.2.4.51': 'JPEG Extended',
  '1.2.840.10008.1.2.4.57': 'JPEG Lossless',
  '1.2.840.10008.1.2.4.70': 'JPEG Lossless SV1',
  '1.2.840.10008.1.2.4.80': 'JPEG-LS Lossless',
  '1.2.840.10008.1.2.4.81': 'JPEG-LS Near-lossless',
  '1.2.840.10008.1.2.4.90': 'JPEG 2000 Lossless',
  '1.2.840.10008.1.2.4.91': 'JPEG 2000',
  '1.2.840.10008.1.2.4.201': 'HTJ2K Lossless',
  '1.2.840.10008.1.2.4.202': 'HTJ2K Lossless RPCL',
  '1.2.840.10008.1.2.4.203': 'HTJ2K',
  '1.2.840.10008.1.2.4.100': 'MPEG2 Main Profile / Main Level',
  '1.2.840.10008.1.2.4.102': 'MPEG-4 AVC/H.264 High Profile',
  '1.2.840.10008.1.2.4.107': 'HEVC/H.265 Main Profile',
  '1.2.840.10008.1.2.4.110': 'JPEG XL Lossless',
  '1.2.840.10008.1.2.4.112': 'JPEG XL',
}

/**
 * The name of a SOP class or transfer syntax for display; the UID itself if it has no name here.
 */
export const nameOfUid = (uid: string): string => NAMES[uid] ?? uid

/**
 * A UID (PS3.5 B.2) from a UUID derived from a text (RFC 9562 version 8), so that an object
 * generated twice has the same UID.
 */
export function derivedUid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `2.25.${BigInt(`0x${bytes.toString('hex')}`)}`
}
