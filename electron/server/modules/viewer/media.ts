import { Readable } from 'node:stream'
import { encapsulatedDocument, type ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Downloads, Streamed } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { ViewMedia } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { type ImageFile, spoken } from './image-file.ts'
import type { ViewList } from './list.ts'
import {
  fetchFault,
  identitiesOf,
  isEnded,
  matchedAnew,
  type PartnerAnswer,
} from './partner-answer.ts'

const MOST_BYTES = 4 * 1024 ** 3
/** More are left out. */
const MOST_MEDIA = 500
const PIECE = 1 << 20
/** Encapsulated PDF Storage (PS3.4 B.5). */
const PDF = '1.2.840.10008.5.1.4.1.1.104.1'

/** What a browser may be told; anything else is saved, never shown. */
const SHOWN_AS: Readonly<Record<string, ViewMedia['shownAs']>> = {
  'application/pdf': 'pdf',
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'video/mp4': 'video',
  'video/webm': 'video',
  'video/ogg': 'video',
}

export const isDocument = ({ instance }: ViewedHeader) => instance.sopClassUid === PDF

/** A medium as it is answered to the page; `headers` are those that a range needs. */
export interface ShownMedium {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
  readonly shownAs: ViewMedia['shownAs']
  /** Safe to be told to a browser. */
  readonly mimeType: string
  readonly fileName: string
}

type Open = (
  range: string | undefined,
  signal: AbortSignal,
) => Promise<Pick<ShownMedium, 'status' | 'headers' | 'body'>>

export type MediaFiles = ReturnType<typeof mediaFiles>

/** What is beside the images of a view: files of partners, and documents inside DICOM files. */
export function mediaFiles(downloads: Pick<Downloads, 'stream'>, list: ViewList) {
  const files = new Map<
    number,
    { readonly medium: Pick<ViewMedia, 'shownAs' | 'mimeType' | 'fileName'>; readonly open: Open }
  >()

  function add(mimeType: string, fileName: string, open: Open): void {
    if (files.size >= MOST_MEDIA) return
    const kind = mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
    const shownAs = SHOWN_AS[kind] ?? 'other'
    const medium = {
      shownAs,
      mimeType: shownAs === 'other' ? 'application/octet-stream' : kind,
      fileName: safeName(fileName),
    }
    files.set(list.putMedium(medium), { medium, open })
  }

  return {
    addLinks(answer: PartnerAnswer): void {
      const identities = identitiesOf(answer.now.media.map(({ url }) => url))
      for (const [index, { mimeType, fileName }] of answer.now.media.entries()) {
        const urlNow = () =>
          matchedAnew(
            identities,
            answer.now.media.map(({ url }) => url),
          )[index]
        add(mimeType, fileName || `File ${index + 1}`, (range, signal) =>
          openLink(downloads, answer, urlNow, range, signal),
        )
      }
    },
    /** An encapsulated PDF. */
    addDocument: (image: ImageFile) =>
      add('application/pdf', 'Document.pdf', (range, signal) => openDocument(image, range, signal)),
    has: (mediaId: number) => files.has(mediaId),
    /**
     * @param range the `Range` header @throws ApiError not-found; refused: it cannot be fetched,
     *   and why; the reason of `signal`
     */
    async open(
      mediaId: number,
      range: string | undefined,
      signal: AbortSignal,
    ): Promise<ShownMedium> {
      const file = files.get(mediaId)
      if (!file) throw new ApiError('not-found', 'There is no such file in this view.')
      return { ...file.medium, ...(await file.open(range, signal)) }
    },
  }
}

async function openLink(
  downloads: Pick<Downloads, 'stream'>,
  answer: PartnerAnswer,
  urlNow: () => string | undefined,
  range: string | undefined,
  signal: AbortSignal,
): ReturnType<Open> {
  const stream = async (): Promise<Streamed> => {
    const url = urlNow()
    if (url === undefined) throw new ApiError('refused', 'The partner gave no new link to it.')
    try {
      return await downloads.stream(url, {
        hosts: answer.now.hosts(),
        maxBytes: MOST_BYTES,
        signal,
        headers: range ? { range } : {},
      })
    } catch (error) {
      if (error instanceof WebhookError && error.fault === 'forbidden-address')
        answer.now.noteRefusedHost(url)
      throw error
    }
  }
  try {
    const { generation } = answer
    const streamed = await stream().catch(async (error: unknown) => {
      if (!isEnded(error) || !(await answer.renew(generation))) throw error
      return await stream()
    })
    const { body, length, contentRange, httpStatus } = streamed
    const isPart = httpStatus === 206 && contentRange !== undefined
    return {
      ...{ body, status: isPart ? 206 : 200 },
      headers: {
        ...(length !== undefined && { 'content-length': String(length) }),
        ...(isPart && { 'content-range': contentRange, 'accept-ranges': 'bytes' }),
      },
    }
  } catch (error) {
    if (error instanceof WebhookError) throw new ApiError('refused', fetchFault(error))
    throw error
  }
}

async function openDocument(
  image: ImageFile,
  range: string | undefined,
  signal: AbortSignal,
): ReturnType<Open> {
  const found = await image.use(signal, async ({ source }) =>
    spoken(() => encapsulatedDocument(source)),
  )
  if (!found) throw new ApiError('refused', 'The file holds no document.')
  const part = rangeOf(range, found.length)
  const { from, length }: ByteRange = part ?? { from: 0, length: found.length }
  async function* pieces() {
    for (let read = 0; read < length; read += PIECE) {
      const at = found ? found.at + from + read : 0
      yield await image.use(signal, ({ source }) =>
        source.fetch(at, Math.min(PIECE, length - read)),
      )
    }
  }
  return {
    ...{ status: part ? 206 : 200, body: Readable.from(pieces(), { objectMode: false }) },
    headers: {
      ...{ 'content-length': String(length), 'accept-ranges': 'bytes' },
      ...(part && { 'content-range': `bytes ${from}-${from + length - 1}/${found.length}` }),
    },
  }
}

/** A name alone, as every file system takes it. */
const safeName = (name: string) =>
  name
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go.
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]/g, ' ')
    .trim()
    .slice(0, 120) || 'File'

interface ByteRange {
  readonly from: number
  readonly length: number
}

/**
 * One range of bytes (RFC 9110 §14.1.2); undefined where it is none, several, or outside: then all
 * of it is the answer (§14.2).
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last))
  return from <= to ? { from, length: to - from + 1 } : undefined
}
