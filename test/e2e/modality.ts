import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import type { Stage } from './stage.ts'

const run = promisify(execFile)
const env = { ...process.env, TCP_NODELAY: '1' }

/**
 * An invented image: identifiers end in the numbers given, so that the same numbers are the same
 * image.
 */
export interface Image {
  readonly studyInstanceUid: string
  readonly number: number
  readonly patientName: string
  readonly patientId: string
  readonly accessionNumber?: string
  /** `YYYYMMDD`; 20 November 2026, the day of these tests in UTC, where it is not given. */
  readonly studyDate?: string
  /** Another pixel makes another image of the same identifiers. */
  readonly pixel?: string
  /**
   * Rows and columns; 2 where it is not given, and 28 at most: dump2dcm reads lines of 4096
   * characters.
   */
  readonly side?: number
  /** Further lines of the dump (DCMTK's dump2dcm). */
  readonly more?: string
}

/** Sends images as a device does, in one association, by DCMTK's storescu. */
export const sendImages = (
  stage: Stage,
  aeTitle: string,
  images: readonly Image[],
): Promise<void> => store(stage.dimsePort, aeTitle, 'ISTHMUS', images)

async function store(
  port: string,
  calling: string,
  called: string,
  images: readonly Image[],
): Promise<void> {
  using folder = scratch()
  const files = await Promise.all(
    images.map(async (image, index) => {
      const dump = join(folder.path, `${index}.dump`)
      const file = join(folder.path, `${index}.dcm`)
      writeFileSync(dump, dumpOf(image))
      await run('dump2dcm', [dump, file])
      return file
    }),
  )
  await run('storescu', ['-aet', calling, '-aec', called, '127.0.0.1', port, ...files], {
    env,
    timeout: 30_000,
  })
}

/** A row that the device was handed out. */
export interface HandedOut {
  readonly studyInstanceUid: string
  readonly patientName: string
  readonly patientId: string
  readonly accessionNumber: string
}

/** Asks for the worklist as the device does and gives the first row, in plain letters. */
export async function firstRow(stage: Stage, aeTitle: string): Promise<HandedOut> {
  using folder = scratch()
  const keys = [
    'PatientName',
    'PatientID',
    'AccessionNumber',
    'StudyInstanceUID',
    'ScheduledProcedureStepSequence[0].Modality',
  ]
  const args = [
    '-W',
    '-X',
    '-od',
    folder.path,
    '-aet',
    aeTitle,
    '-aec',
    'ISTHMUS',
    ...keys.flatMap((key) => ['-k', key]),
  ]
  await run('findscu', [...args, '127.0.0.1', stage.dimsePort], { env, timeout: 30_000 })
  const [file = ''] = readdirSync(folder.path).sort()
  const { stdout } = await run('dcmdump', ['+U8', '+L', join(folder.path, file)])
  const of = (tag: string) =>
    new RegExp(`\\(${tag}\\) \\w\\w \\[([^\\]]*)\\]`).exec(stdout)?.[1]?.trim() ?? ''
  return {
    studyInstanceUid: of('0020,000d'),
    patientName: of('0010,0010'),
    patientId: of('0010,0020'),
    accessionNumber: of('0008,0050'),
  }
}

/**
 * A small archive, by DCMTK's dcmqrscp: it takes images, is asked for studies and sends them to the
 * gateway.
 */
export interface Archive extends AsyncDisposable {
  readonly port: number
  take(images: readonly Image[]): Promise<void>
}

/** It calls itself PACS and knows the gateway, whose AE title is ISTHMUS. */
export async function startArchive(stage: Stage): Promise<Archive> {
  const port = await freePort()
  const folder = scratch()
  mkdirSync(join(folder.path, 'images'))
  const config = join(folder.path, 'dcmqrscp.cfg')
  writeFileSync(config, configOf(port, stage.dimsePort, join(folder.path, 'images')))
  const child: ChildProcess = spawn('dcmqrscp', ['-c', config], { stdio: 'ignore', env })
  return {
    port,
    take: (images) => store(String(port), 'CT1', 'PACS', images),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        await new Promise<void>((resolve) => {
          child.once('exit', () => resolve())
          child.kill('SIGTERM')
        })
      }
      folder[Symbol.dispose]()
    },
  }
}

const configOf = (port: number, gatewayPort: string, folder: string) => `
NetworkTCPPort = ${port}
MaxPDUSize = 16384
MaxAssociations = 16
HostTable BEGIN
gateway = (ISTHMUS, 127.0.0.1, ${gatewayPort})
HostTable END
VendorTable BEGIN
VendorTable END
AETable BEGIN
PACS ${folder} RW (200, 1024mb) ANY
AETable END
`

function scratch(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'isthmus-e2e-images-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Words of the pixel data: a gradient, which begins with the pixel of the image. */
const pixelsOf = ({ pixel = '0001', side = 2 }: Image) =>
  [
    pixel,
    ...Array.from({ length: side * side - 1 }, (_, at) => (at + 2).toString(16).padStart(4, '0')),
  ].join('\\')

/** A CT image (PS3.3 A.3). */
const dumpOf = (image: Image) => {
  const {
    studyInstanceUid,
    number,
    patientName,
    patientId,
    accessionNumber = '',
    studyDate = '20261120',
    side = 2,
    more = '',
  } = image
  return `
(0008,0016) UI [1.2.840.10008.5.1.4.1.1.2]
(0008,0018) UI [${studyInstanceUid}.1.${number}]
(0008,0020) DA [${studyDate}]
(0008,0030) TM [103000]
(0008,0050) SH [${accessionNumber}]
(0008,0060) CS [CT]
(0008,1030) LO [CT Thorax]
(0008,103e) LO [Thorax 1.0]
(0010,0010) PN [${patientName}]
(0010,0020) LO [${patientId}]
(0010,0030) DA [19710503]
(0010,0040) CS [F]
(0020,000d) UI [${studyInstanceUid}]
(0020,000e) UI [${studyInstanceUid}.1]
(0020,0011) IS [2]
(0020,0013) IS [${number}]
(0028,0002) US 1
(0028,0004) CS [MONOCHROME2]
(0028,0010) US ${side}
(0028,0011) US ${side}
(0028,0100) US 16
(0028,0101) US 12
(0028,0102) US 11
(0028,0103) US 0
${more}
(7fe0,0010) OW ${pixelsOf(image)}
`
}
