import { createCipheriv, createHash, randomBytes } from 'node:crypto'

// What the rows of the golden folders are made of: one patient, one morning, one key.

export type Row = Readonly<Record<string, string | number | null | Buffer>>
/** Rows by table. */
export type Rows = Readonly<Record<string, readonly Row[]>>

export const GOLDEN_AT = '2026-03-10T09:00:00.000Z'
export const GOLDEN_DAY = '2026-03-10'
export const GOLDEN_KEY = createHash('sha256').update('the data key of the golden folders').digest()

export const GOLDEN = {
  patient: 'MEYER^ANNA',
  secret: `whsec_${Buffer.alloc(32, 5).toString('base64')}`,
  answer: Buffer.from(JSON.stringify([{ PatientName: 'MEYER^ANNA', PatientID: 'PAT-4711' }])),
  reportText: 'FINDINGS:\nNo acute findings.\n\nIMPRESSION:\nNormal CT of the head. Äöü 東京.',
  addendumText: 'ADDENDUM:\nCompared with the CT of 2025.',
  draftText: 'FINDINGS:\nA draft nobody signed yet.',
  /** A PDF in all that matters here: bytes that must come back as they were. */
  pdf: Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    createHash('sha512').update('pdf').digest(),
    Buffer.from('\n%%EOF\n'),
  ]),
  handwritten: 'Frau Meyer is on the ward.',
  mailPassword: 'seven calm otters',
} as const
export const PDF_SHA256 = createHash('sha256').update(GOLDEN.pdf).digest('hex')

/** As `store/seal` has sealed from the first release on. */
export function goldenSeal(plain: Buffer | string, context: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', GOLDEN_KEY, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([
    Buffer.of(1),
    nonce,
    cipher.update(plain),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}
export const goldenSealed = (value: unknown, context: string) =>
  goldenSeal(JSON.stringify(value), context)

export const made = { createdAt: GOLDEN_AT, updatedAt: GOLDEN_AT }
export const tokenHash = (text: string) => createHash('sha256').update(text).digest('hex')
