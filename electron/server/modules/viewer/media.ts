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
  isEnded,
  matchedAnew,
  type PartnerAnswer,
} from './partner-answer.ts'
import type { ViewList } from './view-list.ts'

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

/** A medium as it is answered to the page; `headers` are those that a range needs. */
export interface ShownMedium extends Pick<ViewMedia, 'shownAs' | 'mimeType' | 'fileName'> {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

type Open = (
  range: string | undefined,
  signal: AbortSignal,
) => Promise<Pick<ShownMedium, 'status' | 'headers' | 'body'>>

/** What is beside the images of a view: files of partners, and documents inside DICOM files. */
export class MediaFiles {
  readonly #downloads: Pick<Downloads, 'stream'>
  readonly #list: ViewList
  readonly #media = new Map<number, Pick<ShownMedium, 'shownAs' | 'mimeType' | 'fileName'>>()
  readonly #open = new Map<number, Open>()

  constructor(downloads: Pick<Downloads, 'stream'>, list: ViewList) {
    this.#downloads = downloads
    this.#list = list
  }

  /** The files that the partner named. */
  addLinks(answer: PartnerAnswer): void {
    const urlsNow = () => answer.now.media.map(({ url }) => url)
    const identities = identitiesOf(urlsNow())
    for (const [index, { mimeType, fileName }] of answer.now.media.entries()) {
      const urlNow = () => matchedAnew(identities, urlsNow())[index]
      this.#add(mimeType, fileName || `File ${index + 1}`, (range, signal) =>
        openLink(this.#downloads, answer, urlNow, range, signal),
      )
    }
  }

  /** An encapsulated PDF; nothing where the image is none. */
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
   * @param range the `Range` header @throws ApiError not-found; refused: it cannot be fetched, and
   *   why; the reason of `signal`
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
    if (this.#open.size >= MOST_MEDIA) return
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
    withApiErrors(() => encapsulatedDocument(source)),
  )
  if (!found) throw new ApiError('refused', message('viewer.no-document'))
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
