import type { FileBody, ServingOptions, SimulatedFiles } from './files.ts'
import { type Manifest, manifestOf } from './manifest.ts'
import type { StudyFiles } from './script.ts'

/** A file of a study. Its name contains its SOP Instance UID, as in partners' object stores. */
export interface StudyImage extends ServingOptions {
  readonly sopInstanceUid: string
  readonly body: FileBody
}

export interface StudyMedia {
  readonly fileName: string
  readonly mimeType: string
  readonly body: Buffer
}

export interface StoredStudy {
  readonly studyInstanceUid: string
  readonly images: readonly StudyImage[]
  readonly media?: readonly StudyMedia[]
  /** none: only URLs; otherwise the given manifest, or one created from the files. */
  readonly manifest?: 'none' | 'of files' | Manifest
  /** Links in addition to those of the images, such as to other files. */
  readonly moreUrls?: readonly string[]
  /** Number of upload URLs for a secondary capture. */
  readonly uploads?: number
}

/** A partner's studies whose files are in its object store. */
export interface ImageStore extends StudyFiles {
  add(study: StoredStudy): void
  /** Adds an ephemeral session over added studies, with the partner's own handle. */
  addSession(retrievalId: string, studyInstanceUids: readonly string[]): void
}

const HEAD_BYTES = 64 * 1024

export function openImageStore(files: SimulatedFiles, linkSeconds?: number): ImageStore {
  const studies = new Map<string, StoredStudy & { readonly sidecar: Manifest | undefined }>()
  const sessions = new Map<string, readonly string[]>()
  const nameOf = (uid: string, name: string) => `${uid}/${name}`
  const of = (uid: string) => (sessions.get(uid) ?? [uid]).flatMap((one) => studies.get(one) ?? [])

  return {
    add(study) {
      const { studyInstanceUid: uid, images, media = [], manifest = 'of files' } = study
      for (const { sopInstanceUid, ...file } of images) {
        files.put(nameOf(uid, `${sopInstanceUid}.dcm`), { mediaType: 'application/dicom', ...file })
      }
      for (const { fileName, mimeType, body } of media)
        files.put(nameOf(uid, fileName), { mediaType: mimeType, body })
      const sidecar =
        manifest === 'of files'
          ? manifestOf(images.map(({ body }) => headOf(body)))
          : manifest === 'none'
            ? undefined
            : manifest
      studies.set(uid, { ...study, sidecar })
    },
    addSession: (retrievalId, uids) => void sessions.set(retrievalId, uids),
    urlsOf: (uid) =>
      of(uid).flatMap(({ studyInstanceUid, images, moreUrls = [] }) => [
        ...images.map(({ sopInstanceUid }) =>
          files.getUrl(nameOf(studyInstanceUid, `${sopInstanceUid}.dcm`), linkSeconds),
        ),
        ...moreUrls,
      ]),
    uploadUrlsOf: (uid) =>
      of(uid).flatMap(({ studyInstanceUid, uploads = 1 }) =>
        Array.from({ length: uploads }, (_, index) =>
          files.putUrl(nameOf(studyInstanceUid, `capture-${index + 1}.dcm`), linkSeconds),
        ),
      ),
    manifestsOf: (uid) => of(uid).flatMap(({ sidecar }) => sidecar ?? []),
    mediaOf: (uid) =>
      of(uid).flatMap(({ studyInstanceUid, media = [] }) =>
        media.map(({ fileName, mimeType }) => ({
          fileName,
          mimeType,
          url: files.getUrl(nameOf(studyInstanceUid, fileName), linkSeconds),
        })),
      ),
  }
}

/** The start of a file in memory. Files on disk are not opened for a manifest. */
function headOf(body: FileBody): Buffer {
  if (typeof body !== 'function' && 'path' in body) return Buffer.alloc(0)
  const made = typeof body === 'function' ? body() : body
  return (Buffer.isBuffer(made) ? made : (made[0] ?? Buffer.alloc(0))).subarray(0, HEAD_BYTES)
}
