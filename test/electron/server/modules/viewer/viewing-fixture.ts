import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Context } from '#server/context.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { OpenView } from '#server/http/callers.ts'
import type { AccessAnswer, AskAccess } from '#server/modules/viewer/partner-access.ts'
import { ViewImages, type ViewLimits } from '#server/modules/viewer/view-images.ts'
import { Agents } from '#server/webhooks/agents.ts'
import { Downloads } from '#server/webhooks/download.ts'
import type { Manifest } from '#server/webhooks/manifest.ts'
import type {
  ViewedInstance,
  ViewedSeries,
  ViewedStudy,
  ViewFault,
  ViewLine,
  ViewMedia,
} from '#shared/contract/viewed-images.ts'
import {
  CT_IMAGE_STORAGE,
  imageDataSet,
  type MadeInstance,
} from '../../../../support/instance-file.ts'
import { type StandingClock, tempStore } from '../../../../support/temp-store.ts'

export const STUDY = '2.25.100'
export const STUDY_ID = `stu_${'1'.repeat(32)}`
export const uidOf = (number: number) => `${STUDY}.1.${number}`

/** A DICOM file of an invented patient. */
export function dicomFile(made: MadeInstance = {}): Buffer {
  const {
    sopInstanceUid = uidOf(1),
    sopClassUid = CT_IMAGE_STORAGE,
    transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian,
  } = made
  const meta = fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'CT1' })
  return Buffer.concat([
    meta,
    writeDataSet(imageDataSet({ studyInstanceUid: STUDY, ...made }), transferSyntaxUid),
  ])
}

/** So many files of the study, by path. */
export const dicomFiles = (count: number, made: MadeInstance = {}): Record<string, Buffer> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const more = { InstanceNumber: String(index + 1), ...made.more }
      return [`/${index + 1}`, dicomFile({ ...made, sopInstanceUid: uidOf(index + 1), more })]
    }),
  )

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** The object store of a partner: a file of its path, or what a test does with the request. */
export interface Host {
  readonly host: string
  readonly requests: IncomingMessage[]
  readonly paths: string[]
  files: Record<string, Buffer | Answer>
  urlOf(path: string): string
}

async function openHost(files: Host['files']): Promise<Host> {
  const server = createServer((request, response) => {
    host.requests.push(request)
    const { pathname } = new URL(request.url ?? '', 'http://x')
    host.paths.push(pathname)
    const file = host.files[pathname]
    if (typeof file === 'function') return file(request, response)
    if (!file) return void response.writeHead(404).end()
    const etag = `"${file.length}-${file.at(-1)}"`
    if (request.headers['if-none-match'] === etag)
      return void response.writeHead(304, { etag }).end()
    response
      .writeHead(200, { etag, 'content-type': 'application/dicom', 'content-length': file.length })
      .end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const name = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const host: Host = {
    host: name,
    requests: [],
    paths: [],
    files,
    urlOf: (path) => `http://${name}${path}?signature=1`,
  }
  return host
}

export interface Viewing {
  readonly store: Context
  readonly folder: string
  readonly clock: StandingClock
  readonly host: Host
  readonly images: ViewImages
  readonly view: OpenView
  /** Questions to the partner so far. */
  readonly asked: { readonly studyInstanceUid: string | null }[]
  /** What it answers. */
  answer: () => Partial<AccessAnswer> | Promise<Partial<AccessAnswer>>
  /** All that is listed, once it is done. */
  listed(view?: OpenView): Promise<Listed>
  /** The same folder with new images of views, as after a restart. */
  restart(): Promise<ViewImages>
  open(): ViewImages
}

/** A view of a study whose files are on a partner's host. */
export async function openViewing(
  files: Host['files'] = {},
  limits: ViewLimits = {},
): Promise<Viewing> {
  const temp = tempStore()
  const { store, clock, folder } = temp
  const host = await openHost(files)
  store.settings.set('partner.plaintextHosts', [host.host])
  const downloads = new Downloads(store, new Agents())
  const asked: { studyInstanceUid: string | null }[] = []
  const opened: ViewImages[] = []
  onTestFinished(async () => {
    for (const images of opened) await images[Symbol.asyncDispose]()
    await downloads[Symbol.asyncDispose]()
    temp[Symbol.dispose]()
  })
  const open = () => {
    const ask: AskAccess = async (_view, study) => {
      asked.push({ studyInstanceUid: study?.studyInstanceUid ?? null })
      const given = await viewing.answer()
      return {
        ...{ urls: [], manifests: [], media: [], notes: [] },
        ...{ hosts: () => [host.host], noteRefusedHost: () => undefined },
        ...given,
      }
    }
    const now = { pausesMs: [0, 0], startMs: 0, ...limits }
    const images = new ViewImages(store, downloads, ask, now)
    opened.push(images)
    return images
  }
  const images = open()
  const viewing: Viewing = {
    ...{ store, folder, clock, host, images, view: openView(), asked, open },
    answer: () => ({ urls: Object.keys(files).map((path) => host.urlOf(path)) }),
    listed: (view = viewing.view) => listedOf(images, view),
    async restart() {
      for (const each of opened.splice(0)) await each[Symbol.asyncDispose]()
      return open()
    },
  }
  return viewing
}

export const openView = (more: Partial<OpenView> = {}): OpenView => ({
  ...{
    viewId: crypto.randomUUID(),
    tokenHash: '0'.repeat(64),
    kind: 'viewer',
    area: 'viewer',
    studyId: STUDY_ID,
  },
  ...{
    studyInstanceUid: STUDY,
    userId: null,
    createdByApiKeyId: null,
    createdByUserId: null,
    sessionId: null,
    ephemeral: null,
  },
  ...{
    createdAt: '2026-03-10T09:00:00.000Z',
    lastUsedAt: '2026-03-10T09:00:00.000Z',
    expiresAt: '2026-03-10T21:00:00.000Z',
  },
  user: undefined,
  ...more,
})

/** What a page knows after the lines. */
export interface Listed {
  readonly studies: ReadonlyMap<string, ViewedStudy>
  readonly series: ReadonlyMap<string, ViewedSeries>
  readonly instances: ReadonlyMap<string, ViewedInstance>
  readonly faults: readonly ViewFault[]
  readonly media: readonly ViewMedia[]
  readonly lines: readonly ViewLine[]
}

export async function listedOf(images: ViewImages, view: OpenView): Promise<Listed> {
  const lines: ViewLine[] = []
  for await (const line of images.lines(view, new AbortController().signal)) lines.push(line)
  return pageOf(lines)
}

export function pageOf(lines: readonly ViewLine[]): Listed {
  const studies = new Map<string, ViewedStudy>()
  const series = new Map<string, ViewedSeries>()
  const instances = new Map<string, ViewedInstance>()
  const faults: ViewFault[] = []
  const media: ViewMedia[] = []
  for (const line of lines) {
    if (line.line === 'study') studies.set(line.study.studyInstanceUid, line.study)
    if (line.line === 'series')
      for (const one of line.series) series.set(one.seriesInstanceUid, one)
    if (line.line === 'instances')
      for (const one of line.instances) instances.set(one.sopInstanceUid, one)
    if (line.line === 'faults') faults.push(...line.faults)
    if (line.line === 'media') media.push(...line.media)
  }
  return { studies, series, instances, faults, media, lines }
}

/** Reads lines until one is what is looked for; what was read so far. */
export async function readUntil(
  lines: AsyncIterator<ViewLine>,
  isIt: (line: ViewLine) => boolean,
): Promise<ViewLine[]> {
  const read: ViewLine[] = []
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new Error(`It ended after ${read.map(({ line }) => line).join(' ')}`)
    read.push(value)
    if (isIt(value)) return read
  }
}

export function manifestOf(numbers: readonly number[]): Manifest {
  const sops = numbers.map((number) => ({
    ...{
      sopClassUID: CT_IMAGE_STORAGE,
      sopInstanceUID: uidOf(number),
      instanceNumber: number,
      rows: 16,
      columns: 16,
    },
    ...{ bitsAllocated: 16, photometricInterpretation: 'MONOCHROME2', samplesPerPixel: 1 },
  }))
  const series = {
    modality: 'CT',
    seriesDescription: 'Chest',
    seriesInstanceUID: `${STUDY}.1`,
    seriesNumber: 1,
    sops,
  }
  return { studyInstanceUID: STUDY, series: [series] }
}

/** A request that is answered when the test says so. */
export function gate(file: Buffer): {
  readonly answer: Answer
  readonly came: Promise<void>
  open(): void
} {
  const came = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    answer: (_request, response) => {
      came.resolve()
      void opened.promise.then(() =>
        response.writeHead(200, { 'content-length': file.length }).end(file),
      )
    },
    came: came.promise,
    open: opened.resolve,
  }
}

export const never = () => new AbortController().signal
