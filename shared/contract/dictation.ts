import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'

/** The format that the window records: 16-bit PCM, mono. */
export const DICTATION_SAMPLE_RATE = 16_000
const BYTES_PER_SECOND = DICTATION_SAMPLE_RATE * 2
/** RIFF, `fmt ` and `data` chunk headers. */
const WAV_HEADER_BYTES = 44
export const MAX_DICTATION_SECONDS = 600
export const MAX_DICTATION_BYTES = WAV_HEADER_BYTES + MAX_DICTATION_SECONDS * BYTES_PER_SECOND
export const DICTATION_MEDIA_TYPE = 'audio/wav'

/** Duration in seconds of a recording of the size in bytes. */
export const dictatedSeconds = (bytes: number): number =>
  Math.max(0, bytes - WAV_HEADER_BYTES) / BYTES_PER_SECOND

/** ISO 639-1 code of the spoken language: the window's language. */
const Language = z.enum(['en', 'es'])
export type DictationLanguage = z.infer<typeof Language>

/** Dictation through a speech engine of the clinic (docs/DICTATION.md). */
export const dashboardDictation = {
  state: operation('GET /dashboard/dictation', {
    access: 'signed-in',
    background: true,
    summary: 'Whether reports can be dictated',
    reply: z.object({ isConfigured: z.boolean(), hasSecret: z.boolean() }),
  }),
  transcribe: operation('POST /dashboard/reading/:studyId/dictation', {
    access: 'signed-in',
    summary:
      'The text of a recording: the body is audio/wav, 16 kHz, 16-bit, mono, of 10 minutes at most. It is forwarded to the speech engine and not stored',
    params: z.object({ studyId: StudyId }),
    query: z.object({ language: Language }),
    reply: z.object({ text: z.string() }),
  }),
  setSecret: operation('PUT /dashboard/dictation/secret', {
    access: 'manage-confirmed',
    summary: 'Set or remove the secret that is sent to the speech engine',
    /** Null removes it. */
    body: z.object({ secret: z.string().trim().min(1).max(1000).nullable() }),
    reply: z.object({ success: z.literal(true) }),
  }),
  test: operation('POST /dashboard/dictation/test', {
    access: 'manage',
    summary: 'Send a second of silence to the speech engine',
    reply: z.object({ success: z.boolean(), message: Message }),
  }),
} as const
