import type { Context } from '#server/context.ts'
import type { CStoreScp } from '#server/dicom/dimse/service.ts'
import { ThumbnailRenderer } from '#server/dicom/thumbnails/thumbnail-renderer.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import {
  type DicomwebAnswer,
  type DicomwebCall,
  type DicomwebRoute,
  serveDicomwebRoutes,
} from '#server/http/dicomweb-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import type { StudyCompletion } from '#server/modules/images/study-completion.ts'
import { OpenFiles } from '#server/modules/viewer/open-files.ts'
import { acceptedRepresentations } from './accept.ts'
import { retrieveBulkData } from './bulk-data.ts'
import { ConvertedFiles } from './converted-files.ts'
import { FrameRetrieval } from './frame-retrieval.ts'
import { retrieveInstances } from './instance-retrieval.ts'
import { retrieveMetadata } from './metadata.ts'
import { renderInstance, renderThumbnail } from './rendered.ts'
import { jsonTypeFor, type SearchLevel, search } from './searching.ts'
import type { ResourcePath } from './stored-instances.ts'
import { storeInstances } from './storing.ts'

const STUDY_PATH = '/studies/:studyInstanceUid'
const SERIES_PATH = `${STUDY_PATH}/series/:seriesInstanceUid`
const INSTANCE_PATH = `${SERIES_PATH}/instances/:sopInstanceUid`
/** A study, a series and an instance. */
const LEVEL_PATHS = [STUDY_PATH, SERIES_PATH, INSTANCE_PATH] as const

/** Where entities of each level are searched for. */
const SEARCH_PATHS: Readonly<Record<SearchLevel, readonly `/${string}`[]>> = {
  STUDY: ['/studies'],
  SERIES: ['/series', `${STUDY_PATH}/series`],
  IMAGE: ['/instances', `${STUDY_PATH}/instances`, `${SERIES_PATH}/instances`],
}

/** What DICOMweb keeps between requests: open files, converted copies, the rendering thread. */
export class Dicomweb implements AsyncDisposable {
  readonly #context: Context
  readonly #receiver: CStoreScp
  readonly #completion: StudyCompletion
  readonly #files = new OpenFiles()
  readonly #converted: ConvertedFiles
  readonly #renderer = new ThumbnailRenderer()
  readonly #frames: FrameRetrieval
  readonly #unsubscribe: () => void

  constructor(
    context: Context,
    receiver: CStoreScp,
    completion: StudyCompletion,
    transcoder: Transcoder,
  ) {
    this.#context = context
    this.#receiver = receiver
    this.#completion = completion
    this.#converted = new ConvertedFiles(context, transcoder.transcode, (path) =>
      this.#files.drop(path),
    )
    this.#frames = new FrameRetrieval(context, this.#files, this.#converted)
    this.#unsubscribe = context.database.subscribe('removed files', () => this.#files.dropDeleted())
  }

  /** Deletes the converted copies of files that no longer exist. */
  deleteOrphans(): Promise<void> {
    return this.#converted.deleteOrphans()
  }

  /** Registers the resources of PS3.18 10.4 to 10.6. */
  serve(app: HttpApp): void {
    const { settings } = this.#context
    serveDicomwebRoutes(app, [...this.#readRoutes(), ...this.#storeRoutes()], {
      origins: () => settings.get('dicomweb.origins'),
      maxParallel: () => settings.get('dicomweb.maxParallel'),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    this.#files.close()
    await this.#converted[Symbol.asyncDispose]()
    await this.#renderer[Symbol.asyncDispose]()
  }

  #readRoutes(): DicomwebRoute[] {
    const context = this.#context
    const [files, converted, renderer] = [this.#files, this.#converted, this.#renderer]
    const renderCall = (call: DicomwebCall) =>
      renderInstance(
        context,
        renderer,
        instancePathOf(call),
        call.params.frame,
        call.query,
        accepts(call),
      )
    const thumbnailCall = (call: DicomwebCall) =>
      renderThumbnail(context, renderer, pathIn(call), call.params.frame, call.query, accepts(call))
    return [
      ...Object.entries(SEARCH_PATHS).flatMap(([level, paths]) =>
        paths.map((path) => read(path, (call) => search(context, level as SearchLevel, call))),
      ),
      ...LEVEL_PATHS.flatMap((level) => [
        read(level, (call) => retrieveInstances(context, converted, pathIn(call), accepts(call))),
        read(`${level}/metadata`, (call) =>
          retrieveMetadata(context, converted, pathIn(call), call.baseUrl, jsonTypeFor(call)),
        ),
        read(`${level}/thumbnail`, thumbnailCall),
      ]),
      read(`${INSTANCE_PATH}/rendered`, renderCall),
      read(`${INSTANCE_PATH}/frames/:frame/rendered`, renderCall),
      read(`${INSTANCE_PATH}/frames/:frame/thumbnail`, thumbnailCall),
      // A list of frames may be longer than a parameter of a path.
      read(`${INSTANCE_PATH}/frames/*`, (call) => this.#frame(call)),
      read(`${INSTANCE_PATH}/bulkdata/*`, (call) => {
        const { '*': valuePath = '' } = call.params
        const path = instancePathOf(call)
        return retrieveBulkData(context, files, converted, path, valuePath, accepts(call))
      }),
    ]
  }

  #frame(call: DicomwebCall): Promise<DicomwebAnswer> {
    const path = instancePathOf(call)
    const url = `${call.baseUrl}/studies/${path.studyInstanceUid}/series/${path.seriesInstanceUid}/instances/${path.sopInstanceUid}/frames`
    return this.#frames.retrieve(path, call.params['*'] ?? '', accepts(call), url)
  }

  #storeRoutes(): DicomwebRoute[] {
    return (['/studies', STUDY_PATH] as const).map((path) => ({
      ...({ method: 'POST', path, right: 'store' } as const),
      answer: (call: DicomwebCall) =>
        storeInstances(
          this.#context,
          this.#receiver,
          this.#completion,
          call,
          call.params.studyInstanceUid,
        ),
    }))
  }
}

const read = (path: `/${string}`, answer: DicomwebRoute['answer']): DicomwebRoute => ({
  ...{ method: 'GET', path, right: 'read', answer },
})

const accepts = ({ accept, query }: DicomwebCall) =>
  acceptedRepresentations(accept, query.get('accept') ?? undefined)

const pathIn = ({ params }: DicomwebCall): ResourcePath => {
  const { studyInstanceUid = '', seriesInstanceUid, sopInstanceUid } = params
  return { studyInstanceUid, seriesInstanceUid, sopInstanceUid }
}

const instancePathOf = ({ params }: DicomwebCall): Required<ResourcePath> => ({
  studyInstanceUid: params.studyInstanceUid ?? '',
  seriesInstanceUid: params.seriesInstanceUid ?? '',
  sopInstanceUid: params.sopInstanceUid ?? '',
})
