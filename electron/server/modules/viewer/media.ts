import type { Readable } from 'node:stream'
import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import {
  type EncapsulatedContent,
  encapsulatedDocument,
  encapsulatedVideo,
} from '#server/dicom/pixel-data/encapsulated-content.ts'
import { readableKind, videoType } from '#server/dicom/pixel-data/readable-objects.ts'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Downloads, StreamedDownload } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { ViewMedia } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { streamContent } from './content-stream.ts'
import type { ImageFile } from './image-file.ts'
import {
  fetchFault,
  identitiesOf,
  isExpiredLink,
  matchNewUrls,
  type PartnerAnswer,
} from './partner-answer.ts'
import type { ViewList } from './view-list.ts'

const MAX_MEDIA_BYTES = 4 * 1024 ** 3
/** Maximum number of media; others are left out. */
const MAX_MEDIA = 500

/** Media types that a browser may display; all others are offered for download only. */
const SHOWN_AS: Readonly<Record<string, ViewMedia['shownAs']>> = {
  'application/pdf': 'pdf',
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'video/mp4': 'video',
  'video/mpeg': 'video',
  'video/webm': 'video',
  'video/ogg': 'video',
}
/** Extensions of the files that are offered for download, by media type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'model/stl': 'stl',
  'application/sla': 'stl',
  'model/obj': 'obj',
  'model/mtl': 'mtl',
  'video/mp4': 'mp4',
  'video/mp2t': 'ts',
  'video/mpeg': 'mpg',
}

/** A medium in a response; `headers` are those needed for range requests. */
export interface ShownMedium extends Pick<ViewMedia, 'mimeType' | 'fileName'> {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** Opens the content. Its media type and name replace those of the list where it knows better. */
type Open = (
  range: string | undefined,
  signal: AbortSignal,
) => Promise<Omit<ShownMedium, 'mimeType' | 'fileName'> & Partial<ShownMedium>>

/** The media of a view besides its images: files of partners, and documents in DICOM files. */
export class MediaFiles {
  readonly #downloads: Pick<Downloads, 'stream'>
  readonly #list: ViewList
  readonly #media = new Map<number, Omit<ViewMedia, 'mediaId'>>()
  readonly #open = new Map<number, Open>()
  /** By SOP Instance UID: an object that is read again is listed once. */
  readonly #objects = new Set<string>()

  constructor(downloads: Pick<Downloads, 'stream'>, list: ViewList) {
    this.#downloads = downloads
    this.#list = list
  }

  /** Adds the files in the partner's response. */
  addLinks(answer: PartnerAnswer): void {
    const currentUrls = () => answer.now.media.map(({ url }) => url)
    const identities = identitiesOf(currentUrls())
    for (const [index, { mimeType, fileName }] of answer.now.media.entries()) {
      const currentUrl = () => matchNewUrls(identities, currentUrls())[index]
      this.#addFile({ mimeType, fileName: fileName || `File ${index + 1}` }, (range, signal) =>
        openLink(this.#downloads, answer, currentUrl, range, signal),
      )
    }
  }

  /** Adds a report, waveform, document or video. Does nothing for images and other objects. */
  addObject(header: ViewedHeader, image: ImageFile): void {
    const { studyInstanceUid, sopInstanceUid, sopClassUid, transferSyntaxUid } = header.instance
    const kind = readableKind(sopClassUid, transferSyntaxUid)
    if (kind === null || this.#objects.has(sopInstanceUid)) return
    this.#objects.add(sopInstanceUid)
    const { title } = header.document
    const object = { studyInstanceUid, sopInstanceUid, sopClassUid }
    if (kind === 'document' || kind === 'video') {
      const mimeType = kind === 'video' ? videoType(transferSyntaxUid) : header.document.mimeType
      const locate = kind === 'video' ? encapsulatedVideo : encapsulatedDocument
      const file = fileOf(mimeType ?? '', title, kind)
      this.#addFile({ ...file, title, object }, (range, signal) =>
        openContent(image, locate, { title, kind, range, signal }),
      )
    } else this.#add({ shownAs: kind, mimeType: 'application/dicom', fileName: '', title, object })
  }

  has(mediaId: number): boolean {
    return this.#media.has(mediaId)
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

  /** Adds something whose bytes are served. */
  #addFile(file: Pick<ViewMedia, 'mimeType' | 'fileName'> & Partial<ViewMedia>, open: Open): void {
    const type = file.mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
    const shownAs = SHOWN_AS[type] ?? 'other'
    const mediaId = this.#add({
      ...{ title: '', object: null, ...file, shownAs },
      mimeType: shownAs === 'other' ? 'application/octet-stream' : type,
      fileName: safeFileName(file.fileName),
    })
    if (mediaId !== undefined) this.#open.set(mediaId, open)
  }

  /** Undefined if there are too many. */
  #add(medium: Omit<ViewMedia, 'mediaId'>): number | undefined {
    if (this.#media.size >= MAX_MEDIA) return undefined
    const mediaId = this.#list.putMedium(medium)
    this.#media.set(mediaId, medium)
    return mediaId
  }
}

async function openLink(
  downloads: Pick<Downloads, 'stream'>,
  answer: PartnerAnswer,
  urlNow: () => string | undefined,
  range: string | undefined,
  signal: AbortSignal,
): ReturnType<Open> {
  const stream = async (): Promise<StreamedDownload> => {
    const url = urlNow()
    if (url === undefined) throw new ApiError('refused', message('viewer.no-new-link'))
    try {
      return await downloads.stream(url, {
        hosts: answer.now.hosts(),
        maxBytes: MAX_MEDIA_BYTES,
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
    const isPartial = httpStatus === 206 && contentRange !== undefined
    return {
      ...{ body, status: isPartial ? 206 : 200 },
      headers: {
        ...(length !== undefined && { 'content-length': String(length) }),
        ...(isPartial && { 'content-range': contentRange, 'accept-ranges': 'bytes' }),
      },
    }
  } catch (error) {
    if (error instanceof WebhookError) throw new ApiError('refused', fetchFault(error))
    throw error
  }
}

/** The media type and the file name of content, which is named after its title. */
function fileOf(mimeType: string, title: string, kind: 'document' | 'video') {
  const name = title || (kind === 'video' ? 'Video' : 'Document')
  return { mimeType, fileName: `${name}.${EXTENSIONS[mimeType] ?? 'bin'}` }
}

async function openContent(
  image: ImageFile,
  locate: (source: ByteSource) => EncapsulatedContent,
  of: {
    readonly title: string
    readonly kind: 'document' | 'video'
    readonly range: string | undefined
    readonly signal: AbortSignal
  },
): ReturnType<Open> {
  const { title, kind, range, signal } = of
  const { mimeType, ...content } = await streamContent(image, locate, range, signal)
  if (kind === 'document') return content
  // The container of a video is only known now.
  return { ...content, mimeType, fileName: safeFileName(fileOf(mimeType, title, kind).fileName) }
}

/** Returns a file name that is valid on every file system. */
const safeFileName = (name: string) =>
  name
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go.
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]/g, ' ')
    .trim()
    .slice(0, 120) || 'File'
