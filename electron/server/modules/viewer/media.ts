import { Readable } from 'node:stream'
import { encapsulatedDocument, type ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Downloads, Streamed } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { ViewMedia } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type ImageFile, withApiErrors } from './image-file.ts'
import {
  fetchFault,
  identitiesOf,
  isExpiredLink,
  matchNewUrls,
  type PartnerAnswer,
} from './partner-answer.ts'
import type { ViewList } from './view-list.ts'

const MAX_BYTES = 4 * 1024 ** 3
/** Maximum number of media; others are left out. */
const MAX_MEDIA = 500
const CHUNK_BYTES = 1 << 20
/** Encapsulated PDF Storage (PS3.4 B.5). */
const PDF = '1.2.840.10008.5.1.4.1.1.104.1'

/** Media types that a browser may display; all others are offered for download only. */
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

/** A medium in a response; `headers` are those needed for range requests. */
export interface ShownMedium extends Pick<ViewMedia, 'shownAs' | 'mimeType' | 'fileName'> {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

type Open = (
  range: string | undefined,
  signal: AbortSignal,
) => Promise<Pick<ShownMedium, 'status' | 'headers' | 'body'>>

/** The media of a view besides its images: files of partners, and documents in DICOM files. */
export class MediaFiles {
  readonly #downloads: Pick<Downloads, 'stream'>
  readonly #list: ViewList
  readonly #media = new Map<number, Pick<ShownMedium, 'shownAs' | 'mimeType' | 'fileName'>>()
  readonly #open = new Map<number, Open>()

  constructor(downloads: Pick<Downloads, 'stream'>, list: ViewList) {
    this.#downloads = downloads
    this.#list = list
  }

  /** Adds the files in the partner's response. */
  addLinks(answer: PartnerAnswer): void {
    const urlsNow = () => answer.now.media.map(({ url }) => url)
    const identities = identitiesOf(urlsNow())
    for (const [index, { mimeType, fileName }] of answer.now.media.entries()) {
      const urlNow = () => matchNewUrls(identities, urlsNow())[index]
      this.#add(mimeType, fileName || `File ${index + 1}`, (range, signal) =>
        openLink(this.#downloads, answer, urlNow, range, signal),
      )
    }
  }

  /** Adds an encapsulated PDF. Does nothing for other objects. */
  addDocument({ instance }: ViewedHeader, image: ImageFile): void {
    if (instance.sopClassUid === PDF)
      this.#add('application/pdf', 'Document.pdf', (range, signal) =>
        openDocument(image, range, signal),
      )
  }

  has(mediaId: number): boolean {
    return this.#open.has(mediaId)
  }

  /**
   * Opens a medium.
   * @param range the `Range` header
   * @throws ApiError not-found; refused: it cannot be downloaded; the abort reason of `signal`
   */
  async open(
    mediaId: number,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<ShownMedium> {
    const medium = this.#media.get(mediaId)
    const open = this.#open.get(mediaId)
    if (!medium || !open) throw new ApiError('not-found', message('viewer.no-such-medium'))
    return { ...medium, ...(await open(range, signal)) }
  }

  #add(mimeType: string, fileName: string, open: Open): void {
    if (this.#open.size >= MAX_MEDIA) return
    const kind = mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
    const shownAs = SHOWN_AS[kind] ?? 'other'
    const medium = {
      shownAs,
      mimeType: shownAs === 'other' ? 'application/octet-stream' : kind,
      fileName: safeName(fileName),
    }
    const mediaId = this.#list.putMedium(medium)
    this.#media.set(mediaId, medium)
    this.#open.set(mediaId, open)
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
    if (url === undefined) throw new ApiError('refused', message('viewer.no-new-link'))
    try {
      return await downloads.stream(url, {
        hosts: answer.now.hosts(),
        maxBytes: MAX_BYTES,
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
      if (!isExpiredLink(error) || !(await answer.renew(generation))) throw error
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
    withApiErrors(() => encapsulatedDocument(source)),
  )
  if (!found) throw new ApiError('refused', message('viewer.no-document'))
  const part = rangeOf(range, found.length)
  const { from, length }: ByteRange = part ?? { from: 0, length: found.length }
  async function* chunks() {
    for (let read = 0; read < length; read += CHUNK_BYTES) {
      const at = found ? found.at + from + read : 0
      yield await image.use(signal, ({ source }) =>
        source.fetch(at, Math.min(CHUNK_BYTES, length - read)),
      )
    }
  }
  return {
    ...{ status: part ? 206 : 200, body: Readable.from(chunks(), { objectMode: false }) },
    headers: {
      ...{ 'content-length': String(length), 'accept-ranges': 'bytes' },
      ...(part && { 'content-range': `bytes ${from}-${from + length - 1}/${found.length}` }),
    },
  }
}

/** Returns a file name that is valid on every file system. */
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
 * Parses a single byte range (RFC 9110 §14.1.2). Undefined if there is no range, there are several,
 * or it is not satisfiable; the complete content is returned then (§14.2).
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last))
  return from <= to ? { from, length: to - from + 1 } : undefined
}
